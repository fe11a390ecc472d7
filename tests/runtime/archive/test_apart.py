"""Upkeep in a process of its own: what it does, when it leaves things alone, and what a kill of it costs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pagekeeper.runtime.archive import apart, tending
from pagekeeper.runtime.archive.apart import NotStarted, Order
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.errors import ArchiveError
from pagekeeper.tests.support.archives import Home, find, put, scope, texts


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


async def all_ids(archive: Archive) -> list[str]:
    return sorted(hit.id for hit in await find(archive, scope(), "row", limit=1000))


def rows(first: int, last: int) -> list[str]:
    return [f"row{number} of many" for number in range(first, last)]


@pytest.mark.parametrize("space", ["hash/32/1", "litellm/some model/full/query: |passage: "])
@pytest.mark.parametrize("dimension", [None, 32])
def test_an_order_is_the_same_on_the_other_side(space: str, dimension: int | None) -> None:
    order = Order(Path("/a home/of mine"), space, dimension, 17, True)
    assert Order.read(order.words()) == order


async def test_what_is_pending_is_flushed_and_put_in_order_and_this_process_has_no_part_in_it(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), rows(0, 300))
        await archive._keeper.work_apart(all_of_it=True)
        assert not archive._view.loaded()
        assert not archive._keeper.holds
        assert archive._keeper.pending() == 0
    async with home.archive(resident=0) as archive:
        state = await archive.state()
        assert (state.passages, state.pending, state.unindexed, state.unembedded) == (300, 0, 0, 0)
        assert state.maintained is not None
        assert (await texts(archive, scope(), "row77"))[0] == "row77 of many"


async def test_what_is_committed_after_the_order_waits_for_the_next_one(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        first = await put(archive, scope(), rows(0, 3))
        await archive._view.catch_up()
        through = archive._view.memory.newest
        second = await put(archive, scope(), rows(3, 5))
        order = Order(home.path, home.embedder.fingerprint, home.embedder.dimension, through, all_of_it=False)
        await apart.run(order)
        state = await archive.state()
        assert (state.passages, state.pending) == (5, 0)  # the first flush makes the tables, of all there is
        third = await put(archive, scope(), rows(5, 6))
        await archive._view.catch_up()
        through = archive._view.memory.newest
        fourth = await put(archive, scope(), rows(6, 8))
        await apart.run(Order(home.path, order.space, order.dimension, through, all_of_it=False))
        state = await archive.state()
        assert (state.passages, state.pending) == (6, 2)
        assert await all_ids(archive) == sorted(first + second + third + fourth)


async def test_it_leaves_an_archive_alone_that_another_process_writes_to(home: Home) -> None:
    async with home.archive(resident=0) as theirs, home.archive(resident=0) as archive:
        await put(archive, scope(), rows(0, 3))
        assert await theirs.flush() == 3
        await put(archive, scope(), rows(3, 5))
        await archive._keeper.work_apart()
        order = Order(home.path, home.embedder.fingerprint, home.embedder.dimension, 100, all_of_it=True)
        await apart.run(order)
        state = await archive.state()
        assert (state.passages, state.pending) == (3, 2)


async def test_who_claims_the_archive_waits_for_the_upkeep_under_way_and_then_does_it_alone(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    run = apart.run

    async def held(order: Order) -> None:
        begun.set()
        await go.wait()
        await run(order)

    monkeypatch.setattr(apart, "run", held)
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), rows(0, 3))
        working = asyncio.ensure_future(archive._keeper.work_apart())
        await begun.wait()
        claiming = asyncio.ensure_future(archive.claim())
        await asyncio.sleep(0)
        assert not claiming.done()
        go.set()
        await claiming
        await working
        assert archive._keeper.holds
        begun.clear()
        await put(archive, scope(), rows(3, 5))
        await archive._keeper.work_apart()
        assert not begun.is_set()
        assert archive._keeper.holds
        state = await archive.state()
        assert (state.passages, state.pending) == (5, 0)


@pytest.mark.parametrize("executable", ["/nowhere/python", "/bin/false", ""])
async def test_where_no_process_can_be_started_it_is_done_in_this_one(
    home: Home, monkeypatch: pytest.MonkeyPatch, executable: str
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), rows(0, 3))
        with pytest.raises(NotStarted):
            await apart.run(Order(home.path, "any", None, 0, all_of_it=False))
        await archive._keeper.work_apart()
        state = await archive.state()
        assert (state.passages, state.pending) == (3, 0)


async def test_what_goes_wrong_there_is_told_here(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), rows(0, 3))
        (home.path / "archive").write_text("no folder")
        with pytest.raises(ArchiveError, match=r"is no folder.*Move it elsewhere"):
            await archive._keeper.work_apart()
        await archive._tending.settle()
        assert archive.trouble is not None
        assert "is no folder" in archive.trouble
        (home.path / "archive").unlink()
        await archive._tending.settle()
        assert archive.trouble is None
        assert (await archive.state()).passages == 3


@pytest.mark.parametrize(
    "failpoint",
    [
        "archive.rebuild.before_switch",
        "archive.rebuild.after_switch",
        "archive.flush.before_write",
        "archive.flush.before_watermark",
        "archive.flush.after_watermark",
        "archive.optimize.before",
        "archive.optimize.after",
    ],
)
async def test_killing_it_at_any_point_loses_nothing_and_leaves_nothing_twice(
    home: Home, monkeypatch: pytest.MonkeyPatch, failpoint: str
) -> None:
    async with home.archive(resident=0) as archive:
        made = await put(archive, scope(), rows(0, 3))
        if "rebuild" not in failpoint:
            await archive._keeper.work_apart()
            made += await put(archive, scope(), rows(3, 6))
        monkeypatch.setenv("PAGEKEEPER_FAILPOINT", failpoint)  # read by processes that start from here on
        with pytest.raises(ArchiveError, match="signal 9"):
            await archive._keeper.work_apart(all_of_it=True)
        assert await all_ids(archive) == sorted(made)
        monkeypatch.delenv("PAGEKEEPER_FAILPOINT")
        made += await put(archive, scope(), ["row, and one more"])
        await archive._keeper.work_apart(all_of_it=True)
        assert await all_ids(archive) == sorted(made)
        state = await archive.state()
        assert (state.passages, state.pending) == (len(made), 0)


def endless() -> subprocess.Popen[str]:
    """A process that does not end by itself."""
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def test_who_is_about_to_end_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "GRACE", 0)
    with endless() as process:
        monkeypatch.setattr(apart, "_start", lambda order: process)
        running = asyncio.ensure_future(apart.run(Order(Path("x"), "x", None, 0, all_of_it=False)))
        await asyncio.sleep(0)
        assert process.poll() is None
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert process.returncode is not None


@pytest.mark.skipif(sys.platform == "win32", reason="there the priority is given at the start")
def test_it_gives_way_to_all_others() -> None:
    code = """
import os, sys
from pagekeeper.runtime.archive import apart
async def tell(order):
    print(os.nice(0), order.through)
apart.carry_out = tell
apart.main()
"""
    words = Order(Path("x"), "x", None, 17, all_of_it=False).words()
    told = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["19", "17"]


# -- when it is done --------------------------------------------------------------------------------


async def test_enough_rows_are_flushed_at_once_and_a_few_in_an_idle_moment(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tending, "FLUSH_ROWS", 10)
    monkeypatch.setattr(tending, "BURST_SECONDS", 0)
    async with home.archive(resident=0, idle=1000) as archive:
        background = archive._tending

        async def arrive(first: int, last: int) -> None:
            await put(archive, scope(), rows(first, last))
            background.changed.set()
            await background._once()

        await arrive(0, 9)
        assert background._working is None
        await arrive(9, 10)
        assert background._working is not None
        await background._working
        await arrive(10, 19)
        assert background._working.done()
        state = await archive.state()
        assert (state.passages, state.pending) == (10, 9)
        background._idle = 0
        await background._once()
        await background._working
        state = await archive.state()
        assert (state.passages, state.pending, state.unindexed) == (19, 0, 0)
        # There is nothing to be done now, and no process is started for it.
        done = background._working
        await background._once()
        assert background._working is done


async def test_rows_are_embedded_while_upkeep_goes_on(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tending, "FLUSH_ROWS", 1)
    monkeypatch.setattr(tending, "BURST_SECONDS", 0)
    begun, go = asyncio.Event(), asyncio.Event()

    async def held(order: Order) -> None:
        begun.set()
        await go.wait()

    monkeypatch.setattr(apart, "run", held)
    async with home.archive(resident=0, background=True, idle=1000) as archive:
        await put(archive, scope(), rows(0, 1))
        async with asyncio.timeout(30):
            await begun.wait()
        await home.say(scope(), "I moved to Lisbon.")
        archive.touch()
        async with asyncio.timeout(30):
            while "I moved to Lisbon." not in home.embedder.texts:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        go.set()
