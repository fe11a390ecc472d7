"""Statements that SQLAlchemy compiles once, and that the database's driver then runs by itself.

On its way through SQLAlchemy a statement takes ten times as long as SQLite's own work on it. Those that run in every
turn take this way; all others are simply executed.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Insert, Select, Update
from sqlalchemy.engine.interfaces import DBAPICursor, Dialect

Process = Callable[[Any], Any] | None
"""What SQLAlchemy does with a value on its way into the database, or out of it."""


class Statement:
    """A statement whose parameters are all single values.

    `keys`: the columns that an insert or update sets.
    """

    def __init__(self, statement: Select[Any] | Insert | Update, keys: Sequence[str] = ()) -> None:
        self._statement = statement
        self._keys = keys
        # Each open home has a dialect of its own.
        self._compiled: WeakKeyDictionary[Dialect, _Compiled] = WeakKeyDictionary()

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Insert or update; returns how many rows that were."""
        return self._run(connection, self._for(connection), values).rowcount

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """The rows, with their columns as attributes."""
        compiled = self._for(connection)
        return compiled.found(self._run(connection, compiled, values).fetchall())

    def one(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        """The first row; None if there is none."""
        found = self.all(connection, values)
        return found[0] if found else None

    def _for(self, connection: Connection) -> _Compiled:
        dialect = connection.dialect
        found = self._compiled.get(dialect)
        if found is None:
            found = self._compiled[dialect] = _Compiled(self._statement, self._keys, dialect)
        return found

    def _run(self, connection: Connection, compiled: _Compiled, values: Mapping[str, Any]) -> DBAPICursor:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        cursor = raw.cursor()
        cursor.execute(compiled.sql, compiled.arguments(values))
        return cursor


class _Compiled:
    """A statement in one dialect."""

    def __init__(self, statement: Select[Any] | Insert | Update, keys: Sequence[str], dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=list(keys) or None)
        self.sql: str = compiled.string
        self._order: list[str] | None = compiled.positiontup
        self._in: dict[str, Process] = {
            name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in compiled.binds.items()
        }
        self._fixed = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
        for column in compiled.insert_prefetch:
            assert column.default.is_scalar, f"{column}: only a plain value can be its default"
            self._fixed[column.key] = column.default.arg
        columns = statement.selected_columns if isinstance(statement, Select) else ()
        self._out: list[Process] = [each.type.dialect_impl(dialect).result_processor(dialect, None) for each in columns]
        self._row: Any = namedtuple("Found", [each.key for each in columns])  # type: ignore[misc]

    def arguments(self, values: Mapping[str, Any]) -> Any:
        """The values as the driver takes them."""
        given = {**self._fixed, **values}
        sent = {name: way(given[name]) if way else given[name] for name, way in self._in.items()}
        return tuple(sent[name] for name in self._order) if self._order is not None else sent

    def found(self, rows: Sequence[Any]) -> list[Any]:
        """The driver's rows with their columns as attributes."""
        if any(self._out):
            rows = [[way(value) if way else value for way, value in zip(self._out, row, strict=True)] for row in rows]
        return [self._row._make(row) for row in rows]
