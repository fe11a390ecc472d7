"""What the archive costs: inserts and searches beside LanceDB's own hybrid query, in one run.

    python benchmarks/archive.py [--rows 1000 10000 100000] [--searches 60] [--home DIR]

Every passage goes the product's way: chunked, embedded, acknowledged by the journal, flushed to LanceDB. The figures
are medians in milliseconds. LanceDB's hybrid query asks the same table for 100 rows, with the same scope filter, and
with all of its columns; the archive's search returns 10 results, ranked and with their texts.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder
from pagekeeper.runtime.archive.passages import Draft, Prepared
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.terms import terms
from pagekeeper.runtime.archive.view import write_meta
from pagekeeper.runtime.clock import SystemClock
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal.journal import Journal, Transaction
from pagekeeper.runtime.recall import Recall
from pagekeeper.runtime.scope import Scope

SCOPE = Scope("ag-bench", "bench", "me", "cv-bench", "main", ZoneInfo("UTC"))
BATCH = 1000


def sentences(seed: int) -> Callable[[], str]:
    """A source of sentences whose words are as unevenly common as those of a language."""
    randomly = random.Random(seed)
    letters = "aeiou", "bcdfghklmnprstvw"
    syllables = [consonant + vowel for vowel in letters[0] for consonant in letters[1]]
    words = ["".join(randomly.choices(syllables, k=randomly.randint(2, 4))) for _ in range(20_000)]
    weights = [1 / (place + 8) for place in range(len(words))]

    def one() -> str:
        return " ".join(randomly.choices(words, weights, k=randomly.randint(8, 30))).capitalize() + "."

    return one


async def timed(times: int, work: Callable[[int], Awaitable[object]]) -> list[float]:
    """Milliseconds of each of `times` runs."""
    out = []
    for number in range(times):
        start = time.perf_counter()
        await work(number)
        out.append((time.perf_counter() - start) * 1000)
    return out


async def at(number: int, work: Callable[[int], Awaitable[object]], _: int) -> None:
    await work(number)


def median(times: list[float]) -> str:
    return f"{statistics.median(times):7.2f}"


def p95(times: list[float]) -> str:
    return f"{sorted(times)[int(len(times) * 0.95)]:7.2f}"


def add(archive: Archive, drafts: Sequence[Draft], prepared: Sequence[Prepared], tx: Transaction) -> list[str]:
    return archive.add(tx, SCOPE, drafts, prepared)


async def fill(archive: Archive, rows: int, sentence: Callable[[], str]) -> float:
    """Archive `rows` passages in batches; returns rows per second."""
    start = time.perf_counter()
    for first in range(0, rows, BATCH):
        drafts = [Draft(sentence()) for _ in range(min(BATCH, rows - first))]
        prepared = await archive.prepare([draft.text for draft in drafts])
        await archive.journal.write(partial(add, archive, drafts, prepared))
        if first % (20 * BATCH) == 0:
            await archive.flush()
    await archive.flush()
    await archive.maintain()
    return rows / (time.perf_counter() - start)


async def hybrid(archive: Archive, question: str, vector: list[float]) -> object:
    """LanceDB's own hybrid query on the archive's table."""
    from pagekeeper.runtime.archive.store import matching

    generation = await archive.tables()
    assert generation is not None
    query = generation.table("passage").query().nearest_to(vector).distance_type("cosine").refine_factor(5)
    query = query.nearest_to_text(matching(terms(question)))
    return await query.where(f"scope = '{SCOPE.agent}/{SCOPE.user}'").limit(100).to_arrow()


async def measure(home: Path, rows: int, searches: int) -> None:
    clock = SystemClock()
    journal = Journal.open(home, clock=clock, ids=RandomIds())
    embedder = WordLlamaEmbedder()
    embedder.load()
    archive = await Archive.open(journal, embedder, clock=clock)
    recall = Recall(archive)
    counter = TokenCounter()
    counter.count("warm")
    await recall.note(SCOPE, "warm the reader up", [], 500, counter)
    empty = await timed(searches, lambda _: recall.note(SCOPE, "What am I allergic to?", [], 500, counter))
    print(f"{rows:>9,} | recall with an empty archive {median(empty)}")
    sentence = sentences(rows)
    rate = await fill(archive, rows, sentence)
    questions = [" ".join(sentence().split()[:7]) for _ in range(searches)]
    vectors = [list((await embedder.embed_queries([question]))[0]) for question in questions]
    query = [Query(SCOPE, question, tables=("passage",)) for question in questions]
    both = [Query(SCOPE, question) for question in questions]

    async def asking(number: int) -> object:
        return await archive.search(query[number])

    async def asking_lancedb(number: int) -> object:
        return await hybrid(archive, questions[number], vectors[number])

    async def asking_for_both(number: int) -> object:
        return await archive.search(both[number])

    async def adding(number: int) -> object:
        draft, ready = prepared[number]
        return await journal.write(partial(add, archive, [draft], [ready]))

    await timed(5, asking)
    await timed(5, asking_lancedb)
    embed = await timed(searches, lambda number: embedder.embed_queries([questions[number]]))
    # Turn and turn about, so that whatever else the machine does falls on both alike.
    own, theirs = [], []
    for number in range(searches):
        theirs += await timed(1, partial(at, number, asking_lancedb))
        own += await timed(1, partial(at, number, asking))
    all_tables = await timed(searches, asking_for_both)
    prepared = [(Draft(text), (await archive.prepare([text]))[0]) for text in (sentence() for _ in range(searches))]
    insert = await timed(searches, adding)
    commit = await timed(
        searches, lambda _: journal.write(lambda tx: write_meta(tx.connection, "bench", RandomIds().new("turn")))
    )
    ratio = statistics.median(own) / statistics.median(theirs)
    state = await archive.state()
    print(f"{'':>9} | hybrid of LanceDB {median(theirs)} | search {median(own)} (p95 {p95(own)}) = {ratio:.2f} x")
    print(f"{'':>9} | search of passages and messages {median(all_tables)} | embedding a question {median(embed)}")
    print(
        f"{'':>9} | insert {median(insert)} (p95 {p95(insert)}); a commit of one value {median(commit)}"
        f" | bulk {rate:,.0f} rows/s"
    )
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{'':>9} | on disk {state.bytes / 2**20:,.0f} MiB | peak of the process {resident:,} MiB", flush=True)
    await archive.close()
    journal.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--searches", type=int, default=60)
    parser.add_argument("--home", type=Path, help="where to put the homes; a temporary folder otherwise")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows:
            home = (given.home or Path(folder)) / str(rows)
            home.mkdir(parents=True)
            await measure(home, rows, given.searches)


if __name__ == "__main__":
    asyncio.run(main())
