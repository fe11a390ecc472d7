"""The facts of a user, as the block `human` is compared with them, read from the archive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from ...ageing.policy import OVER, UNUSED
from ...ageing.trust import LEAST
from ...clock import parse_stamp, stamp
from ...journal import tables
from ...scope import Scope
from ..known import known_of, read_rows
from .human import Fact, successor

events = tables.events


def read_facts(connection: Connection, scope: Scope, now: datetime) -> list[Fact]:
    """All facts, those of the past among them."""
    rows = read_rows(connection, scope, ("fact",), ("active", "superseded", "retired"))
    known = {row.id: known_of(row) for row in rows}
    by = {row.id: row.superseded_by for row in rows if row.superseded_by}
    held = {row.id for row in rows if row.status == "active" and _covers(row, now)}
    aged = _aged(connection, scope, rows)
    return [
        Fact(
            known[row.id],
            row.id in held,
            row.status == "superseded"
            or (row.status == "retired" and row.id not in aged)
            or (row.valid_to is not None and parse_stamp(row.valid_to) <= now),
            successor(known, by, row.id, held),
            row.importance,
            row.trust >= LEAST and (row.writer == "user" or row.basis in ("", "stated")),
        )
        for row in rows
    ]


def _covers(row: Row[Any], now: datetime) -> bool:
    """Whether a moment is in the interval in which a passage holds."""
    at = stamp(now)
    return (row.valid_from is None or row.valid_from <= at) and (row.valid_to is None or row.valid_to > at)


def _aged(connection: Connection, scope: Scope, rows: Sequence[Row[Any]]) -> set[str]:
    """Those that a sweep has retired because they were not used: they may well be true still."""
    retired = {row.from_seq for row in rows if row.status == "retired"}
    reason = events.c.payload["reason"].as_string()
    found: set[str] = set()
    for some in _chunks(sorted(retired)):
        query = select(events.c.payload).where(
            events.c.stream == scope.agent,
            events.c.seq.in_(some),
            events.c.type == "passage.retired",
            reason.in_([UNUSED, OVER]),
        )
        found.update(passage for payload in connection.execute(query).scalars() for passage in payload["ids"])
    return found


def _chunks(numbers: Sequence[int]) -> list[Sequence[int]]:
    """SQLite takes a limited number of parameters."""
    return [numbers[start : start + 500] for start in range(0, len(numbers), 500)]
