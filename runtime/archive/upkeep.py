"""Upkeep of the tables, so that their cost stays flat: optimize, old versions, the vector index.

The rules come from measurements: each write leaves a fragment and a version behind, which make everything slower and
larger, so they are merged every few hundred rows; versions that others may be reading stay for minutes; each
optimize adds a part to the vector index that is never merged, and leaks a file while there is a full-text index.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

from lancedb.index import IvfSq

from ..errors import ArchiveBroken
from ..failpoint import reach
from .query import Kind
from .store import Generation
from .view import KINDS

OPTIMIZE_ROWS = 256
"""Rows written between two optimizes; where there are many, a hundredth of them."""
OLDEST = timedelta(minutes=10)
"""Versions of the tables that are older than this are removed."""
INDEXED_ROWS = 8000
"""Rows from which on the vectors are indexed: below, looking at all of them is as fast."""
MOST_PARTS = 8
"""Parts of the vector index above which it is built anew: each is searched by itself, and 20 of them take twice as
long as one. Fragments that belong to different parts are not merged either."""
RECONNECT = 20
"""Optimizes until the tables are opened anew, which lets go of files and of several megabytes for each."""

_TRIES = 5


@dataclass(slots=True)
class Upkeep:
    """When what is due. The counts are of this process, and those of one who takes over start at zero."""

    written: dict[Kind, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    optimized: int = 0
    runs: int = 0

    def wrote(self, kind: Kind, rows: int) -> None:
        """Say that rows were written."""
        self.written[kind] += rows

    async def due(self, generation: Generation, kind: Kind) -> bool:
        """Whether a table is to be optimized."""
        written = self.written[kind]
        return written >= OPTIMIZE_ROWS and written >= await generation.count(kind) // 100

    async def run(self, generation: Generation, *, all_of_it: bool = False) -> bool:
        """Do what is due (or all that could be); returns whether the tables should be opened anew."""
        for kind in KINDS:
            if self.written[kind] and (all_of_it or await self.due(generation, kind)):
                self.written[kind] = 0
                await optimize(generation, kind)
                await index_vectors(generation, kind)
                self.optimized += 1
                self.runs += 1
        if self.optimized >= RECONNECT:
            self.optimized = 0
            return True
        return False


async def optimize(generation: Generation, kind: Kind) -> None:
    """Merge fragments, bring the indexes up to date, and remove old versions."""
    table = generation.table(kind)
    reach("archive.optimize.before")
    for attempt in range(_TRIES):
        try:
            await table.optimize(cleanup_older_than=OLDEST)
            break
        except RuntimeError as error:
            if "commit conflict" not in str(error) or attempt == _TRIES - 1:
                raise ArchiveBroken(f"The archive cannot be optimized: {str(error).split(', /')[0]}") from error
            await asyncio.sleep(0.05 * 2**attempt)
            await table.checkout_latest()
    reach("archive.optimize.after")


async def index_vectors(generation: Generation, kind: Kind) -> None:
    """Index the vectors once there are many, and again when the index has fallen into too many parts."""
    table = generation.table(kind)
    if await generation.count(kind, "embedded = true") < INDEXED_ROWS:
        return
    parts = await vector_parts(generation, kind)
    if parts is None or parts > MOST_PARTS:
        await table.create_index("vector", config=IvfSq(distance_type="cosine"), replace=True)


async def vector_parts(generation: Generation, kind: Kind) -> int | None:
    """How many parts the vector index has; None where there is no index."""
    table = generation.table(kind)
    for index in await table.list_indices():
        if list(index.columns) == ["vector"]:
            found = await table.index_stats(index.name)
            return int(found.num_indices or 1) if found else 1
    return None
