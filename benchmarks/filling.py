"""What the benchmarks of the archive share: made-up passages, an archive full of them, and LanceDB's own query.

The passages are sentences of made-up words, as unevenly common as those of a language. A tenth of them belong to
another user; each has a kind, up to three tags, and a day of one year. All of it follows from a seed. Every passage
goes the product's way: chunked, embedded, acknowledged by the journal, flushed to LanceDB, put in order.
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path
from zoneinfo import ZoneInfo

from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.choices import KINDS
from pagekeeper.runtime.archive.drafts import Draft, Prepared
from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder
from pagekeeper.runtime.archive.filters import conditions
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.terms import terms
from pagekeeper.runtime.clock import SystemClock
from pagekeeper.runtime.home import prepare
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal.journal import Journal, Transaction
from pagekeeper.runtime.scope import Scope

SCOPE = Scope("ag-bench", "bench", "me", "cv-bench", "main", ZoneInfo("UTC"))
OTHER = Scope("ag-bench", "bench", "other", "cv-other", "main", ZoneInfo("UTC"))
"""The one whose passages are a tenth of all."""
TAGS = tuple(f"tag{number}" for number in range(20))
FIRST_DAY = date(2025, 1, 1)
BATCH = 1000
"""Passages in one transaction."""
BETWEEN = 20_000
"""Passages that are archived before they are flushed and put in order."""


def sentences(seed: int) -> Callable[[], str]:
    """A source of sentences whose words are as unevenly common as those of a language."""
    randomly = random.Random(seed)
    letters = "aeiou", "bcdfghklmnprstvw"
    syllables = [consonant + vowel for vowel in letters[0] for consonant in letters[1]]
    words = ["".join(randomly.choices(syllables, k=randomly.randint(2, 4))) for _ in range(20_000)]
    weights = list(accumulate(1 / (place + 8) for place in range(len(words))))

    def one() -> str:
        return " ".join(randomly.choices(words, cum_weights=weights, k=randomly.randint(8, 30))).capitalize() + "."

    return one


def drafts(seed: int) -> Iterator[Draft]:
    """Passages without end."""
    randomly = random.Random(seed)
    sentence = sentences(seed)
    while True:
        yield Draft(
            sentence(),
            kind=randomly.choice(KINDS),
            tags=tuple(randomly.sample(TAGS, randomly.randint(0, 3))),
            event_time=FIRST_DAY + timedelta(days=randomly.randrange(365)),
        )


def questions(seed: int, count: int) -> list[str]:
    """Questions of seven words each."""
    sentence = sentences(seed)
    return [" ".join(sentence().split()[:7]) for _ in range(count)]


@contextlib.asynccontextmanager
async def opened(home: Path, *, background: bool = False) -> AsyncIterator[Archive]:
    """The archive of a home, which is made if it is new, with the embedder loaded."""
    prepare(home)
    clock = SystemClock()
    embedder = WordLlamaEmbedder()
    embedder.load()
    journal = Journal.open(home, clock=clock, ids=RandomIds())
    archive = await Archive.open(journal, embedder, clock=clock, background=background)
    try:
        yield archive
    finally:
        await archive.close()
        journal.close()


def add(
    archive: Archive, scope: Scope, given: Sequence[Draft], prepared: Sequence[Prepared], tx: Transaction
) -> list[str]:
    """Archive passages in a transaction."""
    return archive.add(tx, scope, given, prepared)


async def put(archive: Archive, given: Sequence[Draft], scope: Scope = SCOPE) -> None:
    """Archive passages in one transaction."""
    prepared = await archive.prepare([draft.text for draft in given])
    await archive.journal.write(partial(add, archive, scope, given, prepared))


async def fill(archive: Archive, rows: int, source: Iterator[Draft], *, tell: bool = True) -> float:
    """Archive `rows` passages, a tenth of them the other user's; returns how many a second."""
    start = time.perf_counter()
    for done in range(0, rows, BATCH):
        some = [next(source) for _ in range(min(BATCH, rows - done))]
        share = len(some) // 10
        await put(archive, some[share:])
        await put(archive, some[:share], OTHER)
        if (done + BATCH) % BETWEEN == 0:
            await archive.flush()
            await archive.maintain()
            if tell and sys.stderr.isatty():
                print(f"\r{done + BATCH:,} of {rows:,} archived", end="\r", file=sys.stderr, flush=True)
    await archive.flush()
    await archive.maintain()
    return rows / (time.perf_counter() - start)


async def hybrid(archive: Archive, query: Query, vector: Sequence[float], columns: Sequence[str] = ()) -> object:
    """LanceDB's own hybrid query for 100 rows of the archive's table, with the conditions of `query`."""
    from pagekeeper.runtime.archive.store import matching

    generation = await archive.tables()
    assert generation is not None
    where = " AND ".join(one.sql for one in conditions(query, archive.clock.now()) if one.sql)
    asked = generation.table("passage").query().nearest_to(vector).distance_type("cosine").refine_factor(5)
    asked = asked.nearest_to_text(matching(terms(query.text))).where(where)
    if columns:
        asked = asked.select(list(columns))
    return await asked.limit(100).to_arrow()
