"""What was said since memory work last looked: the words of the user and the assistant, and nothing else.

Tool traffic, recalled notes and documents are no words of theirs. A memory that is read is so never taken for something
new; a system that took in again what it had recalled stored one mistake hundreds of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any, cast

from sqlalchemy import Connection, Row, select

from ..clock import parse_stamp
from ..context.parts import is_erased
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope

MOST_CHARACTERS = 12_000
"""Characters that go to extraction at once; more of them are the next piece."""
MOST_MESSAGES = 40
LONGEST = 4000
"""Characters of one message that are looked at: what is longer is mostly a document, of which the ends are taken."""

messages, turns, sleep, withheld = tables.messages, tables.turns, tables.sleep, tables.withheld


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a dialogue."""

    id: str
    ordinal: int
    turn: str | None
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Delta:
    """The oldest piece of what was not looked at yet: messages of one conversation, oldest first."""

    conversation: str
    start: int
    """The cursor before it; and after it: """
    end: int
    entries: tuple[Entry, ...]

    @property
    def told(self) -> bool:
        """Whether the user said anything in it."""
        return any(entry.speaker == "user" for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits to be looked at."""

    messages: int = 0
    oldest: datetime | None = None


def cursors(connection: Connection, scope: Scope) -> dict[str, int]:
    """How far memory work is: the last message of each conversation that it is through with."""
    row = _state(connection, scope)
    return dict(row.cursors) if row is not None else {}


def failures(connection: Connection, scope: Scope) -> tuple[int, str, datetime | None]:
    """How often memory work failed since it last succeeded, why, and when."""
    row = _state(connection, scope)
    return (row.failures, row.error, parse_stamp(row.at)) if row is not None else (0, "", None)


def waiting(connection: Connection, scope: Scope) -> Waiting:
    """How many messages wait, in all conversations of this user."""
    rows = [row for thread in _new(connection, scope).values() for row in thread]
    return Waiting(len(rows), parse_stamp(min(row.at for row in rows)) if rows else None)


def read_delta(connection: Connection, scope: Scope) -> Delta | None:
    """The next piece, of the conversation whose messages wait longest; None where nothing waits."""
    new = _new(connection, scope)
    if not new:
        return None
    conversation, rows = min(new.items(), key=lambda item: (item[1][0].at, item[0]))
    taken: list[Row[Any]] = []
    size = 0
    for row in rows[:MOST_MESSAGES]:
        size += min(len(row.text), LONGEST)
        if taken and size > MOST_CHARACTERS:
            break
        taken.append(row)
    hidden = hidden_among(connection, [row.id for row in taken])
    start = cursors(connection, scope).get(conversation, 0)
    said = [row for row in taken if row.id not in hidden and row.text.strip() and not is_erased(row.text)]
    entries = tuple(_entry(row) for row in said)
    return Delta(conversation, start, taken[-1].ordinal, entries)


def hidden_among(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Those of the messages of which something is withheld, or that are gone."""
    some = connection.execute(select(withheld.c.item).where(withheld.c.item.in_(ids), current(withheld))).scalars()
    there = connection.execute(select(messages.c.id).where(messages.c.id.in_(ids), current(messages))).scalars()
    return set(some) | (set(ids) - set(there))


def _state(connection: Connection, scope: Scope) -> Row[Any] | None:
    query = select(sleep).where(sleep.c.stream == scope.agent, sleep.c.user == scope.user, current(sleep))
    return connection.execute(query).one_or_none()


def _new(connection: Connection, scope: Scope) -> dict[str, list[Row[Any]]]:
    """The messages behind the cursors by conversation, up to the first of a turn that is under way."""
    known = cursors(connection, scope)
    threads = tables.conversations
    mine = select(threads.c.id).where(threads.c.stream == scope.agent, threads.c.user == scope.user, current(threads))
    out: dict[str, list[Row[Any]]] = {}
    for conversation in connection.execute(mine.order_by(threads.c.id)).scalars().all():
        query = select(
            messages.c.id, messages.c.ordinal, messages.c.turn, messages.c.role, messages.c.text, messages.c.at
        ).where(messages.c.conversation == conversation, messages.c.ordinal > known.get(conversation, 0))
        rows = connection.execute(query.where(current(messages)).order_by(messages.c.ordinal)).all()
        if not rows:
            continue
        running = select(turns.c.id).where(turns.c.conversation == conversation, turns.c.ended_seq.is_(None))
        under_way = set(connection.execute(running).scalars())
        ended = list(takewhile(lambda row, open_turns=under_way: row.turn not in open_turns, rows))  # type: ignore[misc]
        spoken = cast("list[Row[Any]]", [row for row in ended if row.role in ("user", "assistant")])
        if spoken:
            out[conversation] = spoken
    return out


def _entry(row: Row[Any]) -> Entry:
    text = row.text
    if len(text) > LONGEST:
        text = f"{text[: LONGEST * 3 // 4]}\n[…]\n{text[-LONGEST // 4 :]}"
    return Entry(row.id, row.ordinal, row.turn, row.role, text, parse_stamp(row.at))
