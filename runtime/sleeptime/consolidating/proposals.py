"""What a reflection finds, compared with what was found before: the same insight is not kept twice, and a rule that the
user has rejected is not proposed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, select

from ...journal import tables
from ...journal.fold.rows import current
from ...scope import Scope
from ..known import read_rows
from ..wording import compare, likeness, negated
from .findings import Finding

AKIN = 0.5
"""The share of words in common from which on two that rest on the same say the same, ..."""
ALIKE = 0.8
"""... and from which on any two rules do."""


@dataclass(slots=True)
class Insights:
    """The insights in force."""

    rows: Sequence[Row[Any]]
    new: list[str] = field(default_factory=list)
    """What this reflection has added already."""

    @classmethod
    def read(cls, connection: Connection, scope: Scope) -> Insights:
        return cls(read_rows(connection, scope, ("insight",), ("active",)))

    def know(self, found: Finding) -> bool:
        """Whether it is there already, on the same grounds or more, or was written by hand."""
        return any(compare(found.text, text) in ("same", "less") for text in self.new) or any(
            compare(found.text, row.text) in ("same", "less")
            and (row.writer == "user" or set(found.evidence) <= set(row.evidence))
            for row in self.rows
        )

    def replaced_by(self, found: Finding) -> list[str]:
        """The ids of those that it takes the place of: what rests on the same, and what it says anew on more."""
        grounds = set(found.evidence)
        replaced = [
            row
            for row in self.rows
            if row.writer != "user"
            and (
                set(row.evidence) == grounds
                or compare(found.text, row.text) in ("same", "more")
                or (set(row.evidence) <= grounds and likeness(found.text, row.text) >= AKIN)
            )
        ]
        self.rows = [row for row in self.rows if row not in replaced]
        self.new.append(found.text)
        return [row.id for row in replaced]


@dataclass(slots=True)
class Rules:
    """All rules that there are or were: also those that the user has rejected, taken back or had forgotten."""

    rows: Sequence[Row[Any]]
    new: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, connection: Connection, scope: Scope) -> Rules:
        table = tables.passages
        query = select(table).where(
            table.c.stream == scope.agent, table.c.user == scope.user, table.c.kind == "rule", current(table)
        )
        return cls(connection.execute(query.order_by(table.c.row)).all())

    def known(self, found: Finding) -> str:
        """`known` where it was proposed or accepted already, `rejected` where the user did not want it; else empty."""
        same = [row for row in self.rows if _same_rule(found, row.text, row.evidence)]
        if any(row.status == "retired" for row in same):
            return "rejected before"
        if same or any(_same_rule(found, text, ()) for text in self.new):
            return "known"
        self.new.append(found.text)
        return ""


def _same_rule(found: Finding, text: str, evidence: Sequence[str]) -> bool:
    if negated(found.text) != negated(text):
        return False
    if compare(found.text, text) != "other":
        return True
    return likeness(found.text, text) >= (AKIN if set(found.evidence) <= set(evidence) else ALIKE)
