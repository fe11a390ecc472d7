"""A day's worth of single inserts: what they take, and what searches take after them.

    python benchmarks/archive_growth.py [--rows 20000] [--searches 100] [--seed 1] [--home DIR] [--json]

Each passage is archived in a transaction of its own, one after the other without a pause, while the archive flushes and
maintains itself in the background, as it does in an agent; every hundredth is followed by a search. Then the same
searches run turn and turn about in that archive, just as it is, and in one into which the same passages were filled in
bulk and which was built anew.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
from functools import partial
from pathlib import Path

from pagekeeper.benchmarks.filling import BATCH, SCOPE, add, drafts, opened, put, questions
from pagekeeper.benchmarks.timing import Figure, Ratio, Times, report, resident
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.query import Query

WARM = 10
EVERY = 100
"""Inserts between two searches."""

Measured = tuple[list[Times], list[Ratio], list[Figure]]


async def measure(folder: Path, rows: int, searches: int, seed: int) -> Measured:
    """Insert one by one, and compare."""
    source = drafts(seed)
    given = [next(source) for _ in range(rows)]
    queries = [Query(SCOPE, text, tables=("passage",)) for text in questions(seed + 1, 60)]
    insert, embed = Times("insert", goal=2), Times("   beside it: embedding the passage")
    meanwhile = Times("search between the inserts")
    async with opened(folder / "grown", background=True) as grown, opened(folder / "fresh") as fresh:
        asked = itertools.cycle(queries)
        for number, draft in enumerate(given):
            prepared = await grown.prepare([draft.text])
            await embed.run(partial(grown._embedding.embedder.embed_passages, [draft.text]))
            await insert.run(partial(grown.journal.write, partial(add, grown, SCOPE, [draft], prepared)))
            if number % EVERY == EVERY - 1:
                await meanwhile.run(partial(grown.search, next(asked)))
        memory = resident()
        state = await grown.state()
        for start in range(0, rows, BATCH):
            await put(fresh, given[start : start + BATCH])
        await fresh.rebuild()
        after, anew = Times("search after them, just as it is"), Times("search of a freshly built archive")
        await beside(grown, fresh, queries, Times("warm"), Times("warm"), WARM)
        await beside(grown, fresh, queries, after, anew, searches)
        built = await fresh.state()
    return (
        [insert, embed, meanwhile, after, anew],
        [Ratio("search after them / of a freshly built archive", after.p50 / anew.p50, 1.5)],
        [
            Figure("pending when the last was inserted", state.pending, "rows"),
            Figure("fragments", state.fragments, ""),
            Figure("parts of the vector index", state.vector_parts or 0, ""),
            Figure("LanceDB's folder", state.bytes / 2**20, "MiB"),
            Figure("LanceDB's folder, freshly built", built.bytes / 2**20, "MiB"),
            Figure("memory when the last was inserted", memory, "MiB"),
        ],
    )


async def beside(grown: Archive, fresh: Archive, queries: list[Query], after: Times, anew: Times, runs: int) -> None:
    """The same searches of both, turn and turn about."""
    for number in range(runs):
        query = queries[number % len(queries)]
        await after.run(partial(grown.search, query))
        await anew.run(partial(fresh.search, query))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="a folder for the homes, which stay; a temporary one otherwise")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = asyncio.run(measure(given.home or Path(folder), given.rows, given.searches, given.seed))
    report(*measured, as_json=given.json)


if __name__ == "__main__":
    main()
