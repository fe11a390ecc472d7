"""What searches take while the archive is being put in order.

    python benchmarks/archive_upkeep.py [--rows 10000 100000] [--searches 100] [--seed 1] [--home DIR] [--json]

One search after the other, without a pause: first with nothing else going on, then while, again and again, passages
that came last are flushed and maintained the way it is done in the background: by a process of its own, from its start
to its end. What is due after 256 passages, and after 1,000; all that can be done, as in an idle moment; and a round in
which the vector index is built anew. The goal is that the 95th percentile stays within four times the median of the
quiet searches.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pagekeeper.benchmarks.filling import SCOPE, drafts, fill, opened, put, questions
from pagekeeper.benchmarks.timing import Figure, Ratio, Times, report, resident
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.keeper import FLUSH_ROWS
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.upkeep import MOST_PARTS

WARM = 10
ROUNDS = 3
"""Rounds of upkeep at least, however many searches there are during one."""
FEW = 64
"""Passages that an idle moment finds."""
GOAL = 4.0


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

    async def upkeep(self, *, all_of_it: bool) -> None:
        """What the background does with what is pending."""
        await self.archive._keeper.work_apart(all_of_it=all_of_it)

    async def parts(self) -> int:
        return (await self.archive.state()).vector_parts or 0

    async def during(self, times: Times, runs: int, case: Case) -> None:
        """Search while upkeep goes on, which is begun anew until there were enough searches."""
        rounds = 0
        while len(times.all) < runs or rounds < ROUNDS:
            while case.rebuilds and await self.parts() < MOST_PARTS:
                await self.arrive(FEW)
                await self.upkeep(all_of_it=True)
            await self.arrive(case.rows)
            working = asyncio.ensure_future(self.upkeep(all_of_it=case.all_of_it))
            while not working.done():
                await times.run(self.search)
            await working
            rounds += 1
            assert not self.archive._keeper.pending()
            assert not case.rebuilds or await self.parts() == 1


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of upkeep, and how many passages there are for it."""

    name: str
    rows: int
    all_of_it: bool = False
    rebuilds: bool = False
    """Whether it comes when the vector index is about to be built anew."""


CASES = (
    Case(f"the upkeep of {FLUSH_ROWS} passages", FLUSH_ROWS),
    Case("the upkeep of 1,000 passages", 1000),
    Case("all upkeep", FEW, all_of_it=True),
    Case("the building of the index", FEW, all_of_it=True, rebuilds=True),
)


async def measure(home: Path, rows: int, searches: int, seed: int) -> tuple[list[Times], list[Ratio], list[Figure]]:
    """Fill an archive, and search it while it is worked on."""
    size = f"{rows:,}: "
    async with opened(home) as archive:
        source = drafts(seed)
        if await archive.is_empty():
            await fill(archive, rows, source)
        await archive.flush()
        await archive._keeper.maintain(all_of_it=True)
    # Whoever filled it has memory of its own, and the lock.
    async with opened(home) as archive:
        bench = Bench(archive, source, questions(seed + 1, 60))
        quiet = Times(f"{size}search, quiet")
        await bench.quiet(Times("warm"), WARM)
        await bench.quiet(quiet, searches)
        found = []
        for case in CASES:
            times = Times(f"{size}search during {case.name}")
            await bench.during(times, searches, case)
            found.append(times)
    return (
        [quiet, *found],
        [Ratio(f"{each.name}: p95 / quiet p50", each.p95 / quiet.p50, GOAL) for each in found],
        [Figure(f"{size}memory of the searching process", resident(), "MiB")],
    )


async def run(given: argparse.Namespace, folder: Path) -> tuple[list[Times], list[Ratio], list[Figure]]:
    """All sizes, one after the other."""
    times: list[Times] = []
    ratios: list[Ratio] = []
    figures: list[Figure] = []
    for rows in given.rows:
        more = await measure(folder / str(rows), rows, given.searches, given.seed)
        times += more[0]
        ratios += more[1]
        figures += more[2]
    return times, ratios, figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--home",
        type=Path,
        help="a folder for the homes, which stay, filled; a temporary one otherwise",
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = asyncio.run(run(given, given.home or Path(folder)))
    report(*measured, as_json=given.json)


if __name__ == "__main__":
    main()
