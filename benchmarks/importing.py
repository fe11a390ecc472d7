"""What an import costs: a Markdown document of N passages, brought in twice as a program would.

    python benchmarks/importing.py [--rows 10000] [--home DIR]

The first time every passage is embedded, committed and, beside that, flushed to LanceDB; the second time every one is
there already. `settling` is what is left to flush when the import ends.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from pagekeeper.assembly import Agent
from pagekeeper.benchmarks.filling import sentences
from pagekeeper.benchmarks.timing import machine


async def _timed(name: str, rows: int, work: Awaitable[object]) -> None:
    start, spent = time.perf_counter(), time.process_time()
    await work
    seconds, cpu = time.perf_counter() - start, time.process_time() - spent
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{name:<24}{seconds:8.1f} s{cpu:8.1f} s CPU{rows / seconds:10,.0f} /s   at most {resident} MiB so far")


async def run(rows: int, folder: Path) -> None:
    """Import a document of `rows` passages into a new home, and again."""
    sentence = sentences(1)
    document = folder / "document.md"
    text = (f"# Part {row}\n\n{' '.join(sentence() for _ in range(4))}\n\n" for row in range(rows))
    document.write_text("".join(text), encoding="utf-8")
    print(f"{machine()}; {rows:,} passages, {document.stat().st_size / 1e6:.1f} MB")
    async with Agent.open("bench", home=folder / "home", model="offline") as agent:
        await _timed("the first time", rows, agent.memory.import_documents([document]))
        await _timed("settling", rows, agent.memory.archive.settle())
        await _timed("again", rows, agent.memory.import_documents([document]))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--home", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.home) as folder:
        asyncio.run(run(options.rows, Path(folder)))


if __name__ == "__main__":
    main()
