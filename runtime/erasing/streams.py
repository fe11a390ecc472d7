"""Where one user's memory of an agent lies: in the agent's stream of events, and in those of its forks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from ..journal import tables
from ..scope import Scope


@dataclass(frozen=True, slots=True)
class Stream:
    """An agent and its name; a deleted one's events are still there."""

    agent: str
    name: str


def relatives(connection: Connection, agent: str) -> list[Stream]:
    """The agents that were forked from this one or that it was forked from, at any remove, itself first."""
    agents = tables.agents
    rows = {row.id: row for row in connection.execute(select(agents).order_by(agents.c.id)).all()}
    found = [agent]
    for one in found:
        near = [row.id for row in rows.values() if row.origin_id == one or rows[one].origin_id == row.id]
        found += [it for it in near if it not in found]
    return [Stream(it, rows[it].name) for it in found]


def threads(connection: Connection) -> dict[str, str]:
    """Whose each conversation is."""
    table = tables.conversations
    return {row.id: row.user for row in connection.execute(select(table.c.id, table.c.user))}


def threads_of(connection: Connection, scope: Scope, streams: Sequence[str]) -> list[str]:
    """The user's conversations with these agents."""
    table = tables.conversations
    query = select(table.c.id).where(table.c.stream.in_(streams), table.c.user == scope.user).distinct()
    return sorted(connection.execute(query).scalars())
