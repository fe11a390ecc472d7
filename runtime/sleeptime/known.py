"""What is remembered already, as new memories are compared with it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, exists, or_, select

from ..archive.terms import plain
from ..clock import parse_known
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope
from .names import canonical

_USUAL = {
    "workplace": ("employer", "company", "work", "works at", "workplace (employer)"),
    "home": ("city", "residence", "lives in", "location", "town", "place of residence"),
    "job": ("occupation", "profession", "role", "title", "job title"),
    "taste": ("likes", "like", "preference", "prefers", "loves", "taste (likes)"),
    "dislike": ("dislikes", "hates"),
    "allergy": ("allergies",),
    "has": ("possession", "owns", "has (possession)"),
    "hobby": ("hobbies",),
    "language": ("languages",),
    "birthday": ("birth date", "date of birth"),
    "rule": ("convention", "rule (convention)"),
}
_ALIASES = {name: usual for usual, names in _USUAL.items() for name in names}
"""Other names that models give to the usual attributes."""

passages, withheld = tables.passages, tables.withheld


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that there is."""

    id: str
    text: str
    kind: str = "fact"
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    single: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    event_time: datetime | None = None
    created_at: datetime | None = None
    basis: str = ""
    writer: str = "agent"
    status: str = "active"
    source: tuple[str, ...] = ()
    version: int = 0
    """The event that last changed it: a proposal that rests on another version is out of date."""
    turn: str | None = None
    """The turn in which it was written."""

    @property
    def about(self) -> tuple[str, str] | None:
        """Subject and attribute in their usual names; None where it is not known what it tells."""
        return about(self.subject, self.attribute)

    def holds(self, at: datetime) -> bool:
        """It is in force at this moment, as far as is known."""
        return self.status == "active" and (self.valid_to is None or self.valid_to > at)

    @property
    def standing(self) -> int:
        """How much it takes to overrule it: what is written by hand stands above what was said, and that above what
        was imported or inferred."""
        return 3 if self.writer == "user" and self.basis != "imported" else standing(self.basis)


def standing(basis: str) -> int:
    """The standing of a memory by how it is known."""
    return {"stated": 2, "": 2, "imported": 1, "inferred": 0, "reflected": 0}[basis]


@lru_cache(4096)
def about(subject: str | None, attribute: str | None) -> tuple[str, str] | None:
    """Subject and attribute in the names by which they are compared."""
    if not attribute:
        return None
    what = plain(attribute).strip().replace("_", " ")
    return canonical(subject), _ALIASES.get(what, what)


def read_known(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[Known]:
    """The memories with these ids, as they stand, in this order."""
    rows = connection.execute(select(passages).where(passages.c.id.in_(ids), *_visible(scope))).all()
    found = {row.id: known_of(row) for row in rows}
    return [found[item] for item in ids if item in found]


def read_attribute(connection: Connection, scope: Scope, attribute: str) -> list[Known]:
    """All memories of an attribute, as `about` names it, of any subject, those of the past among them, oldest first."""
    query = select(passages).where(*_visible(scope), passages.c.attribute == attribute).order_by(passages.c.row)
    return [known_of(row) for row in connection.execute(query).all()]


def read_written(connection: Connection, scope: Scope, turns: Collection[str]) -> list[Known]:
    """What the agent itself archived in these turns."""
    query = select(passages).where(*_visible(scope), passages.c.turn.in_(turns), passages.c.writer == "agent")
    return [known_of(row) for row in connection.execute(query.order_by(passages.c.row)).all()]


def read_rows(connection: Connection, scope: Scope, kinds: Sequence[str], statuses: Sequence[str]) -> list[Row[Any]]:
    """All passages of these kinds that stand so, as rows, oldest first; a text that was cut to pieces is none."""
    wanted = [passages.c.kind.in_(kinds), passages.c.document.is_(None)]
    query = select(passages).where(*_visible(scope, statuses), *wanted)
    # The row of a passage is a new one with each change of it.
    return sorted(connection.execute(query).all(), key=lambda row: (row.created_at, row.id))


def _visible(scope: Scope, statuses: Sequence[str] = ("active", "superseded", "disputed")) -> list[Any]:
    hidden = exists().where(withheld.c.item == passages.c.id, current(withheld))
    usable = or_(*(passages.c.status == status for status in statuses))
    return [passages.c.stream == scope.agent, passages.c.user == scope.user, current(passages), usable, ~hidden]


def known_of(row: Row[Any]) -> Known:
    times = ("valid_from", "valid_to", "event_time", "created_at")
    return Known(
        row.id,
        row.text,
        row.kind,
        row.subject,
        row.attribute,
        row.value,
        row.single,
        basis=row.basis,
        writer=row.writer,
        status=row.status,
        source=tuple(row.source),
        version=row.from_seq,
        turn=row.turn,
        **{name: parse_known(getattr(row, name)) for name in times},
    )
