"""What the archive costs: inserts and searches, with and without filters, beside LanceDB's own hybrid query.

    python benchmarks/archive.py [--rows 1000 10000 100000] [--million] [--searches 60] [--seed 1] [--home DIR] [--json]

Each search of the archive returns 10 results, ranked and with their texts. LanceDB's hybrid query asks the same table,
with the same conditions, for 100 rows with all of their columns, as it does unless it is told otherwise; `bare` is the
same query for no more than ids and texts. They run turn and turn about, so that whatever else the machine does falls on
all alike. An insert is one passage in a transaction of its own; embedding it stands beside that. `--million` adds a
million passages, archived the same way: that takes a quarter of an hour, and at most 20 GB of disk. A home of an
earlier run (`--home`) is measured as it is, without filling it again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from pagekeeper.benchmarks.filling import OTHER, SCOPE, TAGS, add, drafts, fill, hybrid, opened, questions
from pagekeeper.benchmarks.timing import Figure, Ratio, Times, report
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.view import write_meta
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.recall.note import Recall

WARM = 5
"""Runs that are not counted."""
MONTH = {"start": date(2025, 6, 1), "end": date(2025, 6, 30)}
CASES: dict[str, dict[str, Any]] = {
    "scope": {},
    "scope of a tenth": {"scope": OTHER},
    "one of two tags": {"tags": TAGS[:2]},
    "both of two tags": {"tags": TAGS[:2], "tag_match": "all"},
    "kind": {"kinds": ("insight",)},
    "a month": MONTH,
    "kind, tags and a month": {"kinds": ("insight", "fact"), "tags": TAGS[:5], **MONTH},
}
"""The conditions of a search beside its scope."""

Measured = tuple[list[Times], list[Ratio], list[Figure]]


async def turn_about(runs: int, cases: dict[str, Callable[[int], Awaitable[object]]]) -> dict[str, Times]:
    """Time each case once a round."""
    times = {name: Times(name) for name in cases}
    for number in range(-WARM, runs):
        for name, work in cases.items():
            await times[name].run(partial(work, number % runs))
        if number == -1:
            for each in times.values():
                each.all.clear()
    return times


async def measure(home: Path, rows: int, searches: int, seed: int) -> Measured:
    """Fill an archive, and measure it."""
    size = f"{rows:,}: "
    async with opened(home) as archive:
        source = drafts(seed)
        times: list[Times] = []
        figures: list[Figure] = []
        if await archive.is_empty():
            times.append(await recall(archive, size, searches))
            rate = await fill(archive, rows, source)
            figures.append(Figure(f"{size}archived, with embedding and upkeep", rate, "rows/s"))
        asked = questions(seed + 1, searches)
        ratios: list[Ratio] = []
        for case, given in CASES.items():
            found = await beside_lancedb(archive, asked, f"{size}{case}: ", given)
            times += found
            ratios.append(
                Ratio(f"{found[0].name} / {found[1].name.rsplit(': ', 1)[1]}", found[0].p50 / found[1].p50, 1.5)
            )
        both = Times(f"{size}search of passages and messages")
        for question in asked:
            await both.run(partial(archive.search, Query(SCOPE, question)))
        times += [both, *await inserts(archive, size, searches, source)]
        bytes_on_disk = (await archive.state()).bytes
    journal, took = await asyncio.to_thread(look_at, home)
    return (
        times,
        ratios,
        [
            *figures,
            Figure(f"{size}LanceDB's folder", bytes_on_disk / 2**20, "MiB"),
            Figure(f"{size}journal, with the vectors", journal / 2**20, "MiB"),
            Figure(f"{size}another process: open, and find the first", took["first"], "ms"),
            Figure(f"{size}another process: memory at most", took["peak"], "MiB", 600 if rows <= 100_000 else None),
        ],
    )


def look_at(home: Path) -> tuple[int, dict[str, float]]:
    """The bytes of the journal, and what another process takes that opens the home."""
    command = [sys.executable, "-m", "pagekeeper.benchmarks.resident", str(home)]
    told = subprocess.run(command, check=True, capture_output=True).stdout
    return sum(path.stat().st_size for path in home.glob("journal.sqlite*")), json.loads(told)


async def recall(archive: Archive, size: str, runs: int) -> Times:
    """Recall where nothing is archived yet."""
    counter = TokenCounter()
    counter.count("warm")
    work = Recall(archive)
    times = Times(f"{size}recall with an empty archive")
    for number in range(-WARM, runs):
        await times.run(lambda: work.note(SCOPE, "What am I allergic to?", [], 500, counter))
        if number == -1:
            times.all.clear()
    return times


async def beside_lancedb(archive: Archive, asked: list[str], prefix: str, given: dict[str, Any]) -> list[Times]:
    """The archive's search, and LanceDB's two, with the same conditions."""
    queries = [Query(**{"scope": SCOPE, "text": text, "tables": ("passage",), **given}) for text in asked]
    embedder = archive._embedding.embedder
    vectors = [list((await embedder.embed_queries([text]))[0]) for text in asked]
    found = await turn_about(
        len(asked),
        {
            f"{prefix}search": lambda number: archive.search(queries[number]),
            f"{prefix}LanceDB's hybrid": lambda number: hybrid(archive, queries[number], vectors[number]),
            f"{prefix}LanceDB's, bare": lambda number: hybrid(
                archive, queries[number], vectors[number], ["id", "text"]
            ),
        },
    )
    return list(found.values())


async def inserts(archive: Archive, size: str, runs: int, source: Any) -> list[Times]:
    """Single inserts, and what they are made of."""
    given = [next(source) for _ in range(runs)]
    prepared = [(await archive.prepare([draft.text]))[0] for draft in given]
    embedder = archive._embedding.embedder
    journal = archive.journal
    found = await turn_about(
        runs,
        {
            f"{size}insert": lambda n: journal.write(partial(add, archive, SCOPE, [given[n]], [prepared[n]])),
            f"{size}   a bare commit of one value": lambda _: journal.write(
                lambda tx: write_meta(tx.connection, "bench", RandomIds().new("turn"))
            ),
            f"{size}   beside it: embedding the passage": lambda n: embedder.embed_passages([given[n].text]),
        },
    )
    found[f"{size}insert"].goal = 2
    return list(found.values())


async def run(given: argparse.Namespace, folder: Path) -> Measured:
    """All sizes, one after the other."""
    times: list[Times] = []
    ratios: list[Ratio] = []
    figures: list[Figure] = []
    for rows in [*given.rows, *([1_000_000] if given.million else [])]:
        more = await measure(folder / str(rows), rows, given.searches, given.seed)
        times += more[0]
        ratios += more[1]
        figures += more[2]
    return times, ratios, figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--million", action="store_true", help="a million passages as well")
    parser.add_argument("--searches", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--home", type=Path, help="a folder for the homes, which stay, filled; a temporary one otherwise"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times, ratios, figures = asyncio.run(run(given, given.home or Path(folder)))
    report(times, ratios, figures, as_json=given.json)


if __name__ == "__main__":
    main()
