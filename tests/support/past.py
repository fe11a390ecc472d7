"""A long past, written as events straight away, since living through it would take too long."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import delete, select

from pagekeeper.runtime.core.edit import Append, Author, Rethink, apply_edit
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Journal, Transaction
from pagekeeper.runtime.scope import Scope

LOREM = "The harbour was full of boats that day, and nobody knew why they had come. "
EVENTS = 5
"""Of each turn: input.queued, turn.started, block.edited, model.replied, turn.ended."""


def live(journal: Journal, scope: Scope, turns: int, *, start: int = 0, size: int = 2) -> None:
    """`turns` turns of a conversation, each with an edit of the block `human`. The archive is told of none of it.

    The journal must not be in use: it is written in a few large transactions.
    """
    for first in range(start, start + turns, 500):
        last = min(first + 500, start + turns)
        journal.write_now(partial(_turns, scope, range(first, last), size))


def begin_at(journal: Journal, scope: Scope, turns: int) -> None:
    """Start a new epoch that shows the newest `turns` turns alone, as after a compaction."""

    def work(transaction: Transaction) -> None:
        epochs, messages = tables.epochs, tables.messages
        row = transaction.connection.execute(select(epochs).where(epochs.c.conversation == scope.conversation)).one()
        query = select(messages.c.ordinal).where(messages.c.conversation == scope.conversation)
        newest = transaction.connection.execute(query.order_by(messages.c.ordinal.desc()).limit(1)).scalar_one()
        kept = {"row", "stream", "conversation", "from_seq", "to_seq"}
        payload = {name: value for name, value in row._mapping.items() if name not in kept}
        payload |= {"id": transaction.ids.new("epoch"), "number": row.number + 1}
        payload |= {"first": newest - 2 * turns + 1, "boundary": newest + 1}
        _append(transaction, scope, "epoch.started", payload, None)

    journal.write_now(work)


def _turns(scope: Scope, turns: range, size: int, transaction: Transaction) -> None:
    for number in turns:
        turn, told = transaction.ids.new("turn"), transaction.ids.new("input")
        words, reply = f"Question {number:06}: {LOREM * size}", f"Answer {number:06}: {LOREM * size}"
        queued = {"id": told, "user": scope.user, "text": words, "owner": "ow-past"}
        _append(transaction, scope, "input.queued", queued, None)
        message = {"id": transaction.ids.new("message"), "parts": [{"type": "text", "text": words}]}
        started = {"input": told, "owner": "ow-past", "text": words, "message": message, "used": {}, "counts": {}}
        _append(transaction, scope, "turn.started", started, turn)
        edit = Rethink(f"Thought {number:06}.") if number % 20 == 0 else Append(f"Noted {number:06}.")
        apply_edit(transaction, scope.agent, scope.user, "human", edit, Author("agent", scope.conversation, turn, 1))
        message = {"id": transaction.ids.new("message"), "parts": [{"type": "text", "text": reply}], "calls": []}
        replied = {"message": message, "model": "scripted", "finish": "stop", "usage": [None, None, None]}
        _append(transaction, scope, "model.replied", replied, turn)
        _append(transaction, scope, "turn.ended", {"reason": "done"}, turn)
    transaction.connection.execute(delete(tables.outbox))


def _append(transaction: Transaction, scope: Scope, type: str, payload: dict[str, Any], turn: str | None) -> None:
    transaction.append(
        type,
        payload,
        stream=scope.agent,
        writer="system",
        conversation=scope.conversation,
        turn=turn,
        step=1 if turn else None,
    )
