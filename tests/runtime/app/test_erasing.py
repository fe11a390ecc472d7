"""Erasing what an app remembers of a user: looked at first, confirmed, and of nobody else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from pagekeeper import Home, Memory
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.errors import NotFound, UsageError
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.erasing import holding

SECRET = "zarquon4711"
SAID = f"The code of the vault is {SECRET}."
BOTH = f"Ada likes green tea and plays the cello in the orchestra of the old town, and {SECRET} opens it."


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home.open(tmp_path / "home", embedder=HashEmbedder(), clock=ManualClock(), background=False)
    yield made
    assert made.journal.read_now(differences) == {}
    await made.close()


def opened(home: Home, app: str = "shop", user: str = "ada") -> AbstractAsyncContextManager[Memory]:
    return Memory.open(home=home, app=app, user=user, timezone="UTC")


async def texts(memory: Memory, **conditions: Any) -> list[str]:
    return [one.text for one in await memory.list(**conditions)]


async def test_it_is_looked_at_first_and_then_gone_from_every_byte(home: Home) -> None:
    async with opened(home) as memory:
        (code,) = await memory.add(SAID, tags=["told"])
        await memory.update(code, f"The code of the vault is still {SECRET}.")
        await memory.add("Ada sails on Sundays.")
        found = await memory.erase(SECRET)
        assert {find.text for find in found.finds} == {SAID, f"The code of the vault is still {SECRET}."}
        assert len(await texts(memory, statuses=("active", "superseded"))) == 3
        assert holding(home.path, SECRET)
        done = await memory.erase(found, confirm=True)
        assert (done.passages, done.messages, done.kept, done.files) == (2, 0, [], [])
        assert await texts(memory) == ["Ada sails on Sundays."]
        receipt = json.dumps([[event.type, event.payload] for event in done.events])
        assert "memory.erased" in receipt
        assert SECRET not in receipt
        assert "code of" not in receipt
    assert holding(home.path, SECRET) == []


async def test_of_what_is_partial_it_must_be_said_whether_it_goes(home: Home) -> None:
    async with opened(home) as memory:
        await memory.add([{"role": "user", "content": SAID}, {"role": "user", "content": BOTH}])
        found = await memory.erase(SECRET)
        assert [find.text for find in found.partial] == [BOTH]
        with pytest.raises(UsageError, match="a part of it"):
            await memory.erase(found, confirm=True)
        with pytest.raises(UsageError, match="not among what is partial"):
            await memory.erase(found, partial=["something else"], confirm=True)
        assert len(await texts(memory)) == 2, "what was refused has changed nothing"
        kept = await memory.erase(found, partial="keep", confirm=True)
        assert [find.text for find in kept.kept] == [BOTH]
        assert await texts(memory) == [BOTH]
        await memory.erase(SECRET, partial=[BOTH], confirm=True)
        assert await texts(memory) == []
    assert holding(home.path, SECRET) == []


async def test_nobody_elses_memory_is_shown_or_touched(home: Home) -> None:
    """Neither another user's of the same app, nor another app's of the same user, where they say the very same."""
    for app, user in (("shop", "bob"), ("bank", "ada")):
        async with opened(home, app, user) as other:
            await other.add(SAID)
    async with opened(home) as memory:
        (code,) = await memory.add(f"{SAID} Ada said so.")
        found = await memory.erase(SECRET)
        assert [find.places for find in found.finds if find.text == SAID] == [{"passage": 1}]
        async with opened(home, "bank") as bank:
            (theirs,) = [one.id for one in await bank.list()]
            with pytest.raises(UsageError, match="another agent or user"):
                await bank.erase(found, confirm=True)
        with pytest.raises(NotFound):
            await memory.erase(ids=[theirs], confirm=True)
        done = await memory.erase(ids=[code[:8]], confirm=True)
        assert done.passages == 1
        assert await texts(memory) == []
    for app, user in (("shop", "bob"), ("bank", "ada")):
        async with opened(home, app, user) as other:
            assert await texts(other) == [SAID]


async def test_what_came_since_is_not_erased_unseen(home: Home) -> None:
    async with opened(home) as memory:
        await memory.add(SAID)
        found = await memory.erase(SECRET)
        await memory.add(BOTH)
        with pytest.raises(UsageError, match="Memory has changed since you looked"):
            await memory.erase(found, confirm=True)
        assert sorted(await texts(memory)) == sorted([SAID, BOTH])


async def test_what_is_asked_for_wrongly_is_refused(home: Home) -> None:
    async with opened(home) as memory:
        await memory.add(SAID)
        found = await memory.erase(SECRET)
        wrong: Any = memory.erase
        both: list[dict[str, Any]] = [{"what": one, "ids": ["p-1"]} for one in (SECRET, found)]
        for arguments in ({}, *both, {"what": "everything"}):
            with pytest.raises(UsageError):
                await wrong(**arguments, confirm=True)
        with pytest.raises(UsageError, match="decides on what is erased"):
            await wrong(SECRET, partial="keep")
        for ids in ("p-1", None, 5, [5], [""]):
            with pytest.raises(UsageError, match="`ids` must be a list of ids"):
                await wrong(ids=ids)
        with pytest.raises(UsageError, match="`confirm` is true or false"):
            await wrong(found, confirm="no")
        with pytest.raises(UsageError, match="`partial` cannot be 5"):
            await wrong(found, partial=5, confirm=True)
        assert await texts(memory) == [SAID]
