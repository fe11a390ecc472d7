"""The archive: passages and the log, found by meaning, words and conditions.

What is archived goes through a transaction of the journal, which acknowledges it; LanceDB follows. `view` is what this
process sees, `keeper` is what writes, `ranking` decides the order of results.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..clock import Clock
from ..errors import ArchiveError, EmbedderFailed, PagekeeperError
from ..journal.events import Writer
from ..journal.journal import Journal, Transaction
from ..scope import Scope
from ..text import check_text
from . import passages, rows, vectors
from .chunks import chunk
from .embedders.base import Embedder
from .filters import Condition, conditions, literals
from .keeper import FLUSH_ROWS, Keeper, Progress
from .passages import Draft, Prepared
from .query import Hit, Kind, Query
from .ranking import pipeline
from .ranking.gate import WEAK
from .ranking.question import Question, read
from .ranking.scene import Candidate, Scene
from .ranking.twins import without_twins
from .ranking.weights import DEFAULT, Weights
from .rows import Vector, scope_key
from .state import ArchiveState
from .statistics import Statistics
from .view import View

if TYPE_CHECKING:
    from .store import Generation

FLUSH_SECONDS = 0.25
"""How long a change waits for others to be flushed with."""
PATIENCE = 5.0
"""Seconds that a process waits with a first few changes before it imports LanceDB for them."""
IDLE_SECONDS = 30.0
"""Seconds without a change after which the tables are put in order."""
RESIDENT = 2000
"""Rows up to which all are searched in memory."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """A query as the parts of a search need it."""

    question: Question
    vector: Vector | None
    wanted: list[Condition]
    kinds: list[Kind]
    statistics: Statistics
    scope: str

    @property
    def conditions(self) -> list[Condition]:
        """Those for rows in memory, where both kinds are on one shelf."""
        return [*self.wanted, Condition("", lambda row: row.table in self.kinds)]


class Archive:
    """The archive of a home, as one process uses it."""

    def __init__(
        self, journal: Journal, embedder: Embedder, clock: Clock, view: View, *, weights: Weights, patience: float
    ) -> None:
        self.journal = journal
        self.clock = clock
        self.trouble: str | None = None
        """Why the last work in the background failed, until it succeeds."""
        self._weights = weights
        self._patience = patience
        self._view = view
        self._keeper = Keeper(view, embedder)
        self._changed = asyncio.Event()
        self._background: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        journal: Journal,
        embedder: Embedder,
        *,
        clock: Clock,
        weights: Weights = DEFAULT,
        resident: int = RESIDENT,
        patience: float = PATIENCE,
        background: bool = True,
        check: bool = True,
    ) -> Archive:
        """Open the archive of the journal's home; nothing slow happens here.

        `resident` is the number of rows up to which all are searched in memory. Without `background` nothing is
        flushed or maintained unless it is asked for. Without `check` it opens whatever the embedder is, so that
        `reembed` can mend it; searches then go by words alone. Raises EmbedderMismatch.
        """
        known = await journal.read(vectors.current_space)
        if check:
            vectors.check(known, embedder.fingerprint)
        view = View(journal, embedder.fingerprint if check else known or embedder.fingerprint, resident)
        archive = cls(journal, embedder, clock, view, weights=weights, patience=patience)
        if background:
            archive._background = asyncio.create_task(archive._tend(), name="archive")
        return archive

    # -- writing ----------------------------------------------------------------------------------

    async def prepare(self, texts: Sequence[str]) -> list[Prepared]:
        """Chunk and embed `texts`, so that a transaction can add them.

        If the embedder fails they come without vectors: they are found by their words, and embedded later.
        Raises InvalidText.
        """
        chunked = [chunk(check_text(text, "The text of a passage", empty=False)) for text in texts]
        found = await self._keeper.embed([piece for pieces in chunked for piece in pieces])
        made, out = iter(found or ()), []
        for text, pieces in zip(texts, chunked, strict=True):
            own = tuple(next(made, None) for _ in pieces)
            out.append(Prepared(text, tuple(pieces), own, self._view.space))
        return out

    def add(
        self,
        tx: Transaction,
        scope: Scope,
        drafts: Sequence[Draft],
        prepared: Sequence[Prepared] | None = None,
        *,
        writer: Writer = "agent",
        turn: str | None = None,
        step: int | None = None,
    ) -> list[str]:
        """`passages.add`, and have the rows flushed soon."""
        ids = passages.add(tx, scope, drafts, prepared, writer=writer, turn=turn, step=step)
        self.touch()
        return ids

    def touch(self) -> None:
        """Say that something for the archive has been, or is being, committed. Any thread may say it."""
        loop = self._background.get_loop() if self._background else None
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._changed.set)

    async def embed_messages(self) -> int:
        """Embed what was said since the last time, and passages that have no vector yet; returns how many got one."""
        done = await self._keeper.embed_missing()
        self.touch()
        return done

    async def flush(self) -> int:
        """Bring what is pending into LanceDB now; returns how many changes that were."""
        return await self._keeper.flush()

    async def maintain(self) -> None:
        """Put the tables in order now, if this process is, or can be, the one that writes."""
        await self._keeper.maintain(all_of_it=True)

    async def tables(self) -> Generation | None:
        """LanceDB's tables as they are now, for those who measure them; None before the first. Raises ArchiveBroken."""
        await self._view.catch_up()
        return await self._keeper.tables()

    async def rebuild(self, progress: Progress | None = None) -> None:
        """Make the tables again from the journal. Raises ArchiveError while another process writes."""
        await self._keeper.rebuild(progress)
        self.trouble = None

    async def reembed(self, embedder: Embedder, progress: Progress | None = None) -> None:
        """Embed everything anew with `embedder`, and use that from then on.

        Raises EmbedderFailed, and then the archive is as it was; ArchiveError while another process writes.
        """
        await self._keeper.reembed(embedder, progress)

    # -- searching --------------------------------------------------------------------------------

    async def is_empty(self) -> bool:
        """Whether there is nothing to find, in any scope."""
        await self._view.catch_up()
        return self._view.empty()

    async def search(self, query: Query, *, explain: bool = False) -> list[Hit]:
        """The results for `query`, best first. Every condition holds before the limit does.

        With `explain` each tells what every step of the ranking contributed. Raises ArchiveBroken.
        """
        if query.limit <= 0 or not query.tables:
            return []
        await self._view.catch_up()
        if self._view.empty():
            return []
        if self._view.memory.pending(self._view.position.watermark):
            self._changed.set()
        now = self.clock.now()
        wanted = conditions(query, now)
        statistics = await self._statistics(query.scope)
        question = await self._view.run(read, query.text, statistics, self._weights, now, query.scope.timezone)
        vector = await self._embed_query(question)
        kinds = _kinds(query)
        looked = _Looked(question, vector, wanted, kinds, statistics, scope_key(query.scope.agent, query.scope.user))
        candidates = await self._view.run(self._in_memory, looked)
        tables = None if self._view.resident else await self._keeper.tables()
        where = await self._where(wanted)
        if tables is not None:
            candidates += await self._in_tables(tables, where, looked)
        scene = await self._view.run(self._fused, looked, candidates)
        if spots := pipeline.spots_beside(scene):
            beside = await self._view.run(self._beside_in_memory, looked, spots)
            if tables is not None:
                beside += [row for kind in kinds for row in await tables.beside(kind, where, spots)]
            scene = await self._view.run(self._fused, looked, candidates, beside)
        ranked = await self._view.run(pipeline.ranked, scene, 2 * query.limit)
        return await self._shown(query, ranked, explain=explain)

    def _in_memory(self, looked: _Looked) -> list[Candidate]:
        shelf = self._view.memory.shelf(looked.scope)
        if shelf is None:
            return []
        question = looked.question
        return list(shelf.search(question.terms, looked.vector, looked.conditions, self._weights, looked.statistics))

    def _beside_in_memory(self, looked: _Looked, spots: Sequence[str]) -> list[Candidate]:
        shelf = self._view.memory.shelf(looked.scope)
        return list(shelf.beside(spots, looked.conditions)) if shelf else []

    def _fused(self, looked: _Looked, candidates: Sequence[Candidate], beside: Sequence[Candidate] = ()) -> Scene:
        return pipeline.fused(looked.question, looked.vector, candidates, looked.statistics, self._weights, beside)

    async def _statistics(self, scope: Scope) -> Statistics:
        key = scope_key(scope.agent, scope.user)
        with contextlib.suppress(ArchiveError):
            return await self._view.statistics(key)
        if not self._view.resident:
            await self._keeper.tables()  # made again if they are gone; an error that says what to do if they are broken
        return await self._view.statistics(key)

    async def _embed_query(self, question: Question) -> Vector | None:
        if not question.masked.strip() or self._keeper.embedder.fingerprint != self._view.space:
            return None
        try:
            (vector,) = vectors.unit(await self._keeper.embedder.embed_queries([question.masked]))
        except EmbedderFailed as error:
            self._keeper.failure = str(error)
            return None
        return vector if vector.any() else None

    async def _where(self, wanted: list[Condition]) -> str:
        """The conditions for LanceDB, and that this process does not know better."""
        newer = await self._view.run(self._view.memory.ids)
        parts = [one.sql for one in wanted]
        if newer:
            parts.append(f"id NOT IN ({literals(sorted(newer))})")
        return " AND ".join(parts)

    async def _in_tables(self, tables: Generation, where: str, looked: _Looked) -> list[Candidate]:
        arm = self._weights.arm
        vector = looked.vector
        searches = []
        for kind in looked.kinds:
            if looked.question.terms:
                searches.append(tables.holding(kind, where, looked.question.terms, arm))
            if vector is not None and len(vector) == tables.dimension:
                searches.append(tables.near(kind, where, vector, arm))
            if not looked.question.terms and vector is None:
                searches.append(tables.sample(kind, where, arm))
        return [row for found in await asyncio.gather(*searches) for row in found]

    async def _shown(self, query: Query, ranked: list[pipeline.Ranked], *, explain: bool) -> list[Hit]:
        """The results with their texts, which come from the journal: what was withheld a moment ago is not shown."""
        items: list[rows.Item] = [(one.row.table, one.row.id) for one in ranked]
        if not items:
            return []
        shown = await self.journal.read(lambda connection: rows.show(connection, items))
        there = [one for one in ranked if one.row.id in shown and shown[one.row.id].status in query.statuses]
        chosen = without_twins([shown[one.row.id].text for one in there], query.limit)
        out = []
        for one in (there[place] for place in chosen):
            row = shown[one.row.id]
            out.append(
                Hit(
                    table=one.row.table,
                    id=one.row.id,
                    text=row.text,
                    at=row.at,
                    label=row.label,
                    score=one.score,
                    weak=one.gate.relevance() < WEAK,
                    gate=one.gate,
                    conversation=row.conversation,
                    tags=row.tags,
                    status=row.status,
                    explain=one.explain if explain else {},
                )
            )
        return out

    # -- state ------------------------------------------------------------------------------------

    async def state(self) -> ArchiveState:
        """How the archive is; it raises nothing for tables that are missing or broken, but says so."""
        position = await self._view.catch_up()
        state = ArchiveState(
            generation=position.generation,
            embedder=self._view.space,
            passages=0,
            messages=0,
            pending=self._keeper.pending(),
            unembedded=len(await self._view.run(self._view.memory.unembedded)),
            vector_parts=None,
            bytes=await asyncio.to_thread(_size, self._view),
            keeper=self._keeper.holds,
            embedder_failure=self._keeper.failure,
        )
        if not position.generation:
            return state
        try:
            generation = await self._view.generation()
            assert generation is not None
            from .upkeep import vector_parts

            parts = [await vector_parts(generation, kind) or 0 for kind in ("passage", "message")]
            missing = sum([await generation.count(kind, "embedded = false") for kind in ("passage", "message")])
            return replace(
                state,
                passages=await generation.count("passage"),
                messages=await generation.count("message"),
                unembedded=state.unembedded if self._view.resident else max(state.unembedded, missing),
                vector_parts=max(parts) or None,
            )
        except ArchiveError as error:
            return replace(state, broken=error.message)

    async def close(self) -> None:
        """Stop the work in the background, and let other processes write. What is pending stays in the journal."""
        if self._background is not None:
            self._background.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._background
            self._background = None
        if self._view.loaded() and self._keeper.holds:
            with contextlib.suppress(PagekeeperError):
                await self._keeper.flush()
        await self._view.close()
        self._keeper.close()

    # -- in the background ------------------------------------------------------------------------

    async def _tend(self) -> None:
        """Flush what is committed, a moment after the first change of several; keep the tables in order."""
        with contextlib.suppress(PagekeeperError):
            await self._view.catch_up()
            if not self._view.resident:
                await self._view.generation()
        if self._keeper.pending():
            self._changed.set()
        started = asyncio.get_running_loop().time()
        while True:
            try:
                # Not wait_for: in Python 3.11 it can lose a cancellation, and closing would wait for ever.
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                await self._quietly(all_of_it=True)
                continue
            self._changed.clear()
            await asyncio.sleep(FLUSH_SECONDS)
            left = started + self._patience - asyncio.get_running_loop().time()
            if left > 0 and not self._view.loaded() and self._keeper.pending() < FLUSH_ROWS:
                await asyncio.sleep(left)
            await self._quietly()

    async def _quietly(self, *, all_of_it: bool = False) -> None:
        """Embed, flush and maintain; what goes wrong is kept in `trouble`, since nobody waits for it."""
        try:
            await self._keeper.embed_missing()
            await self._keeper.flush()
            await self._keeper.maintain(all_of_it=all_of_it)
            self.trouble = None
        except PagekeeperError as error:
            self.trouble = str(error)


def _kinds(query: Query) -> list[Kind]:
    """The tables that can hold results at all."""
    kinds = list(dict.fromkeys(query.tables))
    if query.roles and "passage" in kinds:
        kinds.remove("passage")
    if (query.kinds or query.tags or "active" not in query.statuses) and "message" in kinds:
        kinds.remove("message")
    return kinds


def _size(view: View) -> int:
    return sum(path.stat().st_size for path in view.folder.rglob("*") if path.is_file())
