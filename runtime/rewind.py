"""Rewinding an agent, or one of its conversations, to an earlier moment. Nothing is lost: a rewind can be rewound."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from .core.blocks import Block, block_of
from .core.history import alike
from .errors import NotFound, UsageError
from .forgetting.force import in_force
from .journal import tables
from .journal.events import Event
from .journal.fold.rows import as_of, current
from .journal.journal import Journal, Transaction, last_seq
from .locks import Locks
from .parted import answer_parted, started_calls


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rewind would do."""

    to: int
    messages: int
    """Messages of the user and the agent that would leave."""
    restored: int
    """Messages that would come back."""
    passages: int
    """Passages that would leave, come back or be otherwise."""
    blocks: tuple[str, ...]
    """Labels of blocks that would change."""
    effects: tuple[tuple[str, int], ...]
    """What tools did outside since, as (tool, times): it stays done."""


def check_moment(connection: Connection, agent: str, to: int) -> int:
    """`to` itself, if it numbers an event of the agent. Raises UsageError."""
    newest = last_seq(connection, agent)
    if not 1 <= to <= newest:
        raise UsageError(f"There is no event {to}: this agent's events run from 1 to {newest}.")
    return to


def before_turns(connection: Connection, agent: str, count: int, conversation: str | None = None) -> int:
    """The moment before the newest `count` turns, of one conversation (an id) or of all. Raises UsageError."""
    messages, inputs = tables.messages, tables.inputs
    query = select(inputs.c.seq).join(messages, messages.c.turn == inputs.c.turn)
    query = query.where(messages.c.stream == agent, messages.c.role == "user", current(messages))
    if conversation:
        query = query.where(messages.c.conversation == conversation)
    queued = list(connection.execute(query.order_by(inputs.c.seq.desc()).limit(max(count, 0))).scalars())
    if count < 1 or len(queued) < count:
        many = "is no turn" if count == 1 else f"are not {count} turns"
        raise UsageError(f"There {many} to go back." if count > 0 else "Go back at least one turn.")
    return int(queued[-1]) - 1


def preview(connection: Connection, agent: str, to: int, conversation: str | None = None) -> Preview:
    """What a rewind to the event `to` would do. Raises UsageError."""
    check_moment(connection, agent, to)
    before, now = _moving(connection, tables.messages, agent, to, conversation)
    said = {row.id for row in (*before.values(), *now.values()) if row.role != "tool"}
    passages, blocks = 0, set[str]()
    if conversation is None:
        older, newer = _moving(connection, tables.passages, agent, to)
        passages = sum(_content(older.get(it)) != _content(newer.get(it)) for it in older.keys() | newer.keys())
        blocks = {label for _user, label in _changing(connection, agent, to)}
    return Preview(
        to,
        len(said & (now.keys() - before.keys())),
        len(said & (before.keys() - now.keys())),
        passages,
        tuple(sorted(blocks)),
        _effects(connection, agent, to, conversation),
    )


async def rewind(journal: Journal, locks: Locks, agent: str, to: int, conversation: str | None = None) -> Event:
    """Go back to the state that held when the event `to` was the newest.

    It waits for the turns under way. With `conversation` (an id) only that conversation's messages go back. What was
    forgotten since stays withheld. To undo it, rewind to the number before the returned event's. Raises UsageError or
    NotFound.
    """
    while True:
        threads = await journal.read(lambda connection: _threads(connection, agent, to, conversation))
        async with locks.turns(threads):
            event = await journal.write(lambda tx, held=threads: _rewind(tx, agent, to, conversation, held))  # type: ignore[misc]
        if event is not None:
            return event


def _rewind(transaction: Transaction, agent: str, to: int, conversation: str | None, held: list[str]) -> Event | None:
    """Do it; None, and nothing is done, where a conversation has come up whose lock is not held."""
    connection = transaction.connection
    if not set(_threads(connection, agent, to, conversation)) <= set(held):
        return None
    event = transaction.append(
        "agent.rewound",
        {"to": to, "conversation": conversation, **_without_forgotten(connection, agent, to)},
        stream=agent,
        writer="user",
        conversation=conversation,
    )
    answer_parted(transaction, agent, held, started_calls(connection, agent, to), "was rewound", event.id)
    return event


def _without_forgotten(connection: Connection, agent: str, to: int) -> dict[str, Any]:
    """What of the state of then must differ, since it was forgotten: blocks, and summaries by conversation."""
    gone = in_force(connection, agent, to)
    now = all_blocks(connection, agent)
    changed = []
    for key, then in all_blocks(connection, agent, to).items():
        block = gone.block(then, now.get(key))
        if block != then:
            it = {"user": block.user, "label": block.label, "value": block.value, "description": block.description}
            changed.append(it)
    epochs, threads = tables.epochs, tables.conversations
    query = select(epochs.c.conversation, epochs.c.summary, threads.c.user).join(
        threads, threads.c.id == epochs.c.conversation
    )
    summaries = {}
    for row in connection.execute(query.where(epochs.c.stream == agent, as_of(epochs, to), current(threads))).all():
        if (summary := gone.summary(row.user, row.summary)) != row.summary:
            summaries[row.conversation] = summary
    return {"blocks": changed, "summaries": summaries}


def all_blocks(connection: Connection, agent: str, at: int | None = None) -> dict[tuple[str, str], Block]:
    """All blocks of the agent, of all users, now or at a moment."""
    blocks = tables.blocks
    when = current(blocks) if at is None else as_of(blocks, at)
    rows = connection.execute(select(blocks).where(blocks.c.stream == agent, when)).all()
    return {(row.user, row.label): block_of(row) for row in rows}


def _changing(connection: Connection, agent: str, to: int) -> set[tuple[str, str]]:
    """The blocks, as (user, label), that a rewind would leave otherwise than they are."""
    gone, now = in_force(connection, agent, to), all_blocks(connection, agent)
    then = {key: gone.block(block, now.get(key)) for key, block in all_blocks(connection, agent, to).items()}
    return {key for key in then.keys() | now.keys() if not alike(then.get(key), now.get(key))}


def _moving(
    connection: Connection, table: Table, agent: str, to: int, conversation: str | None = None
) -> tuple[dict[str, Row[Any]], dict[str, Row[Any]]]:
    """By id, the rows of then that have been closed since, and the rows of now that were born since."""
    scope = [table.c.stream == agent]
    if conversation:
        scope.append(table.c.conversation == conversation)
    closed = select(table).where(*scope, as_of(table, to), table.c.to_seq.is_not(None))
    born = select(table).where(*scope, current(table), table.c.from_seq > to)
    return (
        {row.id: row for row in connection.execute(closed).all()},
        {row.id: row for row in connection.execute(born).all()},
    )


def _content(row: Row[Any] | None) -> dict[str, Any] | None:
    return row and {name: it for name, it in row._mapping.items() if name not in ("row", "from_seq", "to_seq")}


def _effects(connection: Connection, agent: str, to: int, conversation: str | None) -> tuple[tuple[str, int], ...]:
    """What was done outside since, or was being done then: a call that a rewind answered counts no second time."""
    events = tables.events
    query = select(events.c.payload).where(
        events.c.stream == agent, events.c.seq > to, events.c.type == "call.result", events.c.cause.is_(None)
    )
    ended = {payload["message"]["call_id"] for payload in connection.execute(query).scalars()}
    counts = Counter(
        row.payload["name"]
        for call, row in started_calls(connection, agent).items()
        if (row.seq > to or call in ended) and conversation in (None, row.conversation)
    )
    return tuple(sorted(counts.items()))


def _threads(connection: Connection, agent: str, to: int, conversation: str | None) -> list[str]:
    """The conversations that a rewind is about. Raises UsageError or NotFound."""
    check_moment(connection, agent, to)
    conversations = tables.conversations
    query = select(conversations.c.id).where(conversations.c.stream == agent, current(conversations))
    found = list(connection.execute(query.order_by(conversations.c.row)).scalars())
    if conversation is None:
        return found
    if conversation not in found:
        raise NotFound(f"This agent has no conversation {conversation[:80]!r}.")
    return [conversation]
