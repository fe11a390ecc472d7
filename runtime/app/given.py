"""What a program gives to be remembered: texts, messages and details, checked before anything is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from ..archive.choices import ROLES
from ..archive.drafts import Draft, checked
from ..clock import moment
from ..errors import UsageError
from ..scope import Scope
from ..text import check_text

TIMES = ("event_time", "valid_from", "valid_to", "expires_at")
LISTS = ("tags", "entities", "participants")
DETAILS = (
    *("kind", "speaker", "location", "importance", "confidence", "permanent"),
    *("subject", "attribute", "value", "single", *TIMES, *LISTS),
)
"""What a program may say of a memory beside its text; see Draft in archive/passages.py."""

_KEYS = ("role", "content", "name", "at")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation that a program has had."""

    role: str
    name: str | None
    text: str
    at: datetime | date | None


def draft_with(draft: Draft, scope: Scope, details: Mapping[str, Any]) -> Draft:
    """`draft` with the details in place of what it says. Raises UsageError for what cannot be said of a memory."""
    known: dict[str, Any] = {}
    for name, value in details.items():
        if name not in DETAILS:
            raise UsageError(f"A memory has no detail {name!r:.80}.", hint=f"There are {', '.join(sorted(DETAILS))}.")
        if name in LISTS:
            if not isinstance(value, tuple | list) or not all(isinstance(one, str) for one in value):
                raise UsageError(f"`{name}` of a memory must be a list of texts.")
            known[name] = tuple(value)
        elif name in TIMES:
            known[name] = _time(name, value)
        elif name in ("importance", "confidence"):
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise UsageError(f"`{name}` of a memory must be a number from 0 to 1.")
            known[name] = value
        elif name in ("permanent", "single"):
            if not isinstance(value, bool):
                raise UsageError(f"`{name}` of a memory must be true or false.")
            known[name] = value
        else:
            known[name] = value if value is None and name != "kind" else check_text(value, f"`{name}` of a memory")
    return checked(replace(draft, **known), scope)


def messages_of(given: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Messages as programs have them: `{"role": "user", "content": "..."}`, and perhaps `name` and `at`.

    Raises UsageError, which says which one is wrong.
    """
    out: list[Message] = []
    if isinstance(given, bytes) or not isinstance(given, Sequence):
        raise UsageError("What is to be remembered must be a text or a list of messages.")
    for place, one in enumerate(given):
        where = f"messages[{place}]"
        if not isinstance(one, Mapping) or not {"role", "content"} <= one.keys() <= set(_KEYS):
            raise UsageError(f"{where} must have `role` and `content`, and may have `name` and `at`.")
        if one["role"] not in ROLES:
            raise UsageError(f"The role of {where} must be {' or '.join(ROLES)}.")
        text = check_text(one["content"], f"The content of {where}", empty=False)
        name = one.get("name")
        if name is not None:
            check_text(name, f"The name in {where}", empty=False)
        out.append(Message(one["role"], name, text, _time(f"at of {where}", one.get("at"))))
    return out


def _time(name: str, value: object) -> datetime | date | None:
    if value is None or isinstance(value, date):
        return value
    try:
        if isinstance(value, str):
            return moment(value)
    except ValueError:
        pass
    raise UsageError(f"`{name}` must be a time or a day, as in 2026-01-31 or 2026-01-31T09:00.")
