"""Deleting memories by id and by scope: exactly those are withheld, and nothing that merely says the same.

It is written as a forgetting, so that it can be restored, and so that rewinds and forks do not bring it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, exists, select

from ..archive import disputed
from ..archive.remembered import family, mine, there
from ..archive.short_ids import short_ids
from ..context.parts import is_erased
from ..errors import NotFound
from ..journal import tables
from ..journal.events import Event, Writer
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope

passages, messages, withheld = tables.passages, tables.messages, tables.withheld


def delete(tx: Transaction, scope: Scope, memory_id: str, writer: Writer) -> Event:
    """Delete a memory, with all that it has taken the place of. Raises NotFound."""
    row = there(tx.connection, scope, memory_id)
    if row.status == "superseded":
        old, new = short_ids(tx.connection, scope, [row.id, row.superseded_by])
        raise NotFound(f"{old} was superseded by {new}.", hint="Delete that one instead.")
    return _withhold(tx, scope, [("passage", one) for one in family(tx.connection, scope, row.id)], "deleted", writer)


def delete_all(tx: Transaction, scope: Scope, writer: Writer) -> int:
    """Delete all that the scope's app remembers of its user; returns how many memories that were.

    A memory that was superseded goes too, and is not counted beside the one in its place.
    """
    found = tx.connection.execute(select(passages.c.id, passages.c.status, passages.c.text).where(*mine(scope))).all()
    items = [("passage", row.id) for row in found]
    items += [("message", one) for one in _said(tx.connection, scope)]
    if items:
        _withhold(tx, scope, items, "deleted with all of its scope", writer)
    return sum(row.status != "superseded" and not is_erased(row.text) for row in found)


def _said(connection: Connection, scope: Scope) -> Sequence[str]:
    hidden = exists().where(withheld.c.item == messages.c.id, withheld.c.part.is_(None), current(withheld))
    query = select(messages.c.id).where(
        messages.c.stream == scope.agent, messages.c.user == scope.user, current(messages), ~hidden
    )
    return connection.execute(query.order_by(messages.c.row)).scalars().all()


def _withhold(tx: Transaction, scope: Scope, items: list[tuple[str, str]], reason: str, writer: Writer) -> Event:
    payload: dict[str, Any] = {
        "user": scope.user,
        "items": [{"kind": kind, "item": item, "part": None} for kind, item in items],
        "lines": [],
        "facts": [],
        "ids": [item for _, item in items],
        "reason": reason,
        "summaries": {},
        "deferred": None,
    }
    event = tx.append(
        "memory.forgotten", payload, stream=scope.agent, writer=writer, conversation=scope.conversation or None
    )
    disputed.follow(tx, scope, cause=event.id)
    return event
