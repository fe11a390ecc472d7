"""Making the state tables again from the events alone, to check them and to mend them."""

from __future__ import annotations

from sqlalchemy import Connection, Table, create_engine, delete, func, insert, select, text

from ..text import counted
from . import tables
from .events import event_of
from .fold import fold
from .fold.rows import put_out
from .journal import Transaction

_KEPT = {"meta", "events", "vectors", "outbox"}
"""The tables that events do not make: facts of the home, the events, and what belongs to the archive."""

STATE = tuple(table for table in tables.metadata.sorted_tables if table.name not in _KEPT)

_CHUNK = 1000


def check(connection: Connection) -> list[str]:
    """What is wrong with the database file and with the events, each in one sentence; empty where all is well."""
    words = connection.execute(text("PRAGMA quick_check(20)")).scalars().all()
    faults = [f"The database says: {word}." for word in words if word != "ok"]
    events = tables.events
    query = select(events.c.stream, func.count().label("count"), func.min(events.c.seq), func.max(events.c.seq))
    for stream, count, first, last in connection.execute(query.group_by(events.c.stream)):
        if (first, last) != (1, count):
            numbered = f"{counted(count, 'event')} numbered {first} to {last}"
            faults.append(f"Stream {stream} has {numbered}; numbers are missing.")
    return faults


def differences(connection: Connection) -> dict[str, int]:
    """How many rows of each state table are not what the events make of it. Tables that are right are left out."""
    with _refolded(connection) as made:
        return _differences(connection, made)


def rebuild(transaction: Transaction) -> dict[str, int]:
    """Put the state tables right, and tell the archive of every passage and message. Returns `differences`."""
    connection = transaction.connection
    with _refolded(connection) as made:
        found = _differences(connection, made)
        for name in found:
            table = tables.metadata.tables[name]
            connection.execute(delete(table))
            for rows in made.execute(select(table)).mappings().partitions(_CHUNK):
                connection.execute(insert(table), [dict(row) for row in rows])
        if found:
            outbox = made.execute(select(tables.outbox.c.kind, tables.outbox.c.item).distinct()).all()
            for kind, item in outbox:
                put_out(connection, kind, item)
    return found


def _refolded(connection: Connection) -> Connection:
    """A database in memory whose state tables are made from this one's events. Closing it discards it."""
    made = create_engine("sqlite://").connect()
    tables.metadata.create_all(made)
    events = select(tables.events).order_by(tables.events.c.row)
    for row in connection.execution_options(yield_per=_CHUNK).execute(events):
        fold(made, event_of(row))
    return made


def _differences(stored: Connection, made: Connection) -> dict[str, int]:
    found = {}
    for table in STATE:
        wrong = len(_rows(stored, table) ^ _rows(made, table))
        if wrong:
            found[table.name] = wrong
    return found


def _rows(connection: Connection, table: Table) -> set[str]:
    """The rows of a table as text, by which they can be compared."""
    return {repr(tuple(row)) for row in connection.execute(select(table))}
