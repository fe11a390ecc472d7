"""What the model said, as it is logged: a whole reply, or what there was of one when its turn broke off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from .calls import Call
from .context.parts import text_part
from .errors import ModelError, words_of
from .journal import tables
from .journal.journal import Transaction
from .models.base import ModelReply
from .recovery import open_calls
from .stream import EndReason
from .text import storable
from .turn import Turn


def keep_reply(turn: Turn, transaction: Transaction, model: str, reply: ModelReply, calls: Sequence[Call]) -> None:
    """Log a whole reply, with the calls that it makes."""
    usage = reply.usage
    payload: dict[str, Any] = {
        "message": {
            "id": transaction.ids.new("message"),
            "parts": [text_part(reply.text)] if reply.text else [],
            "calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls],
        },
        "model": model,
        "finish": reply.finish,
        "usage": [usage.input_tokens, usage.output_tokens, usage.cached_tokens],
    }
    if reply.reasoning:
        payload["reasoning"] = reply.reasoning
    turn.append(transaction, "model.replied", payload, "agent")


def keep_broken(
    turn: Turn, transaction: Transaction, model: str, text: str, reason: EndReason, failure: Exception | None
) -> None:
    """End a turn in the middle: keep the `text` that came, answer the open calls, and say why."""
    why = "cancelled by the user" if reason == "cancelled" else "the turn failed"
    error = storable(words_of(failure)) if failure is not None else ""
    if text.strip() and not _replied(transaction.connection, turn):
        message = {"id": transaction.ids.new("message"), "parts": [text_part(text)], "partial": True}
        reply = {"message": message, "model": model, "finish": reason, "usage": [None] * 3}
        turn.append(transaction, "model.replied", reply, "agent")
    for call, started in open_calls(transaction.connection, turn.id):
        state = f"{why} while it ran, so its outcome is unknown" if started else f"not run: {why}"
        message = {
            "id": transaction.ids.new("message"),
            "call_id": call.id,
            "parts": [text_part(f"Error: {state}.")],
        }
        result = {"message": message, "name": call.name, "error": True, "used": {}, "counts": {}}
        turn.append(transaction, "call.result", result)
    if isinstance(failure, ModelError):
        turn.append(transaction, "model.failed", {"kind": type(failure).__name__, "error": error})
    turn.end(transaction, reason, error)


def ended_as(connection: Connection, turn: Turn) -> EndReason | None:
    """How the journal has it that the turn ended, if it has."""
    reason: EndReason | None = connection.execute(
        select(tables.turns.c.reason).where(tables.turns.c.id == turn.id)
    ).scalar()
    return reason


def _replied(connection: Connection, turn: Turn) -> bool:
    """Whether the whole reply of the turn's present step is in the log."""
    messages = tables.messages
    query = select(messages.c.id).where(
        messages.c.turn == turn.id, messages.c.step == turn.step, messages.c.role == "assistant"
    )
    return connection.execute(query.limit(1)).first() is not None
