"""A search, from the query to its results: what is in memory and what is in LanceDB, ranked together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ..clock import Clock
from ..errors import ArchiveBroken, ArchiveError, EmbedderFailed
from . import rows, vectors
from .choices import Kind
from .filters import Condition, conditions, literals
from .keeper import Keeper
from .query import Hit, Query
from .ranking import pipeline
from .ranking.question import Question, read
from .ranking.scene import Candidate, Scene
from .ranking.weights import Weights
from .results import best_of, show
from .rows import Vector, scope_key
from .statistics import Statistics
from .usual import usual_cosine
from .view import ArchiveMissing, View

if TYPE_CHECKING:
    from .columns import Found
    from .store import Generation

FEW_NEWER = 64
"""Rows in memory up to which LanceDB is told to leave out its own copies of them at once."""
SPARE = 2
"""How many times the wanted number of results is taken from the ranking, since near-duplicates go."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, and what follows from it alone."""

    query: Query
    kinds: list[Kind]
    now: datetime
    scope: str
    wanted: list[Condition]

    @classmethod
    def of(cls, query: Query, kinds: list[Kind], now: datetime) -> _Asked:
        return cls(query, kinds, now, scope_key(query.scope.agent, query.scope.user), conditions(query, now))

    @property
    def every(self) -> list[Condition]:
        """All that a row must meet."""
        return [*self.wanted, Condition("", lambda row: row.table in self.kinds)]

    @property
    def most(self) -> int:
        """Results that are ranked."""
        return SPARE * self.query.limit


@dataclass(frozen=True, slots=True)
class _Looked:
    """A query as the parts of a search need it."""

    asked: _Asked
    question: Question
    vector: Vector | None
    usual: float
    """The embedder's cosine of texts that have nothing to do with each other."""
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class _Known:
    """What memory holds at one moment, so that no row that is flushed meanwhile is lost between the two."""

    stored: list[Kind]
    """The kinds that are to be searched in LanceDB as well."""
    newer: set[str]
    """The rows of which LanceDB's own copy does not count."""
    found: list[Candidate]


class Searcher:
    """Searches the archive as one process sees it."""

    def __init__(self, view: View, keeper: Keeper, clock: Clock, weights: Weights) -> None:
        self._view = view
        self._keeper = keeper
        self._embedding = keeper.embedding
        self._clock = clock
        self._weights = weights
        self._usual: tuple[str, float] | None = None
        """The fingerprint of the embedder, and what cosine is usual with it."""

    async def search(self, query: Query, *, explain: bool) -> list[Hit]:
        """See `Archive.search`."""
        kinds = _kinds(query)
        if query.limit <= 0 or not kinds:
            return []
        asked = _Asked.of(query, kinds, self._clock.now())
        was, nothing = await self._view.look(lambda: (self._view.position.generation, self._nothing(asked)))
        if nothing:
            return []
        try:
            return await self._search(asked, explain=explain)
        except ArchiveBroken as error:
            # The tables may have been replaced, or removed, in the middle of it.
            if (await self._view.catch_up()).generation == was and not isinstance(error, ArchiveMissing):
                raise
            return await self._search(asked, explain=explain)

    async def whole(self, query: Query) -> list[Hit] | None:
        """See `Archive.whole`."""
        kinds = _kinds(query)
        asked = _Asked.of(query, kinds, self._clock.now())
        items = await self._view.look(lambda: self._items(asked))
        if items is None:
            # Counting is cheap, and mostly there are many.
            most = query.limit + len(query.exclude) + 1
            read = partial(rows.passages_of, scope=query.scope, statuses=query.statuses, most=most)
            if len(set(await self._view.journal.read(read)) - query.exclude) > query.limit:
                return None
            found = await self.search(replace(query, text="", limit=query.limit + 1), explain=False)
        elif len(items) > query.limit:
            return None
        else:
            found = [hit for hit in await self.show(items) if hit.status in query.statuses]
        return found if len(found) <= query.limit else None

    async def show(self, items: Sequence[rows.Item]) -> list[Hit]:
        """See `Archive.show`."""
        shown = await self._view.journal.read(partial(show, items=items))
        return [shown[item_id] for _, item_id in items if item_id in shown]

    def _items(self, asked: _Asked) -> list[rows.Item] | None:
        """What meets the conditions, newest first, up to one more than is wanted; None if not all is in memory."""
        if not self._view.resident.issuperset(asked.kinds):
            return None
        shelf, every = self._view.memory.shelf(asked.scope), asked.every
        met = (row for row in shelf.rows.values() if all(one.accepts(row) for one in every)) if shelf else iter(())
        found = sorted(islice(met, asked.query.limit + 1), key=lambda row: (-row.at, row.id))
        return [(row.table, row.id) for row in found]

    async def _search(self, asked: _Asked, *, explain: bool) -> list[Hit]:
        # What was said a moment ago may have no vector yet.
        await self._embedding.few()
        statistics = await self._statistics(asked.scope)
        question = await self._view.run(self._read, asked, statistics)
        looked = _Looked(asked, question, *await self._embed(question), statistics)
        known = await self._view.run(self._known, looked)
        tables = await self._keeper.tables() if known.stored else None
        if tables is None:
            ranked = await self._view.run(self._in_memory, looked, known.found)
        else:
            ranked = await self._in_both(tables, looked, known)
        if not ranked:
            return []
        # The texts come from the journal: what was withheld a moment ago is not shown.
        shown = await self._view.journal.read(partial(show, items=[(one.row.table, one.row.id) for one in ranked]))
        return best_of(ranked, shown, asked.query, self._weights, explain=explain)

    def _nothing(self, asked: _Asked) -> bool:
        """Whether it is certain at once that nothing meets the conditions."""
        if not self._view.resident.issuperset(asked.kinds):
            return False
        shelf, every = self._view.memory.shelf(asked.scope), asked.every
        rest = (row for item, row in shelf.rows.items() if item not in asked.query.exclude) if shelf else ()
        return not any(all(one.accepts(row) for one in every) for row in rest)

    def _read(self, asked: _Asked, statistics: Statistics) -> Question:
        english, query = self._embedding.embedder.english_only, asked.query
        return read(query.text, statistics, self._weights, asked.now, query.scope.timezone, english)

    async def _statistics(self, scope: str) -> Statistics:
        try:
            return await self._view.statistics(scope)
        except ArchiveError:
            await self._keeper.tables()  # made again if they are gone; says what to do if they are broken
            return await self._view.statistics(scope)

    async def _embed(self, question: Question) -> tuple[Vector | None, float]:
        """The question's vector, and what cosine is usual with its embedder."""
        embedder = self._embedding.embedder
        if not question.masked.strip() or not question.meaning or embedder.fingerprint != self._view.space:
            return None, 0.0
        try:
            (vector,) = vectors.unit(await embedder.embed_queries([question.masked]))
            if self._usual is None or self._usual[0] != embedder.fingerprint:
                self._usual = embedder.fingerprint, await usual_cosine(self._view.journal, embedder)
        except EmbedderFailed as error:
            self._embedding.failure = str(error)
            return None, 0.0
        return (vector if vector.any() else None), self._usual[1]

    # -- in memory alone: on the thread that owns it ------------------------------------------------

    def _known(self, looked: _Looked) -> _Known:
        stored = [kind for kind in looked.asked.kinds if kind in self._view.stored]
        return _Known(stored, self._view.memory.ids(stored), self._candidates(looked))

    def _in_memory(self, looked: _Looked, found: list[Candidate]) -> list[pipeline.Ranked]:
        scene = self._fused(looked, found)
        if spots := pipeline.spots_beside(scene):
            scene = self._fused(looked, found, self._beside(looked, spots))
        return pipeline.ranked(scene, looked.asked.most, looked.usual)

    def _candidates(self, looked: _Looked) -> list[Candidate]:
        shelf = self._view.memory.shelf(looked.asked.scope)
        if shelf is None:
            return []
        question, every = looked.question, looked.asked.every
        return list(shelf.search(question.terms, looked.vector, every, self._weights, looked.statistics))

    def _beside(self, looked: _Looked, spots: Sequence[str]) -> list[Candidate]:
        shelf = self._view.memory.shelf(looked.asked.scope)
        return list(shelf.beside(spots, looked.asked.every)) if shelf else []

    def _fused(self, looked: _Looked, found: Sequence[Candidate], beside: Sequence[Candidate] = ()) -> Scene:
        return pipeline.fused(looked.question, looked.vector, found, looked.statistics, self._weights, beside)

    # -- in memory and in LanceDB ---------------------------------------------------------------------

    async def _in_both(self, tables: Generation, looked: _Looked, known: _Known) -> list[pipeline.Ranked]:
        where = _where(looked.asked.wanted, looked.asked.query.exclude)
        found = known.found + await self._from_tables(tables, known, where, looked)
        scene = await self._view.run(self._fused, looked, found)
        if spots := pipeline.spots_beside(scene):
            beside = await self._view.run(self._beside, looked, spots)
            for kind in known.stored:
                beside += await _older(known.newer, where, partial(tables.beside, kind, spots=spots))
            scene = await self._view.run(self._fused, looked, found, beside)
        return await self._view.run(pipeline.ranked, scene, looked.asked.most, looked.usual)

    async def _from_tables(self, tables: Generation, known: _Known, where: str, looked: _Looked) -> list[Candidate]:
        arm = self._weights.arm
        terms, vector = looked.question.terms, looked.vector
        asks: list[Callable[[str], Awaitable[list[Found]]]] = []
        for kind in known.stored:
            if terms:
                asks.append(partial(tables.holding, kind, terms=terms, limit=arm))
            if vector is not None and len(vector) == tables.dimension:
                asks.append(partial(tables.near, kind, vector=vector, limit=arm))
            if not terms and vector is None:
                asks.append(partial(tables.sample, kind, limit=arm))
        answers = await asyncio.gather(*(_older(known.newer, where, ask) for ask in asks))
        return [row for found in answers for row in found]


def _kinds(query: Query) -> list[Kind]:
    """The tables that can hold results at all."""
    kinds = list(dict.fromkeys(query.tables))
    if query.roles and "passage" in kinds:
        kinds.remove("passage")
    if (query.kinds or query.tags or "active" not in query.statuses) and "message" in kinds:
        kinds.remove("message")
    return kinds


async def _older(newer: set[str], where: str, ask: Callable[[str], Awaitable[list[Found]]]) -> list[Found]:
    """What LanceDB answers, without the rows that memory knows better, which take no place of another.

    Many of them in a condition take LanceDB long, and most are not in the tables at all: so they are looked for in the
    answer first.
    """
    if len(newer) > FEW_NEWER:
        found = await ask(where)
        if not any(row.id in newer for row in found):
            return found
    return await ask(f"{where} AND id NOT IN ({literals(sorted(newer))})" if newer else where)


def _where(wanted: list[Condition], unwanted: frozenset[str]) -> str:
    """The conditions for LanceDB."""
    parts = [one.sql for one in wanted if one.sql]
    if unwanted:
        parts.append(f"id NOT IN ({literals(sorted(unwanted))})")
    return " AND ".join(parts)
