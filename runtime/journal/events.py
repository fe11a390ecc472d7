"""What an event is, and who may write one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row

from ..clock import parse_stamp

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


def event_of(row: Row[Any]) -> Event:
    """The event that a row of the table `events` holds."""
    return Event(
        row.id,
        row.stream,
        row.seq,
        row.conversation,
        row.turn,
        row.step,
        parse_stamp(row.at),
        row.type,
        row.version,
        row.writer,
        row.cause,
        row.payload,
    )
