"""Making the archive's tables again from the journal, and embedding all of it anew. The caller holds the lock."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from ..clock import stamp
from ..errors import ArchiveBroken
from ..failpoint import reach
from ..home import subfolder
from ..journal.journal import Journal, Transaction
from . import rows, vectors
from .choices import TABLES, Kind
from .embedders.base import Embedder
from .rows import ArchiveRow, Vector
from .upkeep import Upkeep
from .view import GENERATION, MAINTAINED, WATERMARK, View, folder_of, import_store, outbox_head, write_meta

if TYPE_CHECKING:
    from .store import Generation

_PAGE = 2000
"""Rows that are read at a time."""
_ANEW = 64
"""Rows that are embedded anew until they are kept and it is told how far it is: with a slow embedder, some seconds."""

Progress = Callable[[int, int], None]
"""Is told how many rows are done, and of how many."""


async def remake(
    view: View, upkeep: Upkeep, space: str, dimension: int, progress: Progress | None = None
) -> Generation:
    """Write all rows to new tables with the vectors of `space`, then switch to them. Older ones are removed."""
    await asyncio.to_thread(import_store)
    from .store import Generation

    # All that changes after this moment is in the outbox above `head`.
    head, tops, count = await view.journal.read(
        lambda connection: (outbox_head(connection), _tops(connection), _count(connection))
    )
    number = await asyncio.to_thread(_next_number, view)
    made = await Generation.create(view.folder, number, dimension)
    done = 0
    for kind in TABLES:
        async for found in _pages(view.journal, kind, tops[kind], space):
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
    await asyncio.to_thread(remove_older, view)
    opened = await view.generation()
    assert opened is not None
    return opened


async def embed_anew(journal: Journal, embedder: Embedder, progress: Progress | None = None) -> None:
    """Embed whatever has no vector of `embedder` yet. Raises EmbedderFailed, and keeps what was embedded by then."""
    space, done = embedder.fingerprint, 0
    tops, count = await journal.read(lambda connection: (_tops(connection), _count(connection)))
    for kind in TABLES:
        async for found in _pages(journal, kind, tops[kind], space):
            missing = [row for row in found if row.vector is None]
            done += len(found) - len(missing)
            for start in range(0, len(missing), _ANEW):
                some = missing[start : start + _ANEW]
                made = vectors.unit(await embedder.embed_passages([row.text for row in some]))
                pairs = [(row.id, vector) for row, vector in zip(some, made, strict=True)]
                await journal.write(partial(_store, space, pairs))
                done += len(some)
                if progress is not None:
                    progress(done, count)


def remove_older(view: View) -> list[Path]:
    """Remove the folders of all generations but the current one; returns those that are still there."""
    older = [path for path in view.folder.glob("g*") if path != folder_of(view.folder, view.position.generation)]
    for path in older:
        shutil.rmtree(path, ignore_errors=True)
    return [path for path in older if path.exists()]


async def _pages(journal: Journal, kind: Kind, top: int, space: str) -> AsyncIterator[list[ArchiveRow]]:
    after: int | None = 0
    while after is not None:
        page = partial(rows.load_all, kind=kind, space=space, after=after, until=top, limit=_PAGE)
        found, after = await journal.read(page)
        if found:
            yield found


def _next_number(view: View) -> int:
    """One above every generation there is or, after a rebuild that was cut off, was to be."""
    folder = view.folder
    if folder.exists() and not folder.is_dir():
        raise ArchiveBroken(
            f"{folder} is no folder, and the archive belongs there.",
            hint="Move it elsewhere, and run `pagekeeper doctor --rebuild`: the journal has all of the archive.",
        )
    subfolder(view.journal.home, folder.name)
    there = [int(path.name[1:]) for path in folder.glob("g*") if path.name[1:].isdecimal()]
    return max([view.position.generation, *there]) + 1


def _tops(connection: Connection) -> dict[Kind, int]:
    """The number of the newest row of each table."""
    return {kind: rows.newest(connection, kind) for kind in TABLES}


def _count(connection: Connection) -> int:
    """How many rows there are to write or embed."""
    return sum(rows.count(connection, kind) for kind in TABLES)


def _store(space: str, pairs: Sequence[tuple[str, Vector]], tx: Transaction) -> None:
    vectors.store(tx.connection, space, pairs)
