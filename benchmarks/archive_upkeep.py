"""What searches take while the archive is being put in order.

    python benchmarks/archive_upkeep.py [--rows 10000 100000] [--searches 100] [--seed 1] [--home DIR] [--json]

One search after the other, without a pause: first with nothing else going on, then while, again and again, what came
last is flushed, a table is optimized, the vector index is built anew, and, at last, while 64 passages a round arrive
and are flushed and maintained as they are due. The goal is that the 95th percentile stays within four times the median
of the quiet searches.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from pagekeeper.benchmarks.filling import SCOPE, drafts, fill, opened, put, questions
from pagekeeper.benchmarks.timing import Ratio, Times, report
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.keeper import FLUSH_ROWS
from pagekeeper.runtime.archive.passages import Draft
from pagekeeper.runtime.archive.query import Query

WARM = 10
GOAL = 4.0

Work = Callable[[], Awaitable[object]]


class Bench:
    """An archive, and searches without end."""

    def __init__(self, archive: Archive, source: Iterator[Draft], asked: list[str]) -> None:
        self.archive = archive
        self.source = source
        self.queries = itertools.cycle([Query(SCOPE, text, tables=("passage",)) for text in asked])

    async def search(self) -> None:
        await self.archive.search(next(self.queries))

    async def arrive(self, count: int) -> None:
        """Archive passages, and leave them pending, but seen: what reading them takes is no upkeep."""
        await put(self.archive, [next(self.source) for _ in range(count)])
        await self.search()

    async def quiet(self, times: Times, runs: int) -> None:
        for _ in range(runs):
            await times.run(self.search)

    async def during(self, times: Times, runs: int, before: Work, work: Work) -> None:
        """Search while `work` goes on, which is begun anew, after `before`, until there were enough searches."""
        while len(times.all) < runs:
            await before()
            working = asyncio.ensure_future(work())
            while not working.done():
                await times.run(self.search)
            await working


async def measure(home: Path, rows: int, searches: int, seed: int) -> tuple[list[Times], list[Ratio]]:
    """Fill an archive, and search it while it is worked on."""
    size = f"{rows:,}: "
    async with opened(home) as archive:
        from pagekeeper.runtime.archive import upkeep

        source = drafts(seed)
        await fill(archive, rows, source)
        bench = Bench(archive, source, questions(seed + 1, 60))
        quiet = Times(f"{size}search, quiet")
        await bench.quiet(Times("warm"), WARM)
        await bench.quiet(quiet, searches)
        tables = await archive.tables()
        assert tables is not None

        async def nothing() -> None:
            return

        async def flushed() -> None:
            for _ in range(4):
                await bench.arrive(FLUSH_ROWS)
                await archive.flush()

        async def arriving() -> None:
            await bench.arrive(FLUSH_ROWS)
            await archive.flush()
            await archive._keeper.maintain()

        cases: dict[str, tuple[Work, Work]] = {
            "a flush": (lambda: bench.arrive(FLUSH_ROWS), archive.flush),
            "a flush of 1,000": (lambda: bench.arrive(1000), archive.flush),
            "an optimize": (flushed, lambda: upkeep.optimize(tables, "passage")),
            "the building of the index": (nothing, lambda: tables.index_vectors("passage")),
            "the ordinary upkeep of new rows": (nothing, arriving),
        }
        found = []
        for name, (before, work) in cases.items():
            times = Times(f"{size}search during {name}")
            await bench.during(times, searches, before, work)
            found.append(times)
    return [quiet, *found], [Ratio(f"{each.name}: p95 / quiet p50", each.p95 / quiet.p50, GOAL) for each in found]


async def run(given: argparse.Namespace, folder: Path) -> tuple[list[Times], list[Ratio]]:
    """All sizes, one after the other."""
    times: list[Times] = []
    ratios: list[Ratio] = []
    for rows in given.rows:
        more = await measure(folder / str(rows), rows, given.searches, given.seed)
        times += more[0]
        ratios += more[1]
    return times, ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="a folder for the homes, which stay; a temporary one otherwise")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times, ratios = asyncio.run(run(given, given.home or Path(folder)))
    report(times, ratios, as_json=given.json)


if __name__ == "__main__":
    main()
