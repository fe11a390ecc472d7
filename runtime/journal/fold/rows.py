"""Reading and changing versioned rows: an update closes a row and opens its successor."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    bindparam,
    insert,
    or_,
    select,
    update,
)

from .. import tables
from ..statement import Statement


def current(table: Table) -> ColumnElement[bool]:
    """The rows that hold now."""
    return table.c.to_seq.is_(None)


def as_of(table: Table, seq: int) -> ColumnElement[bool]:
    """The rows that held when the event `seq` of their stream was the newest."""
    return and_(table.c.from_seq <= seq, or_(table.c.to_seq.is_(None), table.c.to_seq > seq))


@cache
def _insert(table: Table, *values: str) -> Statement:
    return Statement(insert(table), values)


@cache
def _update(table: Table, key: tuple[str, ...], values: tuple[str, ...]) -> Statement:
    return Statement(update(table).where(*(table.c[name] == bindparam(f"its_{name}") for name in key)), values)


def add(connection: Connection, table: Table, values: dict[str, Any]) -> None:
    """Insert a row."""
    _insert(table, *values).change(connection, values)


def change(connection: Connection, table: Table, key: dict[str, Any], **values: Any) -> bool:
    """Set `values` in the rows with this key; returns whether there are any."""
    its = {f"its_{name}": value for name, value in key.items()}
    return _update(table, tuple(key), tuple(values)).change(connection, {**its, **values}) > 0


def put(connection: Connection, table: Table, key: dict[str, Any], **values: Any) -> None:
    """Set `values` in the row with this key, or insert it: the same on every database."""
    if not change(connection, table, key, **values):
        add(connection, table, {**key, **values})


def close(connection: Connection, table: Table, row: Row[Any], seq: int) -> None:
    """End a row with the event `seq`."""
    change(connection, table, {"row": row.row}, to_seq=seq)


def succeed(connection: Connection, table: Table, row: Row[Any], seq: int, **changes: Any) -> None:
    """End a row with the event `seq`, and begin its successor, which differs in `changes`."""
    if row.from_seq == seq:
        # The row was born of this very event, so there is no moment at which it held.
        change(connection, table, {"row": row.row}, **changes)
        return
    close(connection, table, row, seq)
    reopen(connection, table, row, seq, **changes)


def reopen(connection: Connection, table: Table, row: Row[Any], seq: int, **changes: Any) -> None:
    """Begin a copy of a row with the event `seq`."""
    values = dict(row._mapping)
    del values["row"]
    add(connection, table, {**values, **changes, "from_seq": seq, "to_seq": None})


def put_out(connection: Connection, kind: str, item: str) -> None:
    """Tell the archive that a passage or message is new or has changed."""
    add(connection, tables.outbox, {"kind": kind, "item": item})


def put_out_all(connection: Connection, items: Iterable[tuple[str, str]]) -> None:
    """`put_out` for many, each once."""
    rows = [{"kind": kind, "item": item} for kind, item in dict.fromkeys(items)]
    if rows:
        connection.execute(insert(tables.outbox), rows)


def mark_epochs_stale(connection: Connection, stream: str, seq: int, reason: str, *, but: str | None = None) -> None:
    """Have each conversation of the agent, `but` one, start a new epoch before its next request."""
    epochs = tables.epochs
    query = select(epochs).where(epochs.c.stream == stream, current(epochs))
    for row in connection.execute(query).all():
        if row.conversation != but:
            succeed(connection, epochs, row, seq, reason=f"stale: {reason}")
