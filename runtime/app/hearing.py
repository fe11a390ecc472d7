"""Messages that memory work is to read: into the log, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from ..archive.drafts import stamped
from ..archive.remembered import mine
from ..context.parts import text_part
from ..journal import tables
from ..journal.journal import Transaction
from ..scope import Scope
from .given import Message


def log(tx: Transaction, scope: Scope, said: Sequence[Message]) -> tuple[int, list[str]]:
    """Put messages into the log of the scope's conversation; returns the newest event before them, and their ids."""
    before = tx.last_seq(scope.agent)
    ids: list[str] = []
    for one in said:
        ids.append(tx.ids.new("message"))
        at = stamped(one.at, scope)
        message = {"id": ids[-1], "parts": [text_part(one.text)], **({"at": at} if at else {})}
        tx.append(
            "message.logged",
            {"role": one.role, "message": message, "text": one.text},
            stream=scope.agent,
            writer="user" if one.role == "user" else "agent",
            conversation=scope.conversation,
        )
    return before, ids


def come_of(connection: Connection, scope: Scope, logged: Sequence[str], before: int) -> list[str]:
    """The ids of the memories that rest on some messages, and were made or changed after the event `before`."""
    passages = tables.passages
    query = select(passages.c.id, passages.c.source).where(
        *mine(scope), passages.c.from_seq > before, passages.c.status.in_(["active", "disputed"])
    )
    rows = connection.execute(query.order_by(passages.c.row)).all()
    return [row.id for row in rows if not set(logged).isdisjoint(row.source)]
