"""The agents of a home: finding them by name, making and deleting them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches

from sqlalchemy import Connection, func, select

from .clock import parse_stamp
from .errors import AlreadyExists, NotFound
from .journal import tables
from .journal.journal import Transaction
from .text import check_name

agents = tables.agents

CALLED = {"agent": "An agent's name", "app": "An app's name"}
"""What the name of each kind is called."""


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """An agent as a list shows it."""

    id: str
    """Also the name of its stream in the journal."""
    name: str
    kind: str
    """`agent`, or `app`: the memory of a program that is no agent."""
    created_at: datetime
    origin: str | None
    """The id of the agent that it was forked from."""
    conversations: int
    messages: int
    seq: int
    """The number of its newest event: the present, for rewind and fork."""
    last_at: datetime
    """When that happened."""


def list_agents(connection: Connection) -> list[AgentEntry]:
    """The agents that are not deleted, by name."""
    query = select(agents).where(agents.c.deleted_at.is_(None)).order_by(agents.c.name)
    return [_entry(connection, row.id) for row in connection.execute(query).all()]


def find_agent(connection: Connection, name: str) -> AgentEntry:
    """The agent with this name. Raises NotFound, naming the closest one there is."""
    name = check_name(name, "An agent's name")
    query = select(agents.c.name, agents.c.id).where(agents.c.deleted_at.is_(None))
    ids = {row.name: row.id for row in connection.execute(query).all()}
    if name in ids:
        return _entry(connection, ids[name])
    close = get_close_matches(name, list(ids), 1)
    hint = f"Did you mean {close[0]!r}?" if close else "`pagekeeper agents list` shows those that exist."
    raise NotFound(f"There is no agent {name!r}.", hint=hint)


def create_agent(
    transaction: Transaction, name: str, *, kind: str = "agent", origin: str | None = None, moment: int = 0
) -> str:
    """Make an agent, or the memory of an app, without blocks or conversations, and return its id.

    `origin` is the agent that it is to be a fork of, and `moment` the number of that one's event. Raises InvalidName or
    AlreadyExists.
    """
    name = check_name(name, CALLED[kind])
    query = select(agents.c.kind).where(agents.c.name == name, agents.c.deleted_at.is_(None))
    taken = transaction.connection.execute(query).scalar()
    if taken is not None:
        raise AlreadyExists(f"There is an {taken} {name!r} already.", hint="Choose another name.")
    made = transaction.ids.new("agent")
    forked = {"origin_id": origin, "origin_seq": moment} if origin is not None else {}
    told = {"kind": kind} if kind != "agent" else {}
    transaction.append("agent.created", {"name": name, **told, **forked}, stream=made, writer="user")
    return made


def delete_agent(transaction: Transaction, name: str) -> str:
    """Delete an agent, so that it is found no more and its name is free; its events stay. Raises NotFound."""
    found = find_agent(transaction.connection, name)
    transaction.append("agent.deleted", {}, stream=found.id, writer="user")
    return found.id


def conversation_name(connection: Connection, conversation: str) -> str:
    """What people call the conversation with this id. Raises NotFound."""
    table = tables.conversations
    query = select(table.c.name).where(table.c.id == conversation, table.c.to_seq.is_(None))
    name: str | None = connection.execute(query).scalar()
    if name is None:
        raise NotFound(f"There is no conversation {conversation!r}.")
    return name


def find_conversation(connection: Connection, agent: str, user: str, name: str) -> str:
    """The id of the conversation that `user` calls `name`. Raises NotFound."""
    table = tables.conversations
    query = select(table.c.name, table.c.id).where(
        table.c.stream == agent, table.c.user == user, table.c.to_seq.is_(None)
    )
    ids = {row.name: str(row.id) for row in connection.execute(query).all()}
    if name not in ids:
        raise NotFound(f"There is no conversation {name!r}.", hint=f"There are: {', '.join(sorted(ids)) or 'none'}.")
    return ids[name]


def _entry(connection: Connection, agent: str) -> AgentEntry:
    row = connection.execute(select(agents).where(agents.c.id == agent)).one()
    events, conversations, messages = tables.events, tables.conversations, tables.messages
    last = connection.execute(
        select(events.c.seq, events.c.at).where(events.c.stream == agent).order_by(events.c.seq.desc()).limit(1)
    ).one()
    count = select(func.count())
    return AgentEntry(
        id=row.id,
        name=row.name,
        kind=row.kind,
        created_at=parse_stamp(row.created_at),
        origin=row.origin_id,
        conversations=connection.execute(
            count.where(conversations.c.stream == agent, conversations.c.to_seq.is_(None))
        ).scalar_one(),
        messages=connection.execute(
            count.where(messages.c.stream == agent, messages.c.to_seq.is_(None), messages.c.role != "tool")
        ).scalar_one(),
        seq=last.seq,
        last_at=parse_stamp(last.at),
    )
