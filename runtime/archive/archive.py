"""The archive: passages and the log, found by meaning, words and conditions.

What is archived goes through a transaction of the journal, which acknowledges it; LanceDB follows. `view` is what this
process sees, `keeper` is what writes, `ranking` decides the order of results.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..background import stop
from ..clock import Clock
from ..errors import PagekeeperError
from ..journal.events import Writer
from ..journal.journal import Journal, Transaction
from ..scope import Scope
from ..text import check_text
from . import passages, vectors
from .beside import beside
from .choices import Kind
from .chunks import chunk
from .drafts import Draft, Prepared
from .embedders.base import Embedder
from .embedding import Embedding
from .keeper import FLUSH_ROWS, Keeper
from .query import Hit, Query
from .ranking.weights import DEFAULT, Weights
from .remaking import Progress
from .search import Searcher
from .state import ArchiveState, read_state
from .tending import IDLE_SECONDS, Tending
from .view import View

if TYPE_CHECKING:
    from .store import Generation

RESIDENT = 2000
"""Rows of a table up to which all of them are searched in memory."""


class Archive:
    """The archive of a home, as one process uses it."""

    def __init__(
        self, journal: Journal, embedder: Embedder, clock: Clock, view: View, *, weights: Weights, idle: float
    ) -> None:
        self.journal = journal
        self.clock = clock
        self._view = view
        self._embedding = Embedding(view, embedder)
        self._keeper = Keeper(view, self._embedding)
        self._searcher = Searcher(view, self._keeper, clock, weights)
        self._tending = Tending(view, self._keeper, idle)
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
        idle: float = IDLE_SECONDS,
        background: bool = True,
        check: bool = True,
    ) -> Archive:
        """Open the archive of the journal's home; nothing slow happens here.

        `resident` is the number of rows up to which all of a table are searched in memory. Without `background` nothing
        is flushed or maintained unless it is asked for. Without `check` it opens whatever the embedder is, so that
        `reembed` can mend it; searches then go by words alone. Raises EmbedderMismatch.
        """
        known = await journal.read(vectors.current_space)
        if check:
            vectors.check(known, embedder.fingerprint)
        view = View(journal, embedder.fingerprint if check else known or embedder.fingerprint, resident)
        archive = cls(journal, embedder, clock, view, weights=weights, idle=idle)
        if background:
            archive._background = asyncio.create_task(archive._tending.run(), name="archive")
        return archive

    # -- writing ----------------------------------------------------------------------------------

    async def prepare(self, texts: Sequence[str]) -> list[Prepared]:
        """Chunk and embed `texts`, so that a transaction can add them.

        If the embedder fails they come without vectors: they are found by their words, and embedded later.
        Raises InvalidText.
        """
        chunked = [chunk(check_text(text, "The text of a passage", empty=False)) for text in texts]
        found = await self._embedding.passages([piece for pieces in chunked for piece in pieces])
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
            loop.call_soon_threadsafe(self._tending.changed.set)

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

    async def settle(self) -> None:
        """Do now what would soon be done in the background, for a process that archived much and is about to end.

        A few changes are left pending. What goes wrong is kept in `trouble`: nothing is lost by it.
        """
        await self._view.catch_up()
        if self._keeper.pending() >= FLUSH_ROWS:
            await self._tending.settle()

    async def tables(self) -> Generation | None:
        """LanceDB's tables as they are now, for those who measure them; None before the first. Raises ArchiveBroken."""
        await self._view.catch_up()
        return await self._keeper.tables()

    async def rebuild(self, progress: Progress | None = None) -> None:
        """Make the tables again from the journal. Raises ArchiveError while another process writes."""
        await self._keeper.rebuild(progress)
        self.trouble = None

    async def claim(self) -> None:
        """Be the process that writes to LanceDB, from now until this is closed. Raises ArchiveError."""
        await self._keeper.claim()

    async def renew(self) -> None:
        """`rebuild`, where there are tables; and nothing is left of older ones. Raises ArchiveError."""
        await self._keeper.renew()
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
        hits = await self._searcher.search(query, explain=explain)
        if self._view.memory.newest > self._view.position.watermark:
            self._tending.changed.set()
        return hits

    async def whole(self, query: Query) -> list[Hit] | None:
        """All that meets the conditions of `query`, whatever its text; None where that is more than its limit.

        Raises ArchiveBroken.
        """
        return await self._searcher.whole(query)

    async def show(self, items: Sequence[tuple[Kind, str]]) -> list[Hit]:
        """These passages and messages as results, without those that are gone or withheld."""
        return await self._searcher.show(items)

    async def beside(self, scope: Scope, ids: Sequence[str]) -> list[Hit]:
        """The episodes that were told just before and after these passages, where these are episodes."""
        near = await self._view.journal.read(lambda connection: beside(connection, scope, ids))
        return await self.show([("passage", one) for one in near])

    # -- state ------------------------------------------------------------------------------------

    @property
    def trouble(self) -> str | None:
        """Why the last work in the background failed, until it succeeds."""
        return self._tending.trouble

    @trouble.setter
    def trouble(self, words: str | None) -> None:
        self._tending.trouble = words

    async def state(self) -> ArchiveState:
        """How the archive is; it raises nothing for tables that are missing or broken, but says so."""
        return await read_state(self._view, self._keeper)

    async def close(self) -> None:
        """Stop the work in the background, and let other processes write. What is pending stays in the journal."""
        await stop(self._background)
        self._background = None
        if self._view.loaded() and self._keeper.holds:
            with contextlib.suppress(PagekeeperError):
                await self._keeper.flush()
                # Many short processes leave as many fragments as one long one, and no idle moment to merge them in.
                await self._keeper.maintain()
        await self._view.close()
        self._keeper.close()
