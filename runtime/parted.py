"""Answering the calls that a rewind or a fork parts from their results, so that the log stays valid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from .context.parts import text_part
from .journal import tables
from .journal.fold.rows import current
from .journal.journal import Transaction

messages, events = tables.messages, tables.events


def started_calls(connection: Connection, agent: str, until: int | None = None) -> dict[str, Any]:
    """The events with which calls began to act outside, up to the event `until`, by the call's id."""
    query = select(events).where(events.c.stream == agent, events.c.type == "call.started")
    if until is not None:
        query = query.where(events.c.seq <= until)
    return {row.payload["call_id"]: row for row in connection.execute(query.order_by(events.c.seq)).all()}


def answer_parted(
    transaction: Transaction, agent: str, conversations: Iterable[str], started: Iterable[str], what: str, cause: str
) -> None:
    """Give each call that has no result one, which says that the conversation `what` ("was rewound").

    `started` holds the ids of calls that had begun to act outside by then. `cause` is the id of an event.
    """
    begun = set(started)
    for conversation in conversations:
        for asked, call in _open(transaction.connection, conversation):
            words = f"Error: not run: the conversation {what}."
            if call["id"] in begun:
                words = f"Error: outcome unknown: the conversation {what} while the call ran."
            message = {"id": transaction.ids.new("message"), "call_id": call["id"], "parts": [text_part(words)]}
            transaction.append(
                "call.result",
                {"message": message, "name": call["name"], "error": True, "used": {}, "counts": {}},
                stream=agent,
                writer="system",
                conversation=conversation,
                turn=asked.turn,
                step=asked.step,
                cause=cause,
            )


def _open(connection: Connection, conversation: str) -> list[tuple[Any, dict[str, str]]]:
    """The calls without a result; only the newest reply can have some."""
    mine = (messages.c.conversation == conversation, current(messages))
    newest = select(messages).where(*mine, messages.c.role == "assistant").order_by(messages.c.ordinal.desc())
    asked = connection.execute(newest.limit(1)).one_or_none()
    if asked is None or not asked.calls:
        return []
    later = select(messages.c.call_id).where(*mine, messages.c.ordinal > asked.ordinal, messages.c.role == "tool")
    answered = set(connection.execute(later).scalars())
    return [(asked, call) for call in asked.calls if call["id"] not in answered]
