"""The writing side of the archive: from the journal to LanceDB, by whichever process holds the lock.

Only one process at a time writes to the tables; the others see what it writes. An operating system's lock decides who,
so that a dead process frees it. What is written here is in the journal already: a crash at any point costs nothing but
doing it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from sqlalchemy import Connection

from ..clock import stamp
from ..errors import ArchiveBroken, ArchiveError, EmbedderFailed, HomeError
from ..failpoint import reach
from ..home import subfolder
from ..journal import tables
from ..journal.fold.rows import put_out
from ..journal.journal import Transaction
from . import apart, rows, vectors
from .apart import NotStarted, Order
from .choices import TABLES, Kind
from .embedders.base import Embedder
from .giving_way import GivingWay
from .rows import ArchiveRow, Item, Vector
from .view import (
    GENERATION,
    MAINTAINED,
    WATERMARK,
    ArchiveMissing,
    View,
    folder_of,
    import_store,
    outbox_head,
    read_position,
    write_meta,
)

if TYPE_CHECKING:
    from .store import Generation
    from .upkeep import Upkeep

FLUSH_ROWS = 256
"""Pending rows at which they are flushed at once: fewer are not worth a process of their own."""
FEW = 32
"""Rows without a vector that a search embeds before it looks; more are left to the background."""
_BATCH = 1000
"""Rows in one write to LanceDB. Each makes a version of the table, whose parts the next search must look up."""
_PAGE = 2000
"""Rows that a rebuild reads at a time."""
_EMBEDDED = 256
"""Texts that are embedded at a time."""
_ANEW = 64
"""Rows that are embedded anew until they are kept and it is told how far it is: with a slow embedder, some seconds."""
_RETRY = 60.0
"""Seconds until a failed embedder is tried again."""
_TAKEOVER = 120.0
"""Seconds to wait for another process that makes the archive again."""

KEPT = 1000
"""Outbox entries that stay after they were flushed, for processes that have all rows in memory."""

Progress = Callable[[int, int], None]
"""Is told how many rows are done, and of how many."""


class Keeper:
    """Writes to the tables, embeds what has no vector yet, and keeps the tables in shape."""

    def __init__(self, view: View, embedder: Embedder) -> None:
        self.view = view
        self.embedder = embedder
        self.failure: str | None = None
        """Why the embedder failed the last time, until it works again."""
        self.way = GivingWay()
        self._retry_at = 0.0
        self._lock = FileLock(view.journal.home / "archive.lock", timeout=0, thread_local=False)
        self._writing = asyncio.Lock()
        self._claimed = False
        """Whether the lock stays with this process, so that no other one can do the upkeep for it."""
        self._upkeep: Upkeep | None = None

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
            await self.embed_pending()
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
                    await self.way.before_step()
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
                order = Order(home, space, await self._dimension(), through, all_of_it)
                self._lock.release(force=True)
                with contextlib.suppress(NotStarted):
                    await apart.run(order)
                    await self.view.catch_up()
                    return
        await self.flush()
        await self.maintain(all_of_it=all_of_it)

    async def _write(self, generation: Generation, changes: list[tuple[int, Item, ArchiveRow | None]]) -> None:
        reach("archive.flush.before_write")
        upkeep = self._of_upkeep()
        for kind in TABLES:
            new = [row for _, (of, _), row in changes if of == kind and row is not None]
            gone = [item for _, (of, item), row in changes if of == kind and row is None]
            await generation.upsert(kind, new)
            await generation.delete(kind, gone)
            upkeep.took_out(kind, len(gone))
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
        dimension = await self._dimension()
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
        # Searches wait for this, so it waits for none of them.
        with self.way.hurried():
            return await self._taken_over(was)

    async def _taken_over(self, was: int) -> Generation | None:
        async with asyncio.timeout(_TAKEOVER):
            while (await self.view.catch_up()).generation == was:
                async with self._writing:
                    if (await self.view.catch_up()).generation != was:
                        break
                    if self.hold():
                        return await self._rebuild()
                await asyncio.sleep(0.05)
        return await self.view.generation()

    # -- vectors ----------------------------------------------------------------------------------

    async def embed(self, texts: Sequence[str]) -> list[Vector] | None:
        """Unit vectors of passages; None, and a note of the failure, where the embedder fails."""
        if not texts:
            return []
        if self.failure and asyncio.get_running_loop().time() < self._retry_at:
            return None
        try:
            out: list[Vector] = []
            for start in range(0, len(texts), _EMBEDDED):
                out += vectors.unit(await self.embedder.embed_passages(texts[start : start + _EMBEDDED]))
        except EmbedderFailed as error:
            self.failure = str(error)
            self._retry_at = asyncio.get_running_loop().time() + _RETRY
            return None
        self.failure = None
        return out

    async def embed_few(self) -> None:
        """Embed what a question should not miss: a few rows that were committed a moment ago."""
        missing = await self.view.run(self.view.memory.unembedded)
        if 0 < len(missing) <= FEW:
            # In a home that cannot be written they are found by their words.
            with contextlib.suppress(HomeError):
                await self._embed_rows(missing)
                await self.view.catch_up()

    async def embed_missing(self, *, retry: bool = False) -> int:
        """Embed the rows that have no vector yet; returns how many got one. With `retry` a failure is forgotten."""
        if retry:
            self.failure = None
        done = await self.embed_pending()
        if self.view.loaded():
            done += await self._embed_flushed()
        return done

    async def embed_pending(self) -> int:
        """Embed the rows in memory that have no vector yet; returns how many got one."""
        await self.view.catch_up()
        return await self._embed_rows(await self.view.run(self.view.memory.unembedded))

    async def _embed_flushed(self) -> int:
        generation = await self.tables()
        if generation is None:
            return 0
        done = 0
        for kind in TABLES:
            while items := await generation.unembedded(kind, _PAGE):
                found = await self._load([(kind, item) for item in items])
                embedded = await self._embed_rows([row for row in found if row.vector is None])
                done += embedded
                if not embedded or not await self.flush():
                    break
        return done

    async def _load(self, items: list[Item]) -> list[ArchiveRow]:
        found = await self.view.journal.read(lambda connection: rows.load(connection, items, self.view.space))
        return [row for row in found.values() if row is not None]

    async def _embed_rows(self, missing: Sequence[ArchiveRow]) -> int:
        if not missing:
            return 0
        found = await self.embed([row.text for row in missing])
        if found is None:
            return 0
        space = self.view.space

        def keep(tx: Transaction) -> None:
            vectors.claim(tx.connection, space)
            vectors.store(tx.connection, space, [(row.id, vector) for row, vector in zip(missing, found, strict=True)])
            for row in missing:
                put_out(tx.connection, row.table, row.id)

        await self.view.journal.write(keep)
        return len(missing)

    async def _dimension(self, space: str | None = None) -> int | None:
        """The length of vectors; None while the embedder has given none and does not say."""
        wanted = space or self.view.space
        stored = await self.view.journal.read(lambda connection: vectors.dimension(connection, wanted))
        return stored or self.embedder.dimension

    # -- generations ------------------------------------------------------------------------------

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
            left = await asyncio.to_thread(self._sweep, self.view.position.generation)
        if left:
            raise ArchiveError(f"Files of the archive cannot be deleted: {left[0]}.", hint="Delete that folder.")

    async def reembed(self, embedder: Embedder, progress: Progress | None = None) -> None:
        """Embed everything with `embedder`, and search with it from then on.

        Raises EmbedderFailed, and then everything is as it was, except that what was embedded by then need not be
        embedded again. Raises ArchiveError while another process holds the lock.
        """
        async with self._alone():
            space = embedder.fingerprint
            done = 0
            tops, count = await self.view.journal.read(lambda connection: (_tops(connection), _count(connection)))
            for kind in TABLES:
                async for found in self._pages(kind, tops[kind], space):
                    missing = [row for row in found if row.vector is None]
                    done += len(found) - len(missing)
                    for start in range(0, len(missing), _ANEW):
                        some = missing[start : start + _ANEW]
                        await self._embed_into(space, embedder, some)
                        done += len(some)
                        if progress is not None:
                            progress(done, count)
            self.embedder, self.failure = embedder, None
            await self._rebuild(space=space)
            await self.view.start_over(space)
            await self.view.catch_up()

    async def _embed_into(self, space: str, embedder: Embedder, missing: Sequence[ArchiveRow]) -> None:
        made = vectors.unit(await embedder.embed_passages([row.text for row in missing]))
        pairs = [(row.id, vector) for row, vector in zip(missing, made, strict=True)]
        await self.view.journal.write(partial(_store, space, pairs))

    async def _rebuild(self, progress: Progress | None = None, space: str | None = None) -> Generation:
        """Write all rows to new tables, then switch to them. The lock is held."""
        await asyncio.to_thread(import_store)
        from .store import Generation

        view = self.view
        space = space or view.space
        # All that changes after this moment is in the outbox above `head`.
        head, tops, count = await view.journal.read(
            lambda connection: (outbox_head(connection), _tops(connection), _count(connection))
        )
        number = await asyncio.to_thread(self._next_number)
        made = await Generation.create(view.folder, number, await self._dimension(space) or 1)
        upkeep = self._of_upkeep()
        done = 0
        for kind in TABLES:
            async for found in self._pages(kind, tops[kind], space):
                await made.append(kind, found)
                done += len(found)
                if progress is not None:
                    progress(done, count)
        await upkeep.run(made, all_of_it=True)
        made.close()
        reach("archive.rebuild.before_switch")

        def switch(tx: Transaction) -> None:
            write_meta(tx.connection, GENERATION, str(number))
            write_meta(tx.connection, WATERMARK, str(head))
            write_meta(tx.connection, vectors.SPACE, space)
            write_meta(tx.connection, MAINTAINED, stamp(view.journal.clock.now()))

        await view.journal.write(switch)
        reach("archive.rebuild.after_switch")
        view.space = space
        await view.catch_up()
        await asyncio.to_thread(self._sweep, number)
        opened = await view.generation()
        assert opened is not None
        return opened

    async def _pages(self, kind: Kind, top: int, space: str) -> AsyncIterator[list[ArchiveRow]]:
        after: int | None = 0
        while after is not None:
            page = partial(rows.load_all, kind=kind, space=space, after=after, until=top, limit=_PAGE)
            found, after = await self.view.journal.read(page)
            if found:
                yield found

    def _next_number(self) -> int:
        """One above every generation there is or, after a rebuild that was cut off, was to be."""
        folder = self.view.folder
        if folder.exists() and not folder.is_dir():
            raise ArchiveBroken(
                f"{folder} is no folder, and the archive belongs there.",
                hint="Move it elsewhere, and run `pagekeeper doctor --rebuild`: the journal has all of the archive.",
            )
        subfolder(self.view.journal.home, folder.name)
        there = [int(path.name[1:]) for path in folder.glob("g*") if path.name[1:].isdecimal()]
        return max([self.view.position.generation, *there]) + 1

    def _sweep(self, number: int) -> list[Path]:
        """Remove the folders of other generations; returns those that are still there."""
        older = [path for path in self.view.folder.glob("g*") if path != folder_of(self.view.folder, number)]
        for path in older:
            shutil.rmtree(path, ignore_errors=True)
        return [path for path in older if path.exists()]

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
            upkeep = self._of_upkeep()
            runs = upkeep.runs
            if await upkeep.run(generation, all_of_it=all_of_it, before_step=self.way.before_step):
                await self.view.reopen()
            if upkeep.runs > runs:
                await self.view.journal.write(self._done)

    def _done(self, tx: Transaction) -> None:
        """Say when the tables were put in order, and let go of outbox entries that no process needs."""
        outbox = tables.outbox
        tx.connection.execute(outbox.delete().where(outbox.c.n <= self.view.position.watermark - KEPT))
        write_meta(tx.connection, MAINTAINED, stamp(self.view.journal.clock.now()))

    def _of_upkeep(self) -> Upkeep:
        if self._upkeep is None:
            from .upkeep import Upkeep

            self._upkeep = Upkeep()
        return self._upkeep

    def close(self) -> None:
        """Let another process write."""
        self._lock.release(force=True)


def _tops(connection: Connection) -> dict[Kind, int]:
    """The number of the newest row of each table."""
    return {kind: rows.newest(connection, kind) for kind in TABLES}


def _count(connection: Connection) -> int:
    """How many rows there are to embed."""
    return sum(rows.count(connection, kind) for kind in TABLES)


def _store(space: str, pairs: Sequence[tuple[str, Vector]], tx: Transaction) -> None:
    vectors.store(tx.connection, space, pairs)
