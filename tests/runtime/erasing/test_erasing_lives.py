"""Erasing, in histories in which anything may happen: what is gone stays gone, and the rest is as it was."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Text, select, type_coerce

from pagekeeper.assembly import Home
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import last_seq
from pagekeeper.tests.support.checks import assert_whole
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.erasing import holding
from pagekeeper.tests.support.lives import TAG, Life, World


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_what_is_erased_never_comes_back_and_the_rest_stays(data: Any) -> None:
    asyncio.run(_in_world(data))


async def _in_world(data: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(folder, embedder=HashEmbedder(), clock=ManualClock(), ids=CountingIds())
        try:
            async with AsyncExitStack() as stack:
                world = World(data.draw, home, stack)
                await _live(world, Path(folder))
            for what in world.happened:
                event(what)
        finally:
            await home.close()


async def _live(world: World, folder: Path) -> None:
    await world.open("ada")
    erased: set[str] = set()
    for _ in range(world.draw(st.integers(4, 12), "acts")):
        life = world.draw(st.sampled_from(world.lives), "who")
        last: int = await life.read(lambda connection, life=life: last_seq(connection, life.id))
        kind = world.draw(st.sampled_from(["act", "act", "act", "rewind", "fork", "erase"]), "kind")
        if kind == "rewind":
            await world.rewind(life, world.draw(st.integers(1, last), "to"))
        elif kind == "fork" and len(world.lives) < 3:
            await world.fork(life, world.draw(st.integers(1, last), "at"))
        elif kind == "erase":
            await _erase(world, life, folder, erased)
        else:
            await world.act(life)
        await life.read(assert_whole)
        await life.check()
        assert not erased & await life.read(_told), "something that was erased is back"
    await _erase(world, world.lives[0], folder, erased)
    assert holding(folder, *erased) == []


async def _erase(world: World, life: Life, folder: Path, erased: set[str]) -> None:
    """Erase one of the words that were ever said, and see that it is gone, and which others are not."""
    before: set[str] = await life.read(_told)
    if not before:
        return
    word = world.draw(st.sampled_from(sorted(before)), "erased")
    count = await life.read(_count)
    found = await life.main.memory.erasable(word, forks=True)
    assert found, f"{word} is not found"
    done = await life.main.memory.erase(found, "erase")
    world.happened["erase"] += 1
    gone = {tag for find in found.finds for tag in TAG.findall(find.text)}
    assert word in gone
    after: set[str] = await life.read(_told)
    assert before - gone <= after <= before - {word}, "something else is gone"
    assert holding(folder, word) == []
    edits = [row for row in await life.read(_since(count)) if row != "memory.erased"]
    assert set(edits) <= {"block.edited", "passage.retired"}
    assert not done.files
    erased.add(word)


def _told(connection: Connection) -> set[str]:
    """All words that the journal holds."""
    payloads = connection.execute(select(type_coerce(tables.events.c.payload, Text))).scalars()
    return {tag for payload in payloads for tag in TAG.findall(payload)}


def _count(connection: Connection) -> int:
    return int(
        connection.execute(select(tables.events.c.row).order_by(tables.events.c.row.desc()).limit(1)).scalar_one()
    )


def _since(row: int) -> Any:
    def read(connection: Connection) -> list[str]:
        return list(connection.execute(select(tables.events.c.type).where(tables.events.c.row > row)).scalars())

    return read
