"""Events that move whole states: a rewind to an earlier moment, and the copies that make a fork."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, func, insert, literal, null, or_, select, update

from ...clock import stamp
from .. import tables
from ..events import Event
from .rows import as_of, close, current, put_out_all, reopen

_KINDS = {"messages": "message", "passages": "passage"}


def _rewound(connection: Connection, event: Event) -> None:
    """Close what was born after `to`, and restore what was closed since, as new versions.

    `conversation` limits it to the messages of one. `blocks` ({user, label, value, description}) and `summaries` (by
    conversation) are what must differ from then because something in them was forgotten since. Conversations, inputs
    and turns stay as they are: they are what happened.
    """
    to, only = event.payload["to"], event.payload["conversation"]
    messages = tables.messages
    where = [messages.c.stream == event.stream]
    _rewind_rows(connection, event, messages, [*where, messages.c.conversation == only] if only else where)
    if not only:
        _rewind_rows(connection, event, tables.passages, [tables.passages.c.stream == event.stream])
        _rewind_blocks(connection, event, to)
        _rewind_sleep(connection, event, to)
        _rewind_withheld(connection, event, to)
    _rewind_epochs(connection, event, to, only)


def _rewind_rows(connection: Connection, event: Event, table: Table, scope: list[ColumnElement[bool]]) -> None:
    """Rewind all rows of a table at once: there can be very many. The archive is told of them."""
    to = event.payload["to"]
    born = and_(*scope, current(table), table.c.from_seq > to)
    closed = and_(*scope, as_of(table, to), table.c.to_seq.is_not(None))
    moved = select(literal(_KINDS[table.name]), table.c.id).where(or_(born, closed), table.c.text != "").distinct()
    connection.execute(insert(tables.outbox).from_select(["kind", "item"], moved.order_by(table.c.id)))
    connection.execute(update(table).where(born), {"to_seq": event.seq})
    names = [column.name for column in table.c if column.name != "row"]
    new: dict[str, Any] = {"from_seq": literal(event.seq), "to_seq": null()}
    again = select(*(new.get(name, table.c[name]) for name in names)).where(closed).order_by(table.c.row)
    connection.execute(insert(table).from_select(names, again))


def _rewind_blocks(connection: Connection, event: Event, to: int) -> None:
    blocks = tables.blocks
    mine = blocks.c.stream == event.stream
    changed = {(it["user"], it["label"]): it for it in event.payload["blocks"]}
    for row in connection.execute(select(blocks).where(mine, current(blocks), blocks.c.from_seq > to)).all():
        close(connection, blocks, row, event.seq)
    closed = select(blocks).where(mine, as_of(blocks, to), blocks.c.to_seq.is_not(None)).order_by(blocks.c.row)
    for row in connection.execute(closed).all():
        newest = connection.execute(
            select(func.max(blocks.c.revision)).where(mine, blocks.c.label == row.label, blocks.c.user == row.user)
        ).scalar_one()
        values = changed.get((row.user, row.label), {})
        values = {name: values[name] for name in ("value", "description") if name in values}
        now = {"revision": newest + 1, "writer": event.writer, "at": stamp(event.at)}
        reopen(connection, blocks, row, event.seq, **values, **now)


def _rewind_sleep(connection: Connection, event: Event, to: int) -> None:
    """What was worked through since is worked through again: what came of it has left."""
    sleep = tables.sleep
    mine = sleep.c.stream == event.stream
    for row in connection.execute(select(sleep).where(mine, current(sleep), sleep.c.from_seq > to)).all():
        close(connection, sleep, row, event.seq)
    closed = select(sleep).where(mine, as_of(sleep, to), sleep.c.to_seq.is_not(None)).order_by(sleep.c.row)
    for row in connection.execute(closed).all():
        reopen(connection, sleep, row, event.seq)


def _rewind_withheld(connection: Connection, event: Event, to: int) -> None:
    """What was forgotten since stays so; what was restored since is withheld again, as it was then."""
    withheld = tables.withheld
    mine = withheld.c.stream == event.stream
    # A row that is younger than `to`, of a forgetting that is older, is one that a rewind has brought back.
    born = select(withheld).where(mine, current(withheld), withheld.c.from_seq > to, withheld.c.forgot <= to)
    closed = select(withheld).where(mine, as_of(withheld, to), withheld.c.to_seq.is_not(None))
    moved: list[Row[Any]] = [*connection.execute(born).all()]
    for row in moved:
        close(connection, withheld, row, event.seq)
    for row in connection.execute(closed.order_by(withheld.c.row)).all():
        reopen(connection, withheld, row, event.seq)
        moved.append(row)
    put_out_all(connection, [(row.kind, row.item) for row in moved if row.kind != "forgetting"])


def _rewind_epochs(connection: Connection, event: Event, to: int, only: str | None) -> None:
    """End the epochs; the next one of each conversation starts from the one that held then, if there was one."""
    epochs = tables.epochs
    scope = [epochs.c.stream == event.stream]
    if only:
        scope.append(epochs.c.conversation == only)
    then = {row.conversation: row for row in connection.execute(select(epochs).where(*scope, as_of(epochs, to))).all()}
    ended = connection.execute(select(epochs).where(*scope, current(epochs)).order_by(epochs.c.row)).all()
    for row in ended:
        close(connection, epochs, row, event.seq)
        start = then.get(row.conversation)
        before = (
            {"summary": event.payload["summaries"].get(row.conversation, start.summary)}
            if start is not None
            else {"summary": "", "first": 0, "lead": 0, "boundary": 0, "cut": 0, "bare": 0}
        )
        # Numbers only grow.
        reopen(connection, epochs, start or row, event.seq, reason="stale: rewound", number=row.number, **before)


def _copied(connection: Connection, event: Event) -> None:
    """Rows of another agent's state, given to this one with ids of their own."""
    table = {name: tables.metadata.tables[name] for name in COPIED}[event.payload["table"]]
    born = {"stream": event.stream, "from_seq": event.seq, "to_seq": None}
    rows = event.payload["rows"]
    connection.execute(insert(table), [{**values, **born} for values in rows])
    if table.name in _KINDS:
        put_out_all(connection, [(_KINDS[table.name], values["id"]) for values in rows if values["text"]])


COPIED = ("conversations", "blocks", "messages", "passages", "epochs", "sleep")
"""The tables whose rows a fork copies."""

HANDLERS = {"agent.rewound": _rewound, "rows.copied": _copied}
