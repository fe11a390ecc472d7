"""Reading every text that a journal holds of an agent, whatever table and column it is in.

Tables and columns are taken from the metadata, so that those which come later are read, and erased from, as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import JSON, Connection, String, Table, Text, select, type_coerce

from ..journal import tables

events = tables.events

TABLES = tuple(table for table in tables.metadata.sorted_tables if "stream" in table.c)
"""The tables that hold what agents know, the events among them. The others hold no texts of anybody's (a test sees to
it): names of agents, facts of the home, vectors, and what the archive has yet to be told."""

_CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Record:
    """A row: its primary key, and its columns that hold text or JSON."""

    table: Table
    key: dict[str, Any]
    values: dict[str, Any]


def records(connection: Connection, stream: str, may: Callable[[str], bool]) -> Iterator[Record]:
    """The rows of an agent of which `may` holds, given all their texts as they are stored."""
    for table in TABLES:
        keys, columns = _columns(table)
        wanted = [
            type_coerce(table.c[name], Text).label(name) if is_json else table.c[name] for name, is_json in columns
        ]
        query = select(*(table.c[name].label(f"key_{name}") for name in keys), *wanted)
        query = query.where(table.c.stream == stream).order_by(*(table.c[name] for name in keys))
        for row in connection.execution_options(yield_per=_CHUNK).execute(query).mappings():
            raw = "\n".join(row[name] for name, _ in columns if row[name])
            if may(raw):
                yield Record(
                    table,
                    {name: row[f"key_{name}"] for name in keys},
                    {name: json.loads(row[name]) if is_json and row[name] else row[name] for name, is_json in columns},
                )


@cache
def _columns(table: Table) -> tuple[list[str], list[tuple[str, bool]]]:
    """The columns of the primary key, and those of text, each with whether it is JSON."""
    texts = [
        (column.name, isinstance(column.type, JSON)) for column in table.c if isinstance(column.type, String | JSON)
    ]
    return [column.name for column in table.primary_key], texts
