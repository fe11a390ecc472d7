"""How far consolidation is, what has happened since, and when it is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, exists, func, or_, select

from ...clock import parse_known
from ...journal import tables
from ...journal.fold.rows import current
from ...scope import Scope

TURNS = 20
"""Turns after which it is due, unless it is set otherwise."""
IDLE = timedelta(minutes=15)
"""Quiet after which it is due where something has changed."""
FEWEST_EPISODES = 3
"""New episodes that are worth a reflection."""

events, sleep = tables.events, tables.sleep

_CHANGES = ("passage.%", "block.edited", "memory.%", "rows.copied", "agent.rewound")
"""Events after which there may be something to consolidate."""
_COMPACTED = ("compaction", "the provider's limit")
"""Reasons of epochs before which old messages left the window."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The newest event that consolidation has seen, and the newest whose episodes were reflected on."""

    consolidated: int = 0
    reflected: int = 0


@dataclass(frozen=True, slots=True)
class Since:
    """What has happened since consolidation was last done."""

    changed: bool = False
    """Memory has."""
    turns: int = 0
    compacted: bool = False
    """Old messages have left a window."""
    episodes: int = 0
    """That nobody has reflected on."""
    last_said: datetime | None = None

    def worth_reflecting(self) -> bool:
        return self.episodes >= FEWEST_EPISODES


@dataclass(frozen=True, slots=True)
class Due:
    """When consolidation is due in the background."""

    turns: int = TURNS
    idle: timedelta = IDLE

    def __call__(self, since: Since, now: datetime) -> bool:
        """After so many turns, after a compaction or after so much quiet, if there is anything to do."""
        if not (since.changed or since.worth_reflecting()):
            return False
        quiet = since.last_said is None or now - since.last_said >= self.idle
        return quiet or since.compacted or since.turns >= self.turns


def marker(connection: Connection, scope: Scope) -> Marker:
    """How far it is."""
    query = select(sleep.c.consolidated, sleep.c.reflected).where(
        sleep.c.stream == scope.agent, sleep.c.user == scope.user, current(sleep)
    )
    row = connection.execute(query).one_or_none()
    return Marker(row.consolidated, row.reflected) if row is not None else Marker()


def since(connection: Connection, scope: Scope) -> Since:
    """What has happened since."""
    mark, threads = marker(connection, scope), _threads(connection, scope)
    new = events.c.stream == scope.agent, events.c.seq > mark.consolidated
    changed = select(events.c.id).where(*new, or_(*(events.c.type.like(type) for type in _CHANGES)))
    compacted = select(events.c.id).where(
        *new,
        events.c.type == "epoch.started",
        events.c.conversation.in_(threads),
        events.c.payload["reason"].as_string().in_(_COMPACTED),
    )
    turns = select(func.count()).where(*new, events.c.type == "turn.ended", events.c.conversation.in_(threads))
    return Since(
        connection.execute(changed.limit(1)).first() is not None,
        connection.execute(turns).scalar_one(),
        connection.execute(compacted.limit(1)).first() is not None,
        len(new_episodes(connection, scope, mark)),
        max(filter(None, (_last_said(connection, thread) for thread in threads)), default=None),
    )


def new_episodes(connection: Connection, scope: Scope, mark: Marker) -> list[tuple[int, str]]:
    """The episodes that nobody has reflected on, as far as they are in force: the event that brought each, and its id,
    oldest first."""
    added = select(events.c.seq, events.c.payload, events.c.type).where(
        events.c.stream == scope.agent,
        events.c.seq > mark.reflected,
        events.c.type.in_(["passage.added", "rows.copied"]),
    )
    found: list[tuple[int, str]] = []
    for row in connection.execute(added.order_by(events.c.seq)):
        rows: list[dict[str, Any]] = row.payload["passages"] if row.type == "passage.added" else row.payload["rows"]
        found += [(row.seq, one["id"]) for one in rows if one.get("kind") == "episode"]
    there = _in_force(connection, scope, [passage for _, passage in found])
    return [(seq, passage) for seq, passage in found if passage in there]


def _in_force(connection: Connection, scope: Scope, ids: Sequence[str]) -> set[str]:
    passages, withheld = tables.passages, tables.withheld
    hidden = exists().where(withheld.c.item == passages.c.id, current(withheld))
    found: set[str] = set()
    for start in range(0, len(ids), 500):  # SQLite takes a limited number of parameters
        mine = select(passages.c.id).where(
            passages.c.id.in_(ids[start : start + 500]),
            passages.c.stream == scope.agent,
            passages.c.user == scope.user,
            passages.c.status == "active",
            passages.c.document.is_(None),
            current(passages),
            ~hidden,
        )
        found.update(connection.execute(mine).scalars())
    return found


def _threads(connection: Connection, scope: Scope) -> list[str]:
    table = tables.conversations
    mine = select(table.c.id).where(table.c.stream == scope.agent, table.c.user == scope.user, current(table))
    return list(connection.execute(mine).scalars())


def _last_said(connection: Connection, conversation: str) -> datetime | None:
    table = tables.messages
    newest = select(table.c.at).where(table.c.conversation == conversation, current(table))
    at = connection.execute(newest.order_by(table.c.ordinal.desc()).limit(1)).scalar()
    return parse_known(at)
