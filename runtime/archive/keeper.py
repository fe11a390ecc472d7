"""The writing side of the archive: from the journal to LanceDB, by whichever process holds the lock.

Only one process at a time writes to the tables; the others see what it writes. An operating system's lock decides who,
so that a dead process frees it. What is written here is in the journal already: a crash at any point costs nothing but
doing it again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ..clock import stamp
from ..errors import ArchiveError
from ..failpoint import reach
from ..journal import tables
from ..journal.journal import Transaction
from . import apart, rows
from .apart import NotStarted, Order
from .choices import TABLES
from .embedders.base import Embedder
from .embedding import Embedding
from .remaking import Progress, embed_anew, remake, remove_older
from .rows import ArchiveRow, Item
from .upkeep import Upkeep
from .view import MAINTAINED, WATERMARK, ArchiveMissing, View, read_position, write_meta

if TYPE_CHECKING:
    from .store import Generation

FLUSH_ROWS = 256
"""Pending rows at which they are flushed at once: fewer are not worth a process of their own."""
_BATCH = 1000
"""Rows in one write to LanceDB. Each makes a version of the table, whose parts the next search must look up."""
_PAGE = 2000
"""Rows without a vector that are looked for in LanceDB at a time."""
_TAKEOVER = 120.0
"""Seconds to wait for another process that makes the archive again."""
KEPT = 1000
"""Outbox entries that stay after they were flushed, for processes that have all rows in memory."""


class Keeper:
    """Writes to the tables, keeps them in shape, and makes them again."""

    def __init__(self, view: View, embedding: Embedding) -> None:
        self.view = view
        self.embedding = embedding
        self._lock = FileLock(view.journal.home / "archive.lock", timeout=0, thread_local=False)
        self._writing = asyncio.Lock()
        self._claimed = False
        """Whether the lock stays with this process, so that no other one can do the upkeep for it."""
        self._upkeep = Upkeep()

    # -- the lock ---------------------------------------------------------------------------------

    def hold(self) -> bool:
        """Take the lock, if no other process has it."""
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire()
        except (Timeout, OSError):  # OSError: the home cannot be written
            return False
        return True

    async def claim(self) -> None:
        """Take the lock, once no upkeep of ours goes on, and keep it. Raises ArchiveError where another has it."""
        async with self._alone():
            self._claimed = True

    @property
    def holds(self) -> bool:
        return self._lock.is_locked

    # -- flushing ---------------------------------------------------------------------------------

    def pending(self) -> int:
        """How many changes are not in LanceDB yet, as of the last look."""
        return self.view.memory.pending(self.view.position.watermark)

    async def flush(self, through: int | None = None) -> int:
        """Bring what is pending into LanceDB, up to the outbox entry `through`; returns how many changes were pending.

        It is 0 where there is nothing, where another process holds the lock, and while no vector has come from the
        embedder yet, so that the tables' shape is unknown.
        """
        async with self._writing:
            await self.view.catch_up()
            before = self.pending()
            if not before or not self.hold():
                return 0
            await self.embedding.pending()
            await self.view.catch_up()
            generation = await self._writable()
            if generation is None:
                return 0
            # What is committed from here on waits for the next flush: else a busy home would keep this one going, in
            # ever smaller writes, and nothing would be put in order.
            through = self.view.memory.newest if through is None else through
            watermark = -1
            while watermark < self.view.position.watermark:
                watermark = self.view.position.watermark
                if changes := await self.view.run(self.view.memory.changes, watermark, through, _BATCH):
                    await self._write(generation, changes)
                    await self.view.catch_up()
            return before

    async def work_apart(self, *, all_of_it: bool = False) -> None:
        """Flush and maintain in a process of its own; in this one where none can be started, or the lock is claimed.

        Nothing is done where another process holds the lock. Raises ArchiveError with what went wrong.
        """
        async with self._writing:
            await self.view.catch_up()
            if not self.hold():
                return
            if not self._claimed:
                home, space, through = self.view.journal.home, self.view.space, self.view.memory.newest
                order = Order(home, space, await self.embedding.dimension(space), through, all_of_it)
                self._lock.release(force=True)
                with contextlib.suppress(NotStarted):
                    await apart.run(order)
                    await self.view.catch_up()
                    return
        await self.flush()
        await self.maintain(all_of_it=all_of_it)

    async def _write(self, generation: Generation, changes: list[tuple[int, Item, ArchiveRow | None]]) -> None:
        reach("archive.flush.before_write")
        for kind in TABLES:
            new = [row for _, (of, _), row in changes if of == kind and row is not None]
            gone = [item for _, (of, item), row in changes if of == kind and row is None]
            await generation.upsert(kind, new)
            await generation.delete(kind, gone)
            self._upkeep.took_out(kind, len(gone))
        reach("archive.flush.before_watermark")
        last = changes[-1][0]

        def mark(tx: Transaction) -> None:
            # A newer generation starts with a watermark of its own.
            if read_position(tx.connection).generation == generation.number:
                write_meta(tx.connection, WATERMARK, str(last))

        await self.view.journal.write(mark)
        reach("archive.flush.after_watermark")

    async def _writable(self) -> Generation | None:
        """The tables, made (again) where there are none or their shape is not right; None while that is unknown."""
        dimension = await self.embedding.dimension(self.view.space)
        if dimension is None:
            return None
        generation = None
        if self.view.position.generation:
            with contextlib.suppress(ArchiveMissing):
                generation = await self.view.generation()
        if generation is None or generation.dimension != dimension or not generation.folder.is_dir():
            return await self._rebuild()
        return generation

    async def tables(self) -> Generation | None:
        """The tables as they are, made again from the journal if their folder is gone. Raises ArchiveBroken."""
        try:
            found = await self.view.generation()
            if found is None or found.folder.is_dir():
                return found
        except ArchiveMissing:
            pass
        return await self._made_again()

    async def _made_again(self) -> Generation | None:
        """Have the tables made again, by this process or by the one that holds the lock."""
        was = self.view.position.generation
        async with asyncio.timeout(_TAKEOVER):
            while (await self.view.catch_up()).generation == was:
                async with self._writing:
                    if (await self.view.catch_up()).generation != was:
                        break
                    if self.hold():
                        return await self._rebuild()
                await asyncio.sleep(0.05)
        return await self.view.generation()

    # -- embedding --------------------------------------------------------------------------------

    async def embed_missing(self) -> int:
        """Embed the rows that have no vector yet, those in LanceDB too; returns how many got one."""
        done = await self.embedding.pending()
        if self.view.loaded():
            done += await self._embed_flushed()
        return done

    async def _embed_flushed(self) -> int:
        generation = await self.tables()
        if generation is None:
            return 0
        done = 0
        for kind in TABLES:
            while items := await generation.unembedded(kind, _PAGE):
                load = partial(rows.load, items=[(kind, item) for item in items], space=self.view.space)
                found = (await self.view.journal.read(load)).values()
                embedded = await self.embedding.rows([row for row in found if row is not None and row.vector is None])
                done += embedded
                if not embedded or not await self.flush():
                    break
        return done

    # -- making them again ------------------------------------------------------------------------

    async def rebuild(self, progress: Progress | None = None) -> None:
        """Make the tables again from the journal. Raises ArchiveError while another process holds the lock."""
        async with self._alone():
            await self.view.catch_up()
            await self._rebuild(progress)

    async def renew(self) -> None:
        """Make the tables again, and see that no file of older ones is left. Raises ArchiveError."""
        async with self._alone():
            if (await self.view.catch_up()).generation:
                await self._rebuild()
            left = await asyncio.to_thread(remove_older, self.view)
        if left:
            raise ArchiveError(f"Files of the archive cannot be deleted: {left[0]}.", hint="Delete that folder.")

    async def reembed(self, embedder: Embedder, progress: Progress | None = None) -> None:
        """Embed everything with `embedder`, and search with it from then on.

        Raises EmbedderFailed, and then everything is as it was, except that what was embedded by then need not be
        embedded again. Raises ArchiveError while another process holds the lock.
        """
        async with self._alone():
            await embed_anew(self.view.journal, embedder, progress)
            self.embedding.embedder, self.embedding.failure = embedder, None
            await self._rebuild(space=embedder.fingerprint)
            await self.view.start_over(embedder.fingerprint)
            await self.view.catch_up()

    async def _rebuild(self, progress: Progress | None = None, space: str | None = None) -> Generation:
        space = space or self.view.space
        dimension = await self.embedding.dimension(space) or 1
        return await remake(self.view, self._upkeep, space, dimension, progress)

    @contextlib.asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        async with self._writing:
            if not self.hold():
                raise ArchiveError(
                    "Another process is writing to the archive.", hint="Close the other Pagekeeper of this home first."
                )
            yield

    # -- upkeep -----------------------------------------------------------------------------------

    async def maintain(self, *, all_of_it: bool = False) -> None:
        """Do the upkeep that is due, or with `all_of_it` all that could be. Nothing without the lock."""
        async with self._writing:
            if not self.view.loaded() or not self.hold():
                return
            generation = await self._writable()
            if generation is None:
                return
            runs = self._upkeep.runs
            if await self._upkeep.run(generation, all_of_it=all_of_it):
                await self.view.reopen()
            if self._upkeep.runs > runs:
                await self.view.journal.write(self._done)

    def _done(self, tx: Transaction) -> None:
        """Say when the tables were put in order, and let go of outbox entries that no process needs."""
        outbox = tables.outbox
        tx.connection.execute(outbox.delete().where(outbox.c.n <= self.view.position.watermark - KEPT))
        write_meta(tx.connection, MAINTAINED, stamp(self.view.journal.clock.now()))

    def close(self) -> None:
        """Let another process write."""
        self._lock.release(force=True)
