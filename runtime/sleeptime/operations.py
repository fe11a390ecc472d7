"""What a model proposes to do to memory, as it comes out of a text: the schema it is asked for, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Literal

from ..archive.drafts import LONGEST_TAG, MOST_TAGS
from ..arguments import validate
from ..clock import interval, moment
from ..errors import ToolError
from ..text import counted, storable
from .clamping import clamped

Op = Literal["add", "update", "delete", "clear"]

MOST = 40
"""Operations in one reply."""
LONGEST = 1000
"""Characters of a memory that is extracted."""

_WORD: dict[str, Any] = {"type": "string", "maxLength": 200}
_WORDS: dict[str, Any] = {"type": "array", "items": _WORD, "maxItems": 20}
_TIME: dict[str, Any] = {"type": "string", "description": "YYYY-MM-DD or YYYY-MM-DDTHH:MM"}

_OPERATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "op": {"type": "string", "enum": ["add", "update", "delete", "clear"]},
        "id": _WORD,
        "text": {"type": "string", "maxLength": LONGEST},
        "kind": {"type": "string", "enum": ["fact", "episode"]},
        "subject": _WORD,
        "attribute": _WORD,
        "value": _WORD,
        "single": {"type": "boolean"},
        "topics": _WORDS,
        "entities": _WORDS,
        "participants": _WORDS,
        "location": _WORD,
        "event_time": _TIME,
        "valid_from": _TIME,
        "valid_to": _TIME,
        "importance": {"type": "integer", "minimum": 1, "maximum": 10},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "explicit": {"type": "boolean"},
        "permanent": {"type": "boolean"},
        "relations": {
            "type": "array",
            "maxItems": 20,
            "items": {
                "type": "object",
                "properties": {"subject": _WORD, "relation": _WORD, "object": _WORD},
                "required": ["subject", "relation", "object"],
                "additionalProperties": False,
            },
        },
        "from": {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 50},
    },
    "required": ["op"],
    "additionalProperties": False,
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"operations": {"type": "array", "maxItems": MOST, "items": _OPERATION}},
    "required": ["operations"],
    "additionalProperties": False,
}
"""The JSON Schema of a reply to a request for extraction."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One change of memory that is proposed; nothing of it is believed before it is reconciled."""

    op: Op
    text: str = ""
    id: str | None = None
    """The memory that it changes."""
    kind: str = "fact"
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    single: bool = False
    topics: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    location: str | None = None
    event_time: datetime | date | None = None
    valid_from: datetime | date | None = None
    valid_to: datetime | date | None = None
    importance: float = 0.5
    """From .1 to 1."""
    confidence: float = 0.8
    explicit: bool = True
    """The user said it in so many words; else it is inferred."""
    permanent: bool = False
    relations: tuple[Mapping[str, str], ...] = ()
    sources: tuple[int, ...] = ()
    """The entries of the dialogue that it rests on, counted from 1."""


@dataclass(slots=True)
class Read:
    """What an answer comes to."""

    operations: list[Operation] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What is wrong with those that cannot be used."""
    clamped: list[str] = field(default_factory=list)
    """Numbers beyond their range, in whose place its end was taken."""


def read_all(answer: Mapping[str, Any], zone: tzinfo = UTC) -> Read:
    """The operations of an answer, whose times are of a zone. Raises ValueError for an answer that has none to offer,
    not even an empty list."""
    given = answer.get("operations")
    if not isinstance(given, list):
        raise ValueError("it has no list of operations")
    found = Read(faults=[f"{counted(len(given) - MOST, 'operation')} too many"] if len(given) > MOST else [])
    for data in given[:MOST]:
        try:
            if not isinstance(data, dict):
                raise ValueError("an operation that is no object")
            within, told = clamped(data, _OPERATION)
            found.operations.append(read(validate(within, _OPERATION, "an operation"), zone))
            found.clamped += told
        except ToolError as error:
            found.faults.append(error.message.rstrip("."))
        except ValueError as error:
            found.faults.append(str(error))
    return found


def read(data: Mapping[str, Any], zone: tzinfo) -> Operation:
    """The operation that `data`, which the schema admits, asks for. Raises ValueError, which says what is wrong."""
    op: Op = data["op"]
    text = _line(data.get("text"))
    if op in ("add", "update") and not text:
        raise ValueError(f"an operation {op!r} without text")
    if op in ("update", "delete") and not data.get("id"):
        raise ValueError(f"an operation {op!r} without the id of what it changes")
    if op == "clear" and not (data.get("id") or data.get("attribute")):
        raise ValueError("an operation 'clear' that names neither a memory nor an attribute")
    times = _times(data, zone)
    explicit = bool(data.get("explicit", True))
    return Operation(
        op,
        text,
        data.get("id"),
        data.get("kind", "fact"),
        _line(data.get("subject")) or ("user" if data.get("attribute") else None),
        _line(data.get("attribute")).lower() or None,
        _line(data.get("value")) or None,
        bool(data.get("single", False)),
        _names([topic[:LONGEST_TAG] for topic in data.get("topics", ())])[:MOST_TAGS],
        _names(data.get("entities", ())),
        _names(data.get("participants", ())),
        _line(data.get("location")) or None,
        importance=data.get("importance", 5) / 10,
        # What is only inferred is never as sure as what was said.
        confidence=data.get("confidence", 0.8) if explicit else min(data.get("confidence", 0.5), 0.6),
        explicit=explicit,
        permanent=bool(data.get("permanent", False)),
        relations=tuple({name: _line(word) for name, word in one.items()} for one in data.get("relations", ())),
        sources=tuple(dict.fromkeys(data.get("from", ()))),
        **times,
    )


def _line(text: str | None) -> str:
    return " ".join(storable(text or "").split())


def _names(names: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_line, names))))


def _times(data: Mapping[str, Any], zone: tzinfo) -> dict[str, datetime | date | None]:
    """Its times. Raises ValueError for what is none, and for what ends before it begins."""
    times = {name: _time(name, data.get(name)) for name in ("event_time", "valid_from", "valid_to")}
    try:
        times["valid_from"], times["valid_to"] = interval(times["valid_from"], times["valid_to"], zone)
    except ValueError as error:
        raise ValueError(f"an operation that {error}") from None
    return times


def _time(name: str, text: str | None) -> datetime | date | None:
    if not text:
        return None
    try:
        found = moment(text)
    except ValueError:
        raise ValueError(f"an operation whose {name!r} is no day or time: {text[:40]!r}") from None
    if not 2 <= found.year <= 9998:
        raise ValueError(f"an operation whose {name!r} is beyond what can be stored: {text[:40]!r}")
    return found
