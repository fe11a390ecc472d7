"""JSON lines: a note on each line, as an object or as a bare string.

{"text": "Ada sails on Sundays.", "kind": "fact", "tags": ["sport"], "event_time": "2026-01-31"}
"The key is under the mat."
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any

from ...clock import moment
from ...errors import UsageError
from ...journal.transfer import is_export
from ...scope import Scope
from ...text import check_text
from ..choices import KINDS
from ..drafts import Draft, checked

_LARGEST = 2**53


def notes(lines: Iterator[str], template: Draft, scope: Scope) -> Iterator[tuple[int, Draft]]:
    """The notes, each with the number of its line; what a line does not say is as in `template`.

    Raises UsageError, which names the line and the key.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, _note(line, template, scope)
        except UsageError as error:
            raise UsageError(f"line {number}: {error.message}", hint=error.hint) from None


def _note(line: str, template: Draft, scope: Scope) -> Draft:
    try:
        value = json.loads(line, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:  # its own text counts lines anew, from the one that it was given
        raise UsageError(f"it is not JSON ({error.msg}, column {error.colno}).") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it is not JSON ({error}).") from None
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        raise UsageError("it is neither an object nor a string.")
    if is_export(value):
        raise UsageError("it is the head of an agent's export.", hint="Import that file alone.")
    if "text" not in value:
        raise UsageError(f"the key 'text' is missing.{_instead(value)}")
    read = {}
    for key, given in value.items():
        if key not in KEYS:
            close = get_close_matches(key, KEYS, 1)
            raise UsageError(
                f"there is no key {key[:40]!r}.{f' Did you mean {close[0]!r}?' if close else ''}",
                hint=f"Keys are {', '.join(KEYS)}.",
            )
        if given is not None or key == "text":
            read[key] = KEYS[key](f"the key {key!r}", given)
    read["tags"] = (*read.get("tags", ()), *template.tags)
    return checked(replace(template, **read), scope)


def _instead(value: dict[str, Any]) -> str:
    close = get_close_matches("text", value, 1, 0.5)
    return f" Is it {close[0][:40]!r}?" if close else ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"the key {twice[:40]!r} is there twice.")
    return made


def _no_constant(name: str) -> None:
    raise UsageError(f"it is not JSON ({name} is no number).")


def _text(what: str, value: Any) -> str:
    return check_text(value, what, empty=False)


def _kind(what: str, value: Any) -> str:
    if value not in KINDS:
        raise UsageError(f"{what} must be one of {', '.join(KINDS)}.")
    return str(value)


def _name(what: str, value: Any) -> str:
    return check_text(value, what)


def _names(what: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{what} must be a list of strings.")
    return tuple(check_text(one, what, empty=False) for one in value)


def _time(what: str, value: Any) -> datetime | date:
    try:
        found = moment(value)
    except (TypeError, ValueError):
        raise UsageError(f"{what} must be a day or a time, as in 2026-01-31 or 2026-01-31T09:30.") from None
    if not 2 <= found.year <= 9998:
        raise UsageError(f"{what} must be of a year from 2 to 9998.")
    return found


def _share(what: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise UsageError(f"{what} must be a number from 0 to 1.")
    return float(value)


def _number(what: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -_LARGEST < value < _LARGEST:
        raise UsageError(f"{what} must be a whole number.")
    return value


KEYS: dict[str, Callable[[str, Any], Any]] = {
    "text": _text,
    "kind": _kind,
    "tags": _names,
    "event_time": _time,
    "valid_from": _time,
    "valid_to": _time,
    "expires_at": _time,
    "speaker": _name,
    "session": _number,
    "ordinal": _number,
    "entities": _names,
    "participants": _names,
    "location": _name,
    "importance": _share,
    "confidence": _share,
    "trust": _share,
}
"""What a note may say, by the names of a Draft; null is as good as nothing."""
