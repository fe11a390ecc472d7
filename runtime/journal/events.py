"""What an event is, and who may write one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row

from ..clock import parse_stamp, stamp

Writer = Literal["user", "agent", "sleeptime", "system"]

VERSION = 1
"""The version of the payloads written now. A fold that meets an older one must still read it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an agent. `seq` has no gaps within its stream, which is the agent's id."""

    id: str
    stream: str
    seq: int
    conversation: str | None
    turn: str | None
    step: int | None
    at: datetime
    type: str
    version: int
    writer: Writer
    cause: str | None
    """The event that led to this one."""
    payload: dict[str, Any]


_FIELDS = [field.name for field in fields(Event)]


def event_of(row: Row[Any]) -> Event:
    """The event that a row of the table `events` holds."""
    return Event(**{name: getattr(row, name) for name in _FIELDS} | {"at": parse_stamp(row.at)})


def row_of(event: Event) -> dict[str, Any]:
    """The inverse of `event_of`."""
    return {name: getattr(event, name) for name in _FIELDS} | {"at": stamp(event.at)}
