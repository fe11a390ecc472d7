"""Counting the work that a database does: what a test can hold constant, as it cannot with seconds."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import create_engine, event

from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Journal
from pagekeeper.runtime.journal.statement import Statement


@dataclass(slots=True)
class Work:
    """What was done while it was counted."""

    rows: int = 0
    """Rows that queries returned."""
    steps: int = 0
    """Instructions of SQLite's machine: a row that is looked at and left out costs some too."""
    statements: list[tuple[str, Any]] = field(default_factory=list)
    """Each statement, with its parameters."""


@contextlib.contextmanager
def counted(journal: Journal) -> Iterator[Work]:
    """Count the work of a journal in this process until the block is left."""
    work = Work()

    def row(_cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> tuple[Any, ...]:
        work.rows += 1
        return values

    def step() -> int:
        work.steps += 1
        return 0

    def statement(_connection: Any, _cursor: Any, text: str, parameters: Any, _context: Any, many: bool) -> None:
        work.statements.append((text, parameters[0] if many else parameters))

    run = Statement._run

    def prepared(self: Statement, connection: Any, compiled: Any, values: Any) -> Any:
        work.statements.append((compiled.sql, compiled.arguments(values)))
        return run(self, connection, compiled, values)

    raw = [_raw(journal, name) for name in ("write", "read")]
    for connection in raw:
        connection.row_factory = row
        connection.set_progress_handler(step, 1)
    event.listen(journal._engine, "before_cursor_execute", statement)
    Statement._run = prepared  # type: ignore[method-assign]  # past SQLAlchemy, and so past its event
    try:
        yield work
    finally:
        Statement._run = run  # type: ignore[method-assign]
        event.remove(journal._engine, "before_cursor_execute", statement)
        for connection in raw:
            connection.row_factory = None
            connection.set_progress_handler(None, 1)


def plans(statements: list[tuple[str, Any]], seed: int) -> dict[str, list[str]]:
    """How SQLite runs each statement, line by line, where the indexes were made in some order.

    SQLAlchemy makes them in no fixed order, and of two that seem as good SQLite takes one by their order.
    """
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        tables.metadata.create_all(connection)
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        indexes = connection.exec_driver_sql(query).all()
        random.Random(seed).shuffle(indexes)  # type: ignore[arg-type]
        for name, _sql in indexes:
            connection.exec_driver_sql(f"DROP INDEX {name}")
        for _name, sql in indexes:
            connection.exec_driver_sql(sql)
        found = {}
        for statement, parameters in statements:
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            found[statement] = [row[3] for row in rows]
    return found


def _raw(journal: Journal, name: str) -> sqlite3.Connection:
    use = journal.write_now if name == "write" else journal.read_now
    use(lambda _: None)
    raw = journal._connections[name].connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
