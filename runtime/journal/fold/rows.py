"""Reading and changing versioned rows: an update closes a row and opens its successor."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, insert, or_, select, update

from .. import tables


def current(table: Table) -> ColumnElement[bool]:
    """The rows that hold now."""
    return table.c.to_seq.is_(None)


def as_of(table: Table, seq: int) -> ColumnElement[bool]:
    """The rows that held when the event `seq` of their stream was the newest."""
    return and_(table.c.from_seq <= seq, or_(table.c.to_seq.is_(None), table.c.to_seq > seq))


def close(connection: Connection, table: Table, row: Row[Any], seq: int) -> None:
    """End a row with the event `seq`."""
    connection.execute(update(table).where(table.c.row == row.row), {"to_seq": seq})


def succeed(connection: Connection, table: Table, row: Row[Any], seq: int, **changes: Any) -> None:
    """End a row with the event `seq`, and begin its successor, which differs in `changes`."""
    if row.from_seq == seq:
        # The row was born of this very event, so there is no moment at which it held.
        connection.execute(update(table).where(table.c.row == row.row), changes)
        return
    close(connection, table, row, seq)
    reopen(connection, table, row, seq, **changes)


def reopen(connection: Connection, table: Table, row: Row[Any], seq: int, **changes: Any) -> None:
    """Begin a copy of a row with the event `seq`."""
    values = dict(row._mapping)
    del values["row"]
    connection.execute(insert(table), {**values, **changes, "from_seq": seq, "to_seq": None})


def put(connection: Connection, table: Table, key: dict[str, Any], **values: Any) -> None:
    """Set `values` in the row with this key, or insert it: the same on every database."""
    if not connection.execute(update(table).where(*(table.c[name] == it for name, it in key.items())), values).rowcount:
        connection.execute(insert(table), {**key, **values})


def put_out(connection: Connection, kind: str, item: str) -> None:
    """Tell the archive that a passage or message is new or has changed."""
    connection.execute(insert(tables.outbox), {"kind": kind, "item": item})


def mark_epochs_stale(connection: Connection, stream: str, seq: int, reason: str, *, but: str | None = None) -> None:
    """Have each conversation of the agent, `but` one, start a new epoch before its next request."""
    epochs = tables.epochs
    query = select(epochs).where(epochs.c.stream == stream, current(epochs))
    for row in connection.execute(query).all():
        if row.conversation != but:
            succeed(connection, epochs, row, seq, reason=f"stale: {reason}")
