"""Upkeep: what is due when, and what it leaves alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest

from pagekeeper.runtime.archive import store, upkeep
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.store import Generation, Shape
from pagekeeper.runtime.archive.vectors import unit
from pagekeeper.runtime.errors import ArchiveBroken, HomeFull
from pagekeeper.tests.support.archives import Home, find, put, scope, texts


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


async def opened(archive: Archive) -> Generation:
    tables = await archive.tables()
    assert tables is not None
    return tables


class Table:
    """A table whose `optimize` fails with each of the given errors first."""

    def __init__(self, real: Any, *errors: Exception) -> None:
        self.real = real
        self.errors = list(errors)
        self.calls: list[str] = []
        self.options: dict[str, Any] = {}

    async def optimize(self, **options: Any) -> None:
        self.calls.append("optimize")
        self.options = options
        if self.errors:
            raise self.errors.pop(0)
        await self.real.optimize(**options)

    async def checkout_latest(self) -> None:
        self.calls.append("refresh")
        await self.real.checkout_latest()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def replaced(monkeypatch: pytest.MonkeyPatch, tables: Generation, *errors: Exception) -> Table:
    """Put a `Table` in the place of the passages' one."""
    table = Table(tables.table("passage"), *errors)
    monkeypatch.setitem(tables._tables, "passage", table)
    return table


CONFLICT = "lance error: Retryable commit conflict for version 7: it was rewritten meanwhile"


# -- what is due ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "due"),
    [
        (Shape(rows=1000, fresh=255, fragments=4, indexes=8, vector_parts=None), False),
        (Shape(rows=1000, fresh=256, fragments=4, indexes=8, vector_parts=None), True),
        (Shape(rows=60_000, fresh=256, fragments=4, indexes=9, vector_parts=1), True),
        (Shape(rows=1_000_000, fresh=3000, fragments=30, indexes=9, vector_parts=1), False),
        (Shape(rows=1_000_000, fresh=4000, fragments=30, indexes=9, vector_parts=1), True),
        (Shape(rows=1000, fresh=33, fragments=33, indexes=8, vector_parts=None), True),
        (Shape(rows=1000, fresh=0, fragments=33, indexes=8, vector_parts=None), False),
    ],
)
def test_a_table_is_optimized_every_few_hundred_rows_and_a_large_one_every_few_thousand(
    shape: Shape, due: bool
) -> None:
    assert upkeep.due(shape) is due


async def test_the_indexes_that_must_be_there_from_the_start_are(tmp_path: Path) -> None:
    made = await Generation.create(tmp_path, 1, 32)
    for kind in ("passage", "message"):
        found = {index.columns[0]: index.index_type for index in await made.table(kind).list_indices()}
        assert found == {
            "id": "BTree",
            "at": "BTree",
            "spot": "BTree",
            "scope": "Bitmap",
            "status": "Bitmap",
            "embedded": "Bitmap",
            "tags": "LabelList",
            "terms": "FTS",
        }
    made.close()


@pytest.mark.parametrize(
    ("least", "most", "kept"),
    [(64 * 2**20, 2**30, [64 * 2**20]), (1000, 2**30, [1000, 10 * (32 + 128)]), (1000, 1500, [1000, 1500])],
)
async def test_as_much_of_the_indexes_is_kept_in_memory_as_the_rows_need(
    home: Home, monkeypatch: pytest.MonkeyPatch, least: int, most: int, kept: list[int]
) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), [f"number {n}" for n in range(10)])
        await archive.flush()
        folder = (await opened(archive)).folder
    asked: list[int] = []
    session = lancedb.Session

    def noticed(**sizes: int) -> Any:
        asked.append(sizes["index_cache_size_bytes"])
        return session(**sizes)

    monkeypatch.setattr(lancedb, "Session", noticed)
    monkeypatch.setattr(store, "_INDEX_CACHE", (least, most))
    tables = await Generation.open(folder.parent, 1)
    assert tables.dimension == 32
    assert await tables.count("passage") == 10
    assert asked == kept
    tables.close()


async def test_rows_are_put_in_order_once_there_are_enough_of_them(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        await archive.flush()
        for count in (upkeep.OPTIMIZE_ROWS - 1, 1):
            await put(archive, scope(), [f"row{number}" for number in range(count)])
            await archive.flush()
            await archive._keeper.maintain()
            assert (await archive.state()).unindexed == (0 if count == 1 else count)


async def test_many_short_processes_leave_no_more_fragments_than_one_long_one(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "MOST_FRAGMENTS", 3)
    most = 0
    for number in range(9):
        async with home.archive(resident=0) as archive:
            await put(archive, scope(), [f"row{number}"])
            await archive.flush()
            most = max(most, (await archive.state()).fragments)
    assert most == 4
    async with home.archive(resident=0) as archive:
        assert len(await find(archive, scope(), "row1")) == 9


async def test_vectors_are_indexed_once_there_are_many_and_anew_when_the_index_is_in_many_parts(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "INDEXED_ROWS", 300)
    monkeypatch.setattr(upkeep, "MOST_PARTS", 3)
    async with home.archive(resident=0) as archive:
        parts = []
        for first in (0, 299, 300, 400, 500, 600):
            count = {0: 299, 299: 1}.get(first, 100)
            await put(archive, scope(), [f"row{number}" for number in range(first, first + count)])
            await archive.flush()
            await archive.maintain()
            parts.append((await archive.state()).vector_parts)
        assert parts == [None, 1, 2, 3, 1, 2]
        index = next(
            one for one in await (await opened(archive)).table("passage").list_indices() if "vector" in one.columns
        )
        assert index.index_type == "IvfSq"
        assert (await texts(archive, scope(), "row450"))[0] == "row450"


async def test_the_index_loses_none_of_the_nearest(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors are rounded, and LanceDB does not refine them: a hundred candidates hold the ten that are nearest."""
    monkeypatch.setattr(upkeep, "INDEXED_ROWS", 1000)
    async with home.archive(resident=0) as archive:
        words = [f"word{number % 37} other{number % 101} row{number}" for number in range(2000)]
        ids = await put(archive, scope(), words)
        await archive.flush()
        tables = await opened(archive)
        assert (await tables.shape("passage")).vector_parts == 1
        made = unit(await home.embedder.embed_passages(words))
        for question in unit(
            await home.embedder.embed_queries([f"word{number} other{number}" for number in range(20)])
        ):
            nearest = np.argsort(-(np.stack(made) @ question))[:10]
            found = {row.id for row in await tables.near("passage", "status = 'active'", question, 100)}
            assert {ids[place] for place in nearest} <= found


# -- what it leaves alone -------------------------------------------------------------------------


async def test_versions_that_others_may_be_reading_stay_for_minutes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        await archive.flush()
        tables = await opened(archive)
        version = await tables.table("passage").version()
        table = replaced(monkeypatch, tables)
        await put(archive, scope(), ["second"])
        await archive.flush()
        await archive.maintain()
        assert timedelta(minutes=5) <= table.options["cleanup_older_than"] <= timedelta(minutes=10)
        assert version in [one["version"] for one in await table.list_versions()]


async def test_a_table_that_another_process_has_written_to_is_not_optimized_as_it_was(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        await archive.flush()
        folder = home.path / "archive"
        ours, theirs = await Generation.open(folder, 1), await Generation.open(folder, 1)
        await ours.count("passage")
        await theirs.table("passage").delete("id = 'none'")
        await put(archive, scope(), ["second"])
        await archive.flush()
        await upkeep.optimize(ours, "passage")
        assert (await theirs.shape("passage")).fresh == 0
        ours.close()
        theirs.close()


# -- what goes wrong ------------------------------------------------------------------------------


async def test_a_commit_that_meets_another_is_tried_again_on_the_newest_version(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        await archive.flush()
        await put(archive, scope(), ["second"])
        await archive.flush()
        table = replaced(monkeypatch, await opened(archive), RuntimeError(CONFLICT), RuntimeError(CONFLICT))
        await archive.maintain()
        assert table.calls == ["optimize", "refresh", "optimize", "refresh", "optimize"]
        assert (await archive.state()).unindexed == 0


@pytest.mark.parametrize(
    ("words", "error", "calls"),
    [
        (CONFLICT, ArchiveBroken, 5),
        ("LanceError(IO): No space left on device (os error 28)", HomeFull, 1),
        ("LanceError: something else", ArchiveBroken, 1),
    ],
)
async def test_what_does_not_pass_is_raised(
    home: Home, monkeypatch: pytest.MonkeyPatch, words: str, error: type[Exception], calls: int
) -> None:
    async def at_once(_: float) -> None:
        return

    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        await archive.flush()
        table = replaced(monkeypatch, await opened(archive), *[RuntimeError(words)] * 5)
        monkeypatch.setattr(asyncio, "sleep", at_once)
        with pytest.raises(error):
            await upkeep.optimize(await opened(archive), "passage")
        assert table.calls.count("optimize") == calls


# -- opening anew ---------------------------------------------------------------------------------


async def test_the_tables_are_opened_anew_after_some_optimizes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "RECONNECT", 3)
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["row zero"])
        await archive.flush()  # makes the tables, with one optimize
        seen = []
        for number in range(4):
            await put(archive, scope(), [f"row {number}"])
            await archive.flush()
            await archive.maintain()
            seen.append(await opened(archive))
            assert len(await find(archive, scope(), "row")) == number + 2
        assert [one is seen[0] for one in seen] == [True, False, False, False]
        assert seen[1] is seen[2] is seen[3]


# -- the report -----------------------------------------------------------------------------------


async def test_the_state_tells_when_the_tables_were_put_in_order_and_how_they_lie(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        assert (await archive.state()).maintained is None
        await archive.flush()
        made = home.clock.now()
        home.clock.advance(timedelta(hours=1))
        for text in ("second", "third"):
            await put(archive, scope(), [text])
            await archive.flush()
        state = await archive.state()
        assert (state.maintained, state.unindexed, state.fragments, state.indexes) == (made, 2, 3, 16)
        await archive.maintain()
        state = await archive.state()
        assert (state.maintained, state.unindexed, state.fragments) == (home.clock.now(), 0, 2)
    async with home.archive(resident=0) as archive:
        assert (await archive.state()).maintained == home.clock.now()
