"""What is to be archived, before it is: a draft of a passage, checked, and as the journal's table has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row

from ..clock import Times, in_zone, interval, parse_known, stamp
from ..errors import InvalidName, InvalidText
from ..scope import Scope
from ..text import check_text
from .choices import BASES, KINDS, STATUSES
from .chunks import chunk
from .rows import Vector

MOST_TAGS = 32
LONGEST_TAG = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage that is to be archived. Unset times are unknown; numbers run from 0 to 1."""

    text: str
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    event_time: datetime | date | None = None
    """When it happened. A day without a time starts at midnight in the scope's time zone, as naive times are of it."""
    valid_from: datetime | date | None = None
    valid_to: datetime | date | None = None
    expires_at: datetime | date | None = None
    speaker: str | None = None
    """Who said it, where it is someone's words."""
    session: int | None = None
    ordinal: int | None = None
    """Where it stands in its conversation and session, so that its neighbours can speak for it."""
    entities: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    location: str | None = None
    importance: float = 0.5
    confidence: float = 1.0
    trust: float = 0.5
    source: tuple[str, ...] = ()
    """The ids of the messages, or the events, that it comes from."""
    subject: str | None = None
    """Whom or what it speaks of, as in `user`."""
    attribute: str | None = None
    """What of the subject it tells, as in `home`."""
    value: str | None = None
    single: bool = False
    """The attribute has one value at a time."""
    basis: str = ""
    """How it is known: one of `choices.BASES`."""
    permanent: bool = False
    """It does not lose importance with time."""
    relations: tuple[Mapping[str, str], ...] = ()
    """`subject`, `relation` and `object` of each; they hold as long as it does."""
    evidence: tuple[str, ...] = ()
    """The ids of the passages that an insight or a rule rests on."""
    status: str = "active"
    disputes: str | None = None
    """The id of the passage that a disputed one contradicts."""
    origin_id: str | None = None
    document: str | None = None
    """The id of a text that was cut into pieces before, of which this is one. A text that is cut here gets one."""
    chunk: int = 0
    """Which piece of it this is, from 0."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text made ready before the transaction: its chunks, and the vector of each, or None where there is none yet."""

    text: str
    chunks: tuple[str, ...]
    vectors: tuple[Vector | None, ...]
    space: str
    """The fingerprint of the embedder."""

    @classmethod
    def plain(cls, text: str, space: str = "") -> Prepared:
        """`text` without vectors."""
        chunks = tuple(chunk(text))
        return cls(text, chunks, (None,) * len(chunks), space)


_ALIKE = (
    *("kind", "speaker", "session", "ordinal", "location", "importance", "confidence", "trust", "document"),
    *("subject", "attribute", "value", "single", "basis", "permanent"),
)
_ALIKE_LISTS = ("tags", "entities", "participants", "source", "relations", "evidence")
_ALIKE_TIMES = ("event_time", "valid_from", "valid_to", "expires_at")


def draft_of(row: Row[Any], text: str) -> Draft:
    """A draft that says `text` and is otherwise like an existing passage, to supersede it with."""
    known: dict[str, Any] = {name: getattr(row, name) for name in _ALIKE}
    known |= {name: tuple(getattr(row, name)) for name in _ALIKE_LISTS}
    known |= {name: parse_known(getattr(row, name)) for name in _ALIKE_TIMES}
    return Draft(text, chunk=row.chunk or 0, **known)


def renewed(row: Row[Any], text: str, now: datetime) -> Draft:
    """A draft in the place of a passage whose matter has changed: from `now` on it is as `text` says."""
    return replace(
        draft_of(row, text), value=None, relations=(), source=(), event_time=None, valid_from=now, valid_to=None
    )


def checked(draft: Draft, scope: Scope) -> Draft:
    """`draft` as it can be archived. What holds from a day until the same day holds on that day.

    Raises InvalidText, also for what ends before it begins, or InvalidName.
    """
    check_text(draft.text, "The text of a passage", empty=False)
    if draft.kind not in KINDS:
        raise InvalidName(
            f"A passage cannot be of the kind {draft.kind[:80]!r}.", hint=f"Use one of {', '.join(KINDS)}."
        )
    for what, value, known in (("basis", draft.basis, BASES), ("status", draft.status, STATUSES)):
        if value not in known:
            raise InvalidName(
                f"There is no {what} {value[:80]!r}.", hint=f"Use one of {', '.join(filter(None, known))}."
            )
    if len(draft.tags) > MOST_TAGS:
        raise InvalidName(f"A passage can have {MOST_TAGS} tags at most, not {len(draft.tags)}.")
    for tag in draft.tags:
        check_tag(tag)
    for name in ("importance", "confidence", "trust"):
        if not 0 <= getattr(draft, name) <= 1:
            raise InvalidText(f"The {name} of a passage must be from 0 to 1, not {getattr(draft, name)}.")
    related = [word for one in draft.relations for word in one.values()]
    about = [draft.speaker, draft.location, draft.subject, draft.attribute, draft.value]
    for text in (*draft.entities, *draft.participants, *related, *filter(None, about)):
        check_text(text, "A name in a passage")
    starts, ends = _interval(draft, scope)
    return replace(draft, tags=tuple(dict.fromkeys(draft.tags)), valid_from=starts, valid_to=ends)


def _interval(draft: Draft, scope: Scope) -> Times:
    for name in _ALIKE_TIMES:
        stamped(getattr(draft, name), scope)  # what cannot be stored cannot be compared either
    try:
        return interval(draft.valid_from, draft.valid_to, scope.timezone)
    except ValueError as error:
        hint = "`valid_to` is the first moment, or day, at which it no longer holds; it comes after `valid_from`."
        raise InvalidText(f"A passage {error}.", hint=hint) from None


def check_tag(tag: str) -> str:
    """`tag` itself, if it can be one. Raises InvalidText."""
    return check_text(tag, "A tag", empty=False, most=LONGEST_TAG)


def columns(draft: Draft, scope: Scope) -> dict[str, Any]:
    """What all chunks of a draft have in common, as in the table; unknown values are left out."""
    known = {
        "user": scope.user,
        "kind": draft.kind,
        "tags": list(draft.tags),
        "entities": list(draft.entities),
        "participants": list(draft.participants),
        "location": draft.location,
        "speaker": draft.speaker,
        "session": draft.session,
        "ordinal": draft.ordinal,
        "event_time": stamped(draft.event_time, scope),
        "valid_from": stamped(draft.valid_from, scope),
        "valid_to": stamped(draft.valid_to, scope),
        "expires_at": stamped(draft.expires_at, scope),
        "importance": draft.importance,
        "confidence": draft.confidence,
        "trust": draft.trust,
        "source": list(draft.source),
        "origin_id": draft.origin_id,
        **_beyond_the_usual(draft),
    }
    return {name: value for name, value in known.items() if value is not None}


def _beyond_the_usual(draft: Draft) -> dict[str, Any]:
    """What most passages lack: it is written only where it is known, since a journal holds very many of them."""
    known = {
        "subject": draft.subject,
        "attribute": draft.attribute,
        "value": draft.value,
        "single": draft.single,
        "basis": draft.basis,
        "permanent": draft.permanent,
        "relations": [dict(one) for one in draft.relations],
        "evidence": list(draft.evidence),
        "status": "" if draft.status == "active" else draft.status,
        "disputes": draft.disputes,
    }
    return {name: value for name, value in known.items() if value}


def stamped(when: datetime | date | None, scope: Scope) -> str | None:
    """A time of a draft as it is stored. Raises InvalidText."""
    if when is None:
        return None
    try:
        return stamp(in_zone(when, scope.timezone))
    except OverflowError:
        raise InvalidText(f"The time {when} cannot be stored.", hint="Use a year from 2 to 9998.") from None
