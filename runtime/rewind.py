"""Rewinding an agent, or one of its conversations, to an earlier moment. Nothing is lost: a rewind can be rewound."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from .context.parts import text_part
from .errors import UsageError
from .forgetting import in_force
from .journal import tables
from .journal.events import Event
from .journal.fold.rows import as_of, current
from .journal.journal import Journal, Transaction, last_seq
from .locks import Locks


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rewind would do."""

    to: int
    messages: int
    """Messages that would leave."""
    restored: int
    """Messages that would come back."""
    passages: int
    """Passages that would leave or come back."""
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
        raise UsageError(f"There are not {count} turns to go back." if count > 0 else "Go back at least one turn.")
    return int(queued[-1]) - 1


def preview(connection: Connection, agent: str, to: int, conversation: str | None = None) -> Preview:
    """What a rewind to the event `to` would do. Raises UsageError."""
    check_moment(connection, agent, to)
    messages = _moving(connection, tables.messages, agent, to, conversation)
    passages = [] if conversation else _moving(connection, tables.passages, agent, to)
    blocks = [] if conversation else _moving(connection, tables.blocks, agent, to)
    leaving = [row for row in messages if row.from_seq > to]
    return Preview(
        to,
        len(leaving),
        len(messages) - len(leaving),
        len({row.id for row in passages}),
        tuple(sorted({row.label for row in blocks})),
        _effects(connection, agent, to, conversation),
    )


async def rewind(journal: Journal, locks: Locks, agent: str, to: int, conversation: str | None = None) -> Event:
    """Go back to the state that held when the event `to` was the newest.

    It waits for the turns under way. With `conversation` (an id) only that conversation's messages go back. What was
    forgotten since stays withheld. To undo it, rewind to the number before the returned event's. Raises UsageError.
    """
    await journal.read(lambda connection: check_moment(connection, agent, to))
    threads = await journal.read(lambda connection: _threads(connection, agent))
    async with locks.turns([conversation] if conversation else threads):
        return await journal.write(lambda transaction: _rewind(transaction, agent, to, conversation))


def _rewind(transaction: Transaction, agent: str, to: int, conversation: str | None) -> Event:
    connection = transaction.connection
    event = transaction.append(
        "agent.rewound",
        {"to": to, "conversation": conversation, **_without_forgotten(connection, agent, to)},
        stream=agent,
        writer="user",
        conversation=conversation,
    )
    _answer_calls(transaction, agent, event)
    return event


def _answer_calls(transaction: Transaction, agent: str, event: Event) -> None:
    """Answer the calls that the moment parts from their results, so that the log is valid."""
    messages = tables.messages
    query = select(messages).where(messages.c.stream == agent, messages.c.from_seq == event.seq, current(messages))
    back = transaction.connection.execute(query).all()
    threads = {row.conversation for row in back} | set(_threads(transaction.connection, agent))
    for thread in sorted(threads):
        recent = select(messages).where(messages.c.conversation == thread, current(messages))
        rows = transaction.connection.execute(recent.order_by(messages.c.ordinal.desc()).limit(200)).all()
        answered = {row.call_id for row in rows if row.role == "tool"}
        asked = next((row for row in rows if row.role == "assistant"), None)
        for call in asked.calls if asked is not None else ():
            if call["id"] not in answered:
                _answer(transaction, event, asked, call)


def _answer(transaction: Transaction, event: Event, asked: Any, call: dict[str, str]) -> None:
    message = {
        "id": transaction.ids.new("message"),
        "call_id": call["id"],
        "parts": [text_part("Error: not run: the conversation was rewound.")],
    }
    transaction.append(
        "call.result",
        {"message": message, "name": call["name"], "error": True, "used": {}, "counts": {}},
        stream=event.stream,
        writer="system",
        conversation=asked.conversation,
        turn=asked.turn,
        step=asked.step,
        cause=event.id,
    )


def _without_forgotten(connection: Connection, agent: str, to: int) -> dict[str, dict[str, str]]:
    """What of the rows to restore must differ from then, since it was forgotten: by row number."""
    gone = in_force(connection, agent, to)
    blocks, epochs = tables.blocks, tables.epochs
    values, summaries = {}, {}
    for row in connection.execute(select(blocks).where(blocks.c.stream == agent, as_of(blocks, to))).all():
        if (value := gone.value(row.label, row.user, row.value)) != row.value:
            values[str(row.row)] = value
    for row in connection.execute(select(epochs).where(epochs.c.stream == agent, as_of(epochs, to))).all():
        if (summary := gone.summary(row.summary)) != row.summary:
            summaries[str(row.row)] = summary
    return {"blocks": values, "summaries": summaries}


def _moving(
    connection: Connection, table: Table, agent: str, to: int, conversation: str | None = None
) -> list[Row[Any]]:
    """The rows that a rewind closes (born after `to`) and those that it restores (closed since)."""
    scope = [table.c.stream == agent]
    if conversation:
        scope.append(table.c.conversation == conversation)
    born = select(table).where(*scope, current(table), table.c.from_seq > to)
    closed = select(table).where(*scope, as_of(table, to), table.c.to_seq.is_not(None))
    return [*connection.execute(born).all(), *connection.execute(closed).all()]


def _effects(connection: Connection, agent: str, to: int, conversation: str | None) -> tuple[tuple[str, int], ...]:
    events = tables.events
    query = select(events.c.payload).where(events.c.stream == agent, events.c.seq > to, events.c.type == "call.started")
    if conversation:
        query = query.where(events.c.conversation == conversation)
    counts = Counter(payload["name"] for payload in connection.execute(query).scalars())
    return tuple(sorted(counts.items()))


def _threads(connection: Connection, agent: str) -> list[str]:
    conversations = tables.conversations
    query = select(conversations.c.id).where(conversations.c.stream == agent, current(conversations))
    return list(connection.execute(query).scalars())
