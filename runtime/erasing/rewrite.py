"""Taking texts out of the journal, in one transaction: out of the events, and out of every table made from them.

Both are rewritten in the same way, text by text, so that the tables stay what the events make of them. Blocks that are
in use are edited besides, as any block is, so that no marker is left in them and whoever has them open learns of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, delete, select, update

from ..archive import disputed
from ..context.parts import ERASED, is_erased
from ..core.edit import Author, Operation, Rethink, Settings, apply_edit
from ..journal import tables
from ..journal.events import Event
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope
from .choice import Choice
from .pieces import erased, without_marks
from .records import Record, records
from .streams import threads
from .survey import may_hold
from .walk import Walk

_BATCH = 500


@dataclass(slots=True)
class Rewritten:
    """What was rewritten of one agent."""

    passages: set[str] = field(default_factory=set)
    """The ids of those that are otherwise now."""
    messages: set[str] = field(default_factory=set)
    blocks: set[int] = field(default_factory=set)
    """Numbers of rows."""
    events: int = 0
    rows: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """In numbers."""
        return {
            "passages": len(self.passages),
            "messages": len(self.messages),
            "revisions": len(self.blocks),
            "events": self.events,
            "rows": self.rows,
        }


def rewrite(transaction: Transaction, scope: Scope, stream: str, choice: Choice, items: Collection[str]) -> Event:
    """Erase from the agent `stream` what the choice says, and all that `items` say; returns the receipt."""
    connection = transaction.connection
    emptied = _emptied(connection, scope, stream, choice, items)
    items = {*items, *emptied}
    may = may_hold(choice.words, items)
    walk = Walk(
        scope.user, threads(connection), lambda text: erased(text, choice), items=items, states=choice.words.states
    )
    done = Rewritten()
    for record, changes in [(it, new) for it in records(connection, stream, may) if (new := _changes(walk, it))]:
        _write(connection, record, changes)
        _note(done, record, changes)
    _drop_vectors(connection, done.passages | done.messages)
    receipt = transaction.append(
        "memory.erased",
        {
            "user": scope.user,
            "passages": sorted(done.passages),
            "messages": sorted(done.messages),
            "counts": done.counts,
        },
        stream=stream,
        writer="user",
    )
    _clear_blocks(transaction, scope, stream, done.blocks, receipt.id)
    _retire(transaction, stream, emptied, receipt.id)
    disputed.follow(transaction, replace(scope, agent=stream), cause=receipt.id)
    return receipt


def _emptied(connection: Connection, scope: Scope, stream: str, choice: Choice, items: Collection[str]) -> set[str]:
    """The passages of which nothing will be left: what else is known of them goes too."""
    table = tables.passages
    query = select(table.c.id, table.c.text).where(table.c.stream == stream, table.c.user == scope.user).distinct()
    may = may_hold(choice.words)
    rows = connection.execute(query).all()
    return {row.id for row in rows if row.id in items or (may(row.text) and is_erased(erased(row.text, choice)))}


def _changes(walk: Walk, record: Record) -> dict[str, Any]:
    if record.table is not tables.events:
        return walk.row(record.table.name, record.values)
    before = record.values["payload"]
    after = walk.event(record.values["type"], record.values["conversation"], before)
    return {} if after is before else {"payload": after}


def _write(connection: Connection, record: Record, changes: dict[str, Any]) -> None:
    where = [record.table.c[name] == value for name, value in record.key.items()]
    connection.execute(update(record.table).where(*where), changes)


def _note(done: Rewritten, record: Record, changes: dict[str, Any]) -> None:
    """Take down what was rewritten."""
    if record.table is tables.events:
        done.events += 1
        return
    done.rows += 1
    if record.table is tables.passages:
        done.passages.add(record.values["id"])
    elif record.table is tables.messages and "text" in changes:
        done.messages.add(record.values["id"])
    elif record.table is tables.blocks:
        done.blocks.add(record.key["row"])


def _drop_vectors(connection: Connection, items: Iterable[str]) -> None:
    """What a text meant could be guessed from its vector."""
    table, ids = tables.vectors, sorted(items)
    for start in range(0, len(ids), _BATCH):
        connection.execute(delete(table).where(table.c.item.in_(ids[start : start + _BATCH])))


def _clear_blocks(transaction: Transaction, scope: Scope, stream: str, rows: Collection[int], cause: str) -> None:
    """Take the markers out of the blocks that are in use."""
    table = tables.blocks
    query = select(table).where(table.c.stream == stream, table.c.user.in_(["", scope.user]), current(table))
    author = Author("user", cause=cause)
    for block in transaction.connection.execute(query.order_by(table.c.row)).all():
        if block.row not in rows:
            continue
        edits: list[Operation] = []
        if ERASED in block.value:
            edits.append(Rethink(without_marks(block.value)))
        if ERASED in block.description:
            edits.append(Settings(description=without_marks(block.description)))
        for edit in edits:
            apply_edit(transaction, stream, scope.user, block.label, edit, author)


def _retire(transaction: Transaction, stream: str, passages: Collection[str], cause: str) -> None:
    """Take the passages of which nothing is left out of use."""
    table = tables.passages
    query = select(table.c.id).where(table.c.stream == stream, current(table), table.c.status != "retired")
    ids = [it for it in transaction.connection.execute(query.order_by(table.c.row)).scalars() if it in passages]
    if ids:
        transaction.append(
            "passage.retired", {"ids": ids, "reason": "erased"}, stream=stream, writer="user", cause=cause
        )
