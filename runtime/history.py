"""Reading the conversation log as people do: newest page first, whole, with calls and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from sqlalchemy import Connection, Row, select

from .clock import parse_stamp
from .context.parts import in_order
from .journal import tables
from .journal.fold.rows import current
from .turn import readable

messages = tables.messages


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A tool call of the log; `arguments` is its JSON text, as the model wrote it."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """One message of the log. `call_id` is the call that a tool's message answers."""

    id: str
    ordinal: int
    role: str
    text: str
    calls: tuple[LoggedCall, ...]
    call_id: str | None
    at: datetime
    turn: str | None
    partial: bool
    notes: tuple[str, ...]
    """The notes that the model was given with it, as text."""
    withheld: bool
    """Whether it was forgotten since; the model sees it no more."""


def read_history(
    connection: Connection, conversation: str, limit: int | None = None, before: int | None = None
) -> list[LoggedMessage]:
    """The newest `limit` messages of a conversation, those before the ordinal `before` if it is given, oldest first."""
    query = select(messages).where(messages.c.conversation == conversation, current(messages))
    if before is not None:
        query = query.where(messages.c.ordinal < before)
    return _read(connection, connection.execute(query.order_by(messages.c.ordinal.desc()).limit(limit)).all()[::-1])


def read_news(connection: Connection, conversation: str, after: int) -> list[LoggedMessage]:
    """The messages behind the ordinal `after`, oldest first, as far as their turns have ended."""
    query = select(messages).where(
        messages.c.conversation == conversation, messages.c.ordinal > after, current(messages)
    )
    rows = connection.execute(query.order_by(messages.c.ordinal)).all()
    turns = tables.turns
    query_open = select(turns.c.id).where(turns.c.conversation == conversation, turns.c.ended_seq.is_(None))
    running = set(connection.execute(query_open).scalars()) if rows else set()
    return _read(connection, list(takewhile(lambda row: row.turn not in running, rows)))


def _read(connection: Connection, rows: Sequence[Row[Any]]) -> list[LoggedMessage]:
    withheld = tables.withheld
    hidden = set(
        connection.execute(
            select(withheld.c.item).where(
                withheld.c.item.in_([row.id for row in rows]), withheld.c.part.is_(None), current(withheld)
            )
        ).scalars()
    )
    return [_logged(row, row.id in hidden) for row in rows]


def _logged(row: Row[Any], withheld: bool) -> LoggedMessage:
    notes = tuple(readable(part["parts"]) for part in in_order(row.role, row.parts) if part["type"] == "note")
    return LoggedMessage(
        id=row.id,
        ordinal=row.ordinal,
        role=row.role,
        text=readable([part for part in row.parts if part["type"] != "note"]),
        calls=tuple(LoggedCall(call["id"], call["name"], call["arguments"]) for call in row.calls),
        call_id=row.call_id,
        at=parse_stamp(row.at),
        turn=row.turn,
        partial=row.partial,
        notes=notes,
        withheld=withheld,
    )
