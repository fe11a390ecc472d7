"""What insights and rules rest on, as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, exists, select

from ...journal import tables
from ...journal.fold.rows import current
from ...scope import Scope

passages, withheld = tables.passages, tables.withheld


def rows_of(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[Row[Any]]:
    """The passages as they are, in this order, without those that are gone or forgotten."""
    found: dict[str, Row[Any]] = {}
    hidden = exists().where(withheld.c.item == passages.c.id, current(withheld))
    for start in range(0, len(ids), 500):  # SQLite takes a limited number of parameters
        query = select(passages).where(passages.c.id.in_(ids[start : start + 500]), current(passages), ~hidden)
        mine = query.where(passages.c.stream == scope.agent, passages.c.user == scope.user)
        found.update({row.id: row for row in connection.execute(mine)})
    return [found[one] for one in ids if one in found]


def grounded(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[Row[Any]]:
    """Those on which something can rest: what was superseded was true once; what was retired may never have been."""
    return [row for row in rows_of(connection, scope, ids) if row.status in ("active", "superseded")]
