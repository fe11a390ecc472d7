"""The rows that search knows, read from the journal: passages and messages in one shape."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, Select, bindparam, func, select

from ..ageing.decay import FLOOR
from ..clock import parse_stamp
from ..context.parts import is_erased
from ..context.parts import words as said
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope
from .choices import LASTING, Kind
from .terms import count_words, term_string, terms

Vector = np.ndarray[Any, np.dtype[np.float32]]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BATCH = 500
"""Ids in one query: SQLite takes a limited number of parameters."""

Item = tuple[Kind, str]
"""The kind and the id of a row."""


@dataclass(slots=True, eq=False)
class ArchiveRow:
    """A passage or a message as search sees it. Times are microseconds since 1970, UTC."""

    table: Kind
    id: str
    agent: str
    user: str
    conversation: str
    thread: str
    """What it stands in: a session of a conversation, a stretch of the episodes that it tells, or a document that was
    cut into chunks; empty for none of them."""
    place: int
    """Where in the thread: the one before it is at `place - 1`."""
    speaker: str
    """Whose words it holds: a name, or for a message its role."""
    role: str
    kind: str
    tags: list[str]
    text: str
    terms: str
    length: int
    """How many terms."""
    words: int
    asks: bool
    """It ends with a question mark."""
    at: int
    valid_from: int | None
    valid_to: int | None
    expires_at: int | None
    importance: float
    """Of what was said, that of a memory that has faded: who thought more of it made a memory of it."""
    fades_from: int | None
    """Since when its importance fades; None where it does not."""
    trust: float
    status: str
    vector: Vector | None
    """Of unit length; None until it is embedded."""

    @property
    def spot(self) -> str:
        """Its place in its thread as one value; empty outside of threads."""
        return f"{self.thread}#{self.place}" if self.thread else ""

    @property
    def scope(self) -> str:
        return scope_key(self.agent, self.user)


def scope_key(agent: str, user: str) -> str:
    """An agent and one of its users as one value: agents' ids hold no slash, so no two pairs are alike."""
    return f"{agent}/{user}"


def micros(moment: datetime) -> int:
    """Microseconds since 1970."""
    delta = moment - _EPOCH
    return (delta.days * 86400 + delta.seconds) * 1_000_000 + delta.microseconds


def moment(micros: int) -> datetime:
    """The inverse of `micros`."""
    return datetime.fromtimestamp(micros // 1_000_000, UTC).replace(microsecond=micros % 1_000_000)


def single(number: float) -> float:
    """A share as LanceDB keeps it, in single precision, so that a comparison comes out alike in memory and there."""
    return float(np.float32(number))


def load(connection: Connection, items: Iterable[Item], space: str) -> dict[str, ArchiveRow | None]:
    """The rows of `items` as they stand, by id; None for those that are gone or withheld.

    `space` is the fingerprint of the embedder whose vectors are wanted.
    """
    wanted = list(items)
    out: dict[str, ArchiveRow | None] = {item: None for _, item in wanted}
    for kind, found in current_rows(connection, wanted):
        out.update((row.id, row) for row in _made(connection, kind, found, space))
    return out


def load_all(
    connection: Connection, kind: Kind, space: str, *, after: int, until: int, limit: int
) -> tuple[list[ArchiveRow], int | None]:
    """The next rows of a table in the order in which they were written, and where the ones after them start.

    `after` and `until` are row numbers; the second result is None at the end.
    """
    table = _table(kind)
    wanted = table.c.row.between(after + 1, until)
    found = connection.execute(select(table).where(current(table), wanted).order_by(table.c.row).limit(limit)).all()
    return _made(connection, kind, found, space), found[-1].row if len(found) == limit else None


def newest(connection: Connection, kind: Kind) -> int:
    """The number of the newest row of a table."""
    return int(connection.execute(select(func.max(_table(kind).c.row))).scalar() or 0)


def count(connection: Connection, kind: Kind, most: int | None = None) -> int:
    """How many rows of a table hold now and have words; counting stops at `most`."""
    table = _table(kind)
    some = select(table.c.row).where(current(table), table.c.text != "").limit(most).subquery()
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())


def passages_of(connection: Connection, scope: Scope, statuses: Sequence[str], most: int) -> list[str]:
    """The ids of at most `most` passages of a scope, whichever come first."""
    table = tables.passages
    mine = (table.c.stream == scope.agent, table.c.user == scope.user, table.c.status.in_(statuses), current(table))
    return list(connection.execute(select(table.c.id).where(*mine).limit(most)).scalars())


def _table(kind: Kind) -> Any:
    return tables.passages if kind == "passage" else tables.messages


def current_rows(
    connection: Connection, items: Sequence[Item], columns: dict[Kind, list[str]] | None = None
) -> Iterator[tuple[Kind, Sequence[Row[Any]]]]:
    """The rows of `items` that hold now, whole or in some of their columns."""
    for kind, names in (columns or {"passage": [], "message": []}).items():
        for some in batches([item for of, item in items if of == kind]):
            yield kind, connection.execute(_by_id(kind, *names), {"ids": some}).all()


@cache
def _by_id(kind: Kind, *names: str) -> Select[Any]:
    """The statement that reads the rows `ids`, or the named columns of them. Made once: it runs before every turn."""
    table = _table(kind)
    wanted = [table.c[name] for name in names] or [table]
    return select(*wanted).where(table.c.id.in_(bindparam("ids", expanding=True)), current(table))


_WITHHELD = select(tables.withheld.c.item, tables.withheld.c.part).where(
    tables.withheld.c.item.in_(bindparam("ids", expanding=True)), current(tables.withheld)
)
_VECTORS = select(tables.vectors.c.item, tables.vectors.c.vector).where(
    tables.vectors.c.item.in_(bindparam("ids", expanding=True)), tables.vectors.c.space == bindparam("space")
)


def _made(connection: Connection, kind: Kind, found: Sequence[Row[Any]], space: str) -> list[ArchiveRow]:
    told = with_words(connection, found)
    vectors = _vectors(connection, [row.id for row in told], space)
    make = _passage if kind == "passage" else _message
    return [make(row, vectors.get(row.id)) for row in told]


def with_words(connection: Connection, found: Sequence[Row[Any]]) -> list[Row[Any]]:
    """Those of the rows that have words, none of which are withheld, and not all erased."""
    hidden = _withheld(connection, [row.id for row in found])
    said_something = [row for row in found if row.text and not is_erased(row.text)]
    return [row for row in said_something if not _hides_words(row, hidden.get(row.id, set()))]


def _hides_words(row: Row[Any], hidden: set[int | None]) -> bool:
    """Whether something of the row's own words is withheld; a note or a block in a message is none of them."""
    if None in hidden:
        return True
    rest = [part for place, part in enumerate(row.parts) if place not in hidden] if hidden else []
    return bool(hidden) and said(rest) != said(row.parts)


def _withheld(connection: Connection, ids: list[str]) -> dict[str, set[int | None]]:
    out: dict[str, set[int | None]] = {}
    for some in batches(ids):
        for row in connection.execute(_WITHHELD, {"ids": some}):
            out.setdefault(row.item, set()).add(row.part)
    return out


def _vectors(connection: Connection, ids: list[str], space: str) -> dict[str, Vector]:
    out: dict[str, Vector] = {}
    for some in batches(ids):
        for item, blob in connection.execute(_VECTORS, {"ids": some, "space": space}):
            out[item] = np.frombuffer(blob, np.float32)
    return out


def batches(ids: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


def _passage(row: Row[Any], vector: Vector | None) -> ArchiveRow:
    if row.document:
        thread, place = row.document, row.chunk or 0
    elif row.session is not None and row.ordinal is not None:
        # What was said is numbered by session too; what memory work made of it is a thread of its own.
        told = row.kind == "episode" and not row.speaker
        thread, place = f"{row.conversation}/{'told/' if told else ''}{row.session}", row.ordinal
    else:
        thread, place = "", 0
    return ArchiveRow(
        "passage",
        row.id,
        row.stream,
        row.user,
        row.conversation or "",
        thread,
        place,
        row.speaker or "",
        "",
        row.kind,
        list(row.tags),
        row.text,
        *_shaped(row.text),
        _time(row.event_time or row.created_at) or 0,
        _time(row.valid_from),
        _time(row.valid_to),
        _time(row.expires_at),
        single(row.importance),
        _time(row.used_at or row.created_at) if fades(row) else None,
        single(row.trust),
        row.status,
        vector,
    )


def fades(row: Row[Any]) -> bool:
    """Whether a passage loses importance with time: not what is to stay, what was imported as a document, and rules."""
    return not row.permanent and row.kind not in LASTING


def _message(row: Row[Any], vector: Vector | None) -> ArchiveRow:
    return ArchiveRow(
        "message",
        row.id,
        row.stream,
        row.user,
        row.conversation,
        f"{row.conversation}/{row.session}",
        row.ordinal,
        row.role,
        row.role,
        "",
        [],
        row.text,
        *_shaped(row.text),
        _time(row.at) or 0,
        None,
        None,
        None,
        single(FLOOR),
        None,
        0.5,
        "active",
        vector,
    )


def _shaped(text: str) -> tuple[str, int, int, bool]:
    found = terms(text)
    return term_string(found), len(found), count_words(text), text.rstrip().endswith(("?", "？"))


def _time(text: str | None) -> int | None:
    return micros(parse_stamp(text)) if text else None


def sample_key(item: str) -> bytes:
    """Orders ids at random, yet always alike: the first k of any set are a fair sample of it."""
    return hashlib.blake2b(item.encode(), digest_size=8).digest()
