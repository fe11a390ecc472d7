"""Disputes follow what becomes of the memory that is disputed.

A memory contradicts another, and the user has not decided. If the other is superseded, the dispute is with what took
its place. If nothing of it is in force any more, nothing contradicts the memory, and it holds; and should the other
come back, the two are in dispute again. So no memory waits for a decision that nobody can make.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, exists, or_, select

from ..journal import tables
from ..journal.events import Event
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..journal.statement import Statement
from ..scope import Scope

passages, withheld = tables.passages, tables.withheld

_HIDDEN = exists().where(withheld.c.item == passages.c.id, current(withheld))
_DISPUTING = Statement(
    select(passages.c.id, passages.c.status, passages.c.disputes)
    .where(
        passages.c.disputes.is_not(None),
        # In a form that no index has, so that SQLite takes the one of disputes, which are few.
        passages.c.stream.concat("") == bindparam("agent"),
        passages.c.user.concat("") == bindparam("user"),
        or_(passages.c.status == "disputed", passages.c.status == "active"),
        current(passages),
        ~_HIDDEN,
    )
    .order_by(passages.c.created_at, passages.c.id)
)


def follow(tx: Transaction, scope: Scope, turn: str | None = None, cause: str | None = None) -> Event | None:
    """Have the disputes of this user follow what has changed; returns the event, where there was anything to do.

    What was in dispute, and holds since the other is gone, goes on naming it. Of several that disputed it the first
    holds, and the others dispute that one.
    """
    changes: list[dict[str, Any]] = []
    heirs: dict[str, str] = {}
    for row in _DISPUTING.all(tx.connection, {"agent": scope.agent, "user": scope.user}):
        other = in_force(tx.connection, scope, row.disputes) or heirs.setdefault(row.disputes, row.id)
        if other == row.id:
            if row.status == "disputed":
                changes.append({"id": row.id, "status": "active"})
        elif (row.status, row.disputes) != ("disputed", other):
            changes.append({"id": row.id, "status": "disputed", "disputes": other})
    if not changes:
        return None
    payload = {"reason": "the other side changed", "changes": changes}
    return tx.append(
        "passage.changed",
        payload,
        stream=scope.agent,
        writer="system",
        conversation=scope.conversation or None,
        turn=turn,
        cause=cause,
    )


def in_force(connection: Connection, scope: Scope, passage_id: str) -> str | None:
    """The passage itself, or what took its place at any remove, or what that is in dispute with: the one that holds."""
    seen: set[str] = set()
    at: str | None = passage_id
    while at is not None and at not in seen:
        seen.add(at)
        row = _read(connection, scope, at)
        if row is None or row.status == "active":
            return None if row is None else at
        at = {"superseded": row.superseded_by, "disputed": row.disputes}.get(row.status)
    return None


def _read(connection: Connection, scope: Scope, passage_id: str) -> Any:
    query = select(passages.c.status, passages.c.superseded_by, passages.c.disputes).where(
        passages.c.id == passage_id,
        passages.c.stream == scope.agent,
        passages.c.user == scope.user,
        current(passages),
        ~_HIDDEN,
    )
    return connection.execute(query).one_or_none()
