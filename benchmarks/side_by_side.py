"""The archive beside a NumPy scan, LangGraph's stores and Mem0, in one run.

    python benchmarks/side_by_side.py [--rows 1000 10000] [--searches 60] [--seed 1] [--home DIR] [--json]

All get the same passages one by one, the same embedder (WordLlama, whose time is inside for all alike), the same
questions, and are asked for 10 results of one user of two. Each is in a process of its own; the searches run turn and
turn about. What is not installed is skipped, and the report says how to install it:

    pip install langgraph langgraph-checkpoint-sqlite mem0ai qdrant-client

`recall` is the share of the scan's 10 results that a store returns too. It is meaningful where a store ranks by vectors
alone, so of Pagekeeper the arm of vectors is compared, before words and everything else have their say.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pagekeeper.benchmarks.contenders import CONTENDERS, USERS, Pagekeeper
from pagekeeper.benchmarks.filling import questions, sentences
from pagekeeper.benchmarks.timing import Times, machine, peak
from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder

COUNT = 10
"""Results."""
WARM = 5
SCAN = "NumPy scan"
AT_ONCE = 500
"""Passages that are handed to a process at a time; it keeps them one by one."""


@dataclass(slots=True)
class Result:
    """What was measured of one store at one size."""

    store: str
    rows: int
    about: str
    insert: Times = field(default_factory=lambda: Times("insert"))
    search: Times = field(default_factory=lambda: Times("search"))
    recall: float | None = None
    memory: float = 0.0
    disk: float = 0.0

    def shown(self) -> dict[str, Any]:
        return {
            "store": self.store,
            "rows": self.rows,
            "insert_p50": self.insert.p50,
            "insert_p95": self.insert.p95,
            "search_p50": self.search.p50,
            "search_p95": self.search.p95,
            "recall": self.recall,
            "memory_mib": self.memory,
            "disk_mib": self.disk,
            "about": self.about,
        }


# -- in the process of a store --------------------------------------------------------------------


def serve(name: str, folder: Path, pipe: Connection) -> None:
    """Do what the pipe asks for, until it asks to close."""
    seal()
    folder.mkdir(parents=True)
    asyncio.run(_serve(name, folder, pipe))


def seal() -> None:
    """Let no connection to another machine be made by this process."""
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            raise OSError(f"A benchmark has no network, and something wanted {address}.")
        connect(self, address)

    socket.socket.connect = refuse  # type: ignore[method-assign, assignment]


async def _serve(name: str, folder: Path, pipe: Connection) -> None:
    store = CONTENDERS[name]()
    embedder = WordLlamaEmbedder()
    embedder.load()
    await store.open(folder, embedder)
    pipe.send("open")
    while True:
        asked, *given = await asyncio.to_thread(pipe.recv)
        if asked == "add":
            took = []
            for text, user in given[0]:
                start = time.perf_counter()
                await store.add(text, user)
                took.append((time.perf_counter() - start) * 1000)
            pipe.send(took)
        elif asked == "search":
            start = time.perf_counter()
            found = await store.search(given[0], USERS[0], COUNT)
            pipe.send(((time.perf_counter() - start) * 1000, list(found)))
        elif asked == "near":
            pipe.send(list(await store.near(given[0], USERS[0], COUNT) if isinstance(store, Pagekeeper) else ()))
        elif asked == "memory":
            pipe.send(peak())
        else:
            await store.close()
            pipe.send("closed")
            return


# -- beside it ------------------------------------------------------------------------------------


@contextmanager
def started(name: str, folder: Path) -> Iterator[Connection]:
    """A process with a store."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(name, folder, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        ours.recv()
        yield ours
        ask(ours, "close")
        process.join()
    finally:
        process.kill()


def ask(pipe: Connection, *what: object) -> Any:
    """Have a store do something."""
    pipe.send(what)
    return pipe.recv()


def measure(folder: Path, names: Sequence[str], rows: int, searches: int, seed: int) -> list[Result]:
    """All stores at one size."""
    sentence, randomly = sentences(seed), random.Random(seed)
    texts = [(sentence(), USERS[randomly.random() < 0.1]) for _ in range(rows)]
    asked = questions(seed + 1, searches)
    results = {name: Result(name, rows, CONTENDERS[name].about) for name in names}
    with ExitStack() as stack:
        pipes = {name: stack.enter_context(started(name, folder / f"{name}-{rows}")) for name in names}
        for name, pipe in pipes.items():
            for start in range(0, rows, AT_ONCE):
                results[name].insert.all += ask(pipe, "add", texts[start : start + AT_ONCE])
        found: dict[str, list[list[str]]] = {name: [] for name in names}
        for question in [*asked[:WARM], *asked]:
            for name, pipe in pipes.items():
                took, results_of_it = ask(pipe, "search", question)
                results[name].search.all.append(took)
                found[name].append(results_of_it)
        for name, pipe in pipes.items():
            result = results[name]
            del result.search.all[:WARM], found[name][:WARM]
            if name == "Pagekeeper":
                found[name] = [ask(pipe, "near", question) for question in asked]
            result.recall = recall(found[name], found[SCAN])
            result.memory = ask(pipe, "memory")
    for name, result in results.items():
        result.disk = sum(one.stat().st_size for one in (folder / f"{name}-{rows}").rglob("*") if one.is_file()) / 2**20
    return list(results.values())


def recall(found: list[list[str]], exact: list[list[str]]) -> float:
    """The share of the exact results that were found."""
    return sum(len(set(own) & set(best)) for own, best in zip(found, exact, strict=True)) / sum(map(len, exact))


def show(results: list[Result], skipped: dict[str, str]) -> None:
    """Print a table of each size."""
    print(machine())
    columns = f"{'insert p50':>11}{'p95':>9}{'search p50':>12}{'p95':>9}{'recall':>8}{'memory':>9}{'disk':>9}"
    for rows in dict.fromkeys(result.rows for result in results):
        print(f"{f'{rows:,} passages':<26}{columns}")
        for one in results:
            if one.rows == rows:
                print(
                    f"{one.store:<26}{one.insert.p50:11.2f}{one.insert.p95:9.2f}{one.search.p50:12.2f}"
                    f"{one.search.p95:9.2f}{one.recall:8.3f}{one.memory:9,.0f}{one.disk:9,.1f}"
                )
    print("milliseconds; MiB of memory at most, of a process that does nothing else; MiB on disk")
    for name, about in dict.fromkeys((one.store, one.about) for one in results):
        print(f"{name}: {about}")
    for name, install in skipped.items():
        print(f"{name}: SKIPPED, since it is not installed: {install}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--searches", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=list(CONTENDERS), help="these alone, beside the scan")
    parser.add_argument("--home", type=Path, help="a folder for the stores, which stay; a temporary one otherwise")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    wanted = [name for name in CONTENDERS if given.only is None or name in given.only or name == SCAN]
    skipped = {name: CONTENDERS[name].install for name in wanted if CONTENDERS[name].missing()}
    names = [name for name in wanted if name not in skipped]
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows:
            print(f"{rows:,} passages ...", file=sys.stderr, flush=True)
            results += measure(given.home or Path(folder), names, rows, given.searches, given.seed)
    if given.json:
        shown = [result.shown() for result in results]
        print(json.dumps({"machine": machine(), "results": shown, "skipped": skipped}, indent=2))
    else:
        show(results, skipped)


if __name__ == "__main__":
    main()
