"""Upkeep of the tables, so that their cost stays flat: optimize, old versions, the vector index.

The rules come from measurements: each write leaves a fragment and a version behind, which make everything slower and
larger, so they are merged every few hundred rows; versions that others may be reading stay for minutes; each
optimize adds a part to the vector index that is never merged, and leaks a file while there is a full-text index.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from ..errors import ArchiveBroken
from ..failpoint import reach
from .choices import TABLES, Kind

if TYPE_CHECKING:
    from .store import Generation, Shape

OPTIMIZE_ROWS = 256
"""Rows written between two optimizes; where there are many, the `SHARE`th part of them."""
SHARE = 256
MOST_FRAGMENTS = 32
"""Fragments above which a table is optimized, however few rows they hold: a search reads all of them."""
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


def due(shape: Shape) -> bool:
    """Whether a table is to be optimized. The table itself tells: many short processes count as one long one."""
    return shape.fresh >= max(OPTIMIZE_ROWS, shape.rows // SHARE) or (
        shape.fresh > 0 and shape.fragments > MOST_FRAGMENTS
    )


@dataclass(slots=True)
class Upkeep:
    """Does what is due."""

    removed: dict[Kind, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    """Rows that this process took out of each table since the last optimize."""
    optimized: int = 0
    """Optimizes since the tables were opened anew."""
    runs: int = 0

    def took_out(self, kind: Kind, rows: int) -> None:
        """Say that rows were deleted."""
        self.removed[kind] += rows

    async def run(self, generation: Generation, *, all_of_it: bool = False) -> bool:
        """Do what is due (or all that could be); returns whether the tables should be opened anew."""
        for kind in TABLES:
            shape = await generation.shape(kind)
            if due(shape) or (all_of_it and (shape.fresh or self.removed[kind])):
                await optimize(generation, kind)
                self.removed[kind] = 0
                self.optimized += 1
                self.runs += 1
                if await vectors_due(generation, kind):
                    await generation.index_vectors(kind)
        if self.optimized >= RECONNECT:
            self.optimized = 0
            return True
        return False


async def optimize(generation: Generation, kind: Kind) -> None:
    """Merge fragments, bring the indexes up to date, and remove old versions."""
    from .store import guarded  # late: LanceDB takes over a second to import

    table = generation.table(kind)
    reach("archive.optimize.before")
    with guarded(generation.folder):
        for attempt in range(_TRIES):
            try:
                await table.optimize(cleanup_older_than=OLDEST)
                break
            except RuntimeError as error:
                if "commit conflict" not in str(error):
                    raise
                if attempt == _TRIES - 1:
                    raise ArchiveBroken(f"The archive cannot be optimized: {str(error).split(', /')[0]}") from error
            await asyncio.sleep(0.05 * 2**attempt)
            await table.checkout_latest()
    reach("archive.optimize.after")


async def vectors_due(generation: Generation, kind: Kind) -> bool:
    """Whether the vectors are to be indexed: there are many, and no index, or one in too many parts."""
    if await generation.count(kind, "embedded = true") < INDEXED_ROWS:
        return False
    parts = (await generation.shape(kind)).vector_parts
    return parts is None or parts > MOST_PARTS
