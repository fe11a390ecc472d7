"""What a process takes that opens a home and searches its archive: python benchmarks/resident.py HOME [--searches 20]

Prints one JSON object: the milliseconds until the first result and of a later search, and the MiB of memory at most and
at the end. It is a process of its own, as an agent would be, so that nothing else counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path

from pagekeeper.benchmarks.filling import SCOPE, opened, questions
from pagekeeper.benchmarks.timing import peak, resident
from pagekeeper.runtime.archive.query import Query


async def measure(home: Path, searches: int) -> dict[str, float]:
    """Open, search, and look at the memory."""
    times = []
    start = time.perf_counter()
    async with opened(home) as archive:
        for question in questions(1, searches):
            await archive.search(Query(SCOPE, question))
            times.append((time.perf_counter() - start) * 1000)
            start = time.perf_counter()
        return {"first": times[0], "search": statistics.median(times[1:]), "peak": peak(), "resident": resident()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("--searches", type=int, default=20)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.home, given.searches))))


if __name__ == "__main__":
    main()
