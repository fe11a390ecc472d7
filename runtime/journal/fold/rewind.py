"""Events that move whole states: a rewind to an earlier moment, and the copies that make a fork."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Table, func, insert, select

from .. import tables
from ..events import Event
from .rows import as_of, close, current, put_out, reopen

_KINDS = {"messages": "message", "passages": "passage"}


def _rewound(connection: Connection, event: Event) -> None:
    """Close what was born after `to`, and restore what was closed since, as new versions.

    `conversation` limits it to the messages of one. `blocks` and `summaries` hold values, by row number, that differ
    from those of then because something in them was forgotten since. Conversations, inputs and turns stay as they are:
    they are what happened. What is withheld stays so.
    """
    to, only = event.payload["to"], event.payload["conversation"]
    for table in (tables.messages,) if only else (tables.messages, tables.passages, tables.blocks):
        scope = [table.c.stream == event.stream]
        if only:
            scope.append(table.c.conversation == only)
        for row in connection.execute(select(table).where(*scope, current(table), table.c.from_seq > to)).all():
            close(connection, table, row, event.seq)
            _tell(connection, table, row)
        for row in connection.execute(select(table).where(*scope, as_of(table, to), table.c.to_seq.is_not(None))).all():
            reopen(connection, table, row, event.seq, **_changes(connection, event, table, row))
            _tell(connection, table, row)
    _rewind_epochs(connection, event, to, only)


def _changes(connection: Connection, event: Event, table: Table, row: Row[Any]) -> dict[str, Any]:
    """How a restored row differs from the one of then."""
    if table is not tables.blocks:
        return {}
    blocks = tables.blocks
    newest = connection.execute(
        select(func.max(blocks.c.revision)).where(
            blocks.c.stream == row.stream, blocks.c.label == row.label, blocks.c.user == row.user
        )
    ).scalar_one()
    value = event.payload["blocks"].get(str(row.row), row.value)
    return {"revision": newest + 1, "value": value, "writer": event.writer}


def _tell(connection: Connection, table: Table, row: Row[Any]) -> None:
    if table.name in _KINDS and row.text:
        put_out(connection, _KINDS[table.name], row.id)


def _rewind_epochs(connection: Connection, event: Event, to: int, only: str | None) -> None:
    """End the epochs; the next one of each conversation starts from the one that held then."""
    epochs = tables.epochs
    scope = [epochs.c.stream == event.stream]
    if only:
        scope.append(epochs.c.conversation == only)
    then = connection.execute(select(epochs).where(*scope, as_of(epochs, to))).all()
    for row in connection.execute(select(epochs).where(*scope, current(epochs))).all():
        close(connection, epochs, row, event.seq)
    for row in then:
        newest = connection.execute(
            select(func.max(epochs.c.number)).where(epochs.c.conversation == row.conversation)
        ).scalar_one()
        summary = event.payload["summaries"].get(str(row.row), row.summary)
        reopen(connection, epochs, row, event.seq, reason="stale: rewound", number=newest, summary=summary)


def _copied(connection: Connection, event: Event) -> None:
    """Rows of another agent's state, given to this one with ids of their own."""
    table = {name: tables.metadata.tables[name] for name in COPIED}[event.payload["table"]]
    for values in event.payload["rows"]:
        connection.execute(insert(table), {**values, "stream": event.stream, "from_seq": event.seq, "to_seq": None})
        if table.name in _KINDS and values["text"]:
            put_out(connection, _KINDS[table.name], values["id"])


COPIED = ("conversations", "blocks", "messages", "passages", "epochs", "withheld")
"""The tables whose rows a fork copies."""

HANDLERS = {"agent.rewound": _rewound, "rows.copied": _copied}
