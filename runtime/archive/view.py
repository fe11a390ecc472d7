"""What one process sees of the archive: the tables in LanceDB, and in memory what is newer than they are.

The journal's outbox tells what changed. What lies above the watermark in `meta` is not in LanceDB yet; each process
keeps it in memory, and looks for more at every search, so that a row is found as soon as its transaction is committed,
by whichever process. A small archive is kept in memory as a whole, so that nothing waits for LanceDB's import.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from sqlalchemy import Connection, bindparam, func, insert, or_, select, update

from ..errors import ArchiveBroken
from ..journal import tables
from ..journal.journal import Journal
from ..journal.statement import Statement
from . import rows
from .choices import TABLES, Kind
from .filters import literal
from .memory import Memory
from .rows import ArchiveRow, Item
from .statistics import SAMPLE, Counted, Statistics
from .vectors import SPACE, check

if TYPE_CHECKING:
    from .store import Generation

T = TypeVar("T")

REBUILD = "Nothing is lost: run `pagekeeper doctor --rebuild` to make it again from the journal."
"""The hint of an archive that is broken."""

GENERATION = "archive.generation"
WATERMARK = "archive.watermark"
MAINTAINED = "archive.maintained"
"""When the tables were last put in order."""

# Both are asked before every turn.
_POSITION = Statement(
    select(tables.meta.c.key, tables.meta.c.value).where(
        or_(*(tables.meta.c.key == key for key in (SPACE, GENERATION, WATERMARK)))
    )
)
_ENTRIES = Statement(
    select(tables.outbox.c.n, tables.outbox.c.kind, tables.outbox.c.item)
    .where(tables.outbox.c.n >= bindparam("after"))
    .order_by(tables.outbox.c.n)
)

_SCOPES = 64
"""Scopes whose figures are kept."""
_LOADED = 500
"""Rows read from the journal at a time, so that other readers get their turn."""


class ArchiveMissing(ArchiveBroken):
    """The tables are gone, or those of another release. No one but the keeper need know: it makes them again."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where the archive stands: which generation is the current one, and which outbox entries are in it."""

    generation: int
    """0 before the first."""
    watermark: int


class View:
    """The archive as this process sees it. Its memory is touched on one thread of its own, `run`."""

    def __init__(self, journal: Journal, space: str, resident: int) -> None:
        self.journal = journal
        self.space = space
        """The fingerprint of the embedder whose vectors are used."""
        self.memory = Memory()
        self.position = Position(0, 0)
        self.folder = journal.home / "archive"
        self.resident: frozenset[Kind] = frozenset()
        """The kinds of which all rows are in memory, so that LanceDB is not needed to search them."""
        self._most_resident = resident
        self._seen: int | None = None
        self._opened: Generation | None = None
        self._statistics: OrderedDict[str, Statistics] = OrderedDict()
        self._looking = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._desk = journal.reader("archive")

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work` on the thread that owns the memory."""
        return await self._desk.run(work, *arguments)

    async def catch_up(self) -> Position:
        """See what is committed by now."""
        return await self.look(lambda: self.position)

    async def look(self, work: Callable[[], T]) -> T:
        """See what is committed by now, and run `work` on the thread that owns the memory, on the same way."""
        async with self._looking:
            if self._seen is None:
                await self._begin()
            seen = self._seen or 0

            def look(connection: Connection) -> tuple[int, T] | None:
                head = self._look(connection, seen)
                return None if head is None else (head, work())

            found = await self._desk.read(look)
            if found is None:
                await self.run(self._clear)
                await self._begin()
                seen = self._seen or 0
                found = await self._desk.read(look)
                assert found is not None
            head, made = found
            self._seen = max(seen, head)
            return made

    def empty(self) -> bool:
        """Whether there is nothing to search, as of the last `catch_up`."""
        return self.position.generation == 0 and not len(self.memory)

    @property
    def stored(self) -> list[Kind]:
        """The kinds of which most rows are in LanceDB alone."""
        return [kind for kind in TABLES if kind not in self.resident]

    def _look(self, connection: Connection, seen: int) -> int | None:
        """Take what is new above the entry `seen`, and return the newest; None if entries above it are gone already."""
        space, position = _read(connection)
        check(space, self.space)
        after = seen if self.resident else max(seen, position.watermark)
        # The entry `after` itself is read as well: if it is gone, so may be some above it.
        entries = _ENTRIES.all(connection, {"after": after})
        if self.resident and after and (not entries or entries[0].n != after):
            return None
        numbers: dict[Item, int] = {(cast(Kind, kind), item): n for n, kind, item in entries if n > after}
        found = rows.load(connection, numbers, self.space) if numbers else {}
        if numbers or position != self.position:
            self._take([(number, item, found[item[1]]) for item, number in numbers.items()], position)
        return entries[-1].n if entries else after

    async def _begin(self) -> None:
        """Take a small table into memory as a whole; of a large one, only what is not in LanceDB."""

        def start(connection: Connection) -> tuple[Position, int, dict[Kind, int]]:
            counts = {kind: rows.count(connection, kind, self._most_resident + 1) for kind in TABLES}
            small = [kind for kind in TABLES if counts[kind] <= self._most_resident]
            top = {kind: rows.newest(connection, kind) for kind in small}
            return read_position(connection), outbox_head(connection), top

        self.position, head, top = await self.journal.read(start)
        self.resident = frozenset(top)
        for kind in top:
            after: int | None = 0
            while after is not None:
                some, after = await self._page(kind, after, top[kind])
                await self.run(self._take, [(0, (kind, row.id), row) for row in some], self.position)
        # What is above the watermark is in memory by now, and must be known by its number, so that it is flushed.
        self._seen = min(head, self.position.watermark)

    async def _page(self, kind: Kind, after: int, until: int) -> tuple[list[ArchiveRow], int | None]:
        return await self.journal.read(
            lambda connection: rows.load_all(connection, kind, self.space, after=after, until=until, limit=_LOADED)
        )

    def _take(self, changed: Iterable[tuple[int, Item, ArchiveRow | None]], position: Position) -> None:
        self.position = position
        for number, item, row in changed:
            self.memory.put(number, item, row)
            if row is not None and row.status == "active" and row.scope in self._statistics:
                self._statistics[row.scope].count(row)
        if position.generation:
            most = 2 * self._most_resident
            self.resident = frozenset(kind for kind in self.resident if self.memory.count(kind) <= most)
        self.memory.drop_through(position.watermark, self.stored)

    async def statistics(self, scope: str) -> Statistics:
        """The figures of a scope."""
        known = self._statistics.get(scope)
        if known is not None and not known.outgrown():
            self._statistics.move_to_end(scope)
            return known
        sampled: list[Counted] = []
        there = 0
        generation = await self.generation() if self.stored else None
        if generation is not None:
            where = f"scope = {literal(scope)} AND status = 'active'"
            counts = {kind: await generation.count(kind, where) for kind in TABLES}
            there = sum(counts.values())
            for kind, count in counts.items():
                if count:
                    sampled += await generation.sample(kind, where, max(1, count * SAMPLE // max(there, SAMPLE)))
        return await self.run(self._count, scope, sampled, there, self.position.watermark if generation else -1)

    def _count(self, scope: str, sampled: list[Counted], there: int, sampled_through: int) -> Statistics:
        made = Statistics(sampled, share=len(sampled) / there if there else 1.0)
        shelf = self.memory.shelf(scope)
        for row in shelf.rows.values() if shelf else ():
            if row.status == "active" and self.memory.number(row) > sampled_through:
                made.count(row)
        self._statistics[scope] = made
        while len(self._statistics) > _SCOPES:
            self._statistics.popitem(last=False)
        return made

    async def generation(self) -> Generation | None:
        """The current tables, open; None before the first. Raises ArchiveBroken."""
        async with self._opening:
            number = self.position.generation
            if self._opened is not None and self._opened.number != number:
                self._opened = None
            if self._opened is None and number:
                await asyncio.to_thread(import_store)
                from .store import Generation

                self._opened = await Generation.open(self.folder, number)
            return self._opened

    def loaded(self) -> bool:
        """Whether the tables are open in this process."""
        return self._opened is not None

    async def reopen(self) -> None:
        """Open the tables anew at the next use; searches that are under way keep theirs until they are done."""
        async with self._opening:
            self._opened = None

    async def start_over(self, space: str) -> None:
        """Forget everything, and see the home with the vectors of `space`."""
        async with self._looking:
            await self.run(self._clear)
            self.space = space
            self._seen = None

    def _clear(self) -> None:
        self.memory = Memory()
        self._statistics.clear()

    async def close(self) -> None:
        async with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None
        await asyncio.to_thread(self._desk.close)


def import_store() -> None:
    """Import LanceDB, which takes over a second: never on the event loop's thread."""
    from . import store  # noqa: F401


def folder_of(archive: Path, number: int) -> Path:
    """The folder of a generation."""
    return archive / f"g{number:06d}"


def read_position(connection: Connection) -> Position:
    """Where the archive stands."""
    return _read(connection)[1]


def _read(connection: Connection) -> tuple[str | None, Position]:
    """The fingerprint of the embedder, if there is one yet, and where the archive stands."""
    found: dict[str, str] = dict(_POSITION.all(connection, {}))
    return found.get(SPACE), Position(int(found.get(GENERATION, 0)), int(found.get(WATERMARK, 0)))


def outbox_head(connection: Connection) -> int:
    """The number of the newest outbox entry."""
    return int(connection.execute(select(func.max(tables.outbox.c.n))).scalar() or 0)


def write_meta(connection: Connection, key: str, value: str) -> None:
    """Set a fact of the home."""
    meta = tables.meta
    if not connection.execute(update(meta).where(meta.c.key == key), {"value": value}).rowcount:
        connection.execute(insert(meta), {"key": key, "value": value})
