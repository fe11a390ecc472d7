"""Rewinding, in histories in which anything may happen: what goes back, what comes back, and what stays away."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import event as label
from hypothesis import strategies as st

from pagekeeper.assembly import Home
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.forgetting.force import forgettings
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal.journal import last_seq
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.lives import THREADS, Life, Results, World
from pagekeeper.tests.support.moments import Moment, moment

wild = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@wild
@given(data=st.data())
def test_a_rewind_goes_back_and_can_be_undone(data: Any) -> None:
    asyncio.run(in_world(data, there_and_back))


@wild
@given(data=st.data())
def test_a_fork_and_its_origin_never_touch_each_other(data: Any) -> None:
    asyncio.run(in_world(data, apart))


async def in_world(data: Any, live: Callable[[World], Awaitable[None]]) -> None:
    """Live in a new home; in the end its tables are what the events make."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(folder, embedder=HashEmbedder(), clock=ManualClock(), ids=CountingIds())
        try:
            async with AsyncExitStack() as stack:
                world = World(data.draw, home, stack)
                await live(world)
                for one in world.lives:
                    await one.check()
            assert home.journal.read_now(differences) == {}
            for what in world.happened:
                label(what)
        finally:
            await home.close()


async def there_and_back(world: World) -> None:
    life = await world.open("ada")
    known: dict[int, tuple[Moment, list[Results]]] = {}
    for _ in range(world.draw(st.integers(4, 12), "acts")):
        await world.act(life)
        await life.check()
        known[await newest(life)] = await life.now(), await life.found()
        if world.draw(st.booleans(), "rewind"):
            await rewound(world, life, known)


async def rewound(world: World, life: Life, known: dict[int, tuple[Moment, list[Results]]]) -> None:
    """Rewind, see what that did, and perhaps undo it."""
    last = await newest(life)
    to = world.draw(st.one_of(st.sampled_from(sorted(known)), st.integers(1, last)), "to")
    thread = world.draw(st.sampled_from([None, None, *THREADS]), "only")
    before, found = await life.now(), await life.found()
    then: Moment = await life.read(lambda connection: moment(connection, life.id, to))
    gone = await forgotten_since(life, to)
    shown, event = await world.rewind(life, to, thread)
    now: Moment = await life.now()
    only = life.agents[thread].scope.conversation if thread else None
    for conversation in before.messages.keys() | then.messages.keys():
        was, said = before.messages.get(conversation, []), now.messages.get(conversation, [])
        if only in (None, conversation):
            was = then.messages.get(conversation, [])
            assert all(message["role"] == "tool" for message in said[len(was) :])
            said = said[: len(was)]
        assert said == was
    if only is None:
        assert now.passages == then.passages
        if not gone:
            assert now.blocks == then.blocks
            assert now.windows == then.windows
        assert now.blocks.keys() == then.blocks.keys()
        for key, block in now.blocks.items():
            assert set(block["value"].split("\n")) <= {"", *then.blocks[key]["value"].split("\n")}
        if not gone and to in known:
            assert now == known[to][0]
            assert texts(await life.found()) == texts(known[to][1])
    else:
        assert (now.passages, now.blocks, now.withheld) == (before.passages, before.blocks, before.withheld)
    left, came = talk(before) - talk(now), talk(now) - talk(before)
    assert (shown.messages, shown.restored) == (len(left), len(came))
    assert set(shown.blocks) == {key[1] for key in changed(before.blocks, now.blocks)}
    assert shown.passages == len(changed(before.passages, now.passages))
    await life.check()
    if world.draw(st.booleans(), "undo"):
        await world.rewind(life, event - 1, thread)
        assert await life.now() == before
        assert await life.found() == found
        await life.check()
    known[await newest(life)] = await life.now(), await life.found()


async def apart(world: World) -> None:
    await world.open("ada")
    seen: dict[str, tuple[Moment, list[list[tuple[str, str]]]]] = {}
    for _ in range(world.draw(st.integers(5, 12), "acts")):
        life = world.draw(st.sampled_from(world.lives), "who")
        last = await newest(life)
        kind = world.draw(st.sampled_from(["act", "act", "act", "rewind", "fork"]), "kind")
        if kind == "rewind" and last:
            await world.rewind(life, world.draw(st.integers(1, last), "to"))
        elif kind == "fork" and len(world.lives) < 3:
            await forked(world, life, world.draw(st.one_of(st.just(last), st.integers(1, last)), "at"))
        else:
            await world.act(life)
        await life.check()
        for other in world.lives:
            if other is not life and other.name in seen:
                assert await look(other) == seen[other.name], "another agent was touched"
        seen = {one.name: await look(one) for one in world.lives}


async def forked(world: World, life: Life, at: int) -> None:
    """Fork, and see that the copy has what the origin had."""
    then: Moment = await life.read(lambda connection: moment(connection, life.id, at))
    gone = await forgotten_since(life, at)
    copy = await world.fork(life, at)
    now: Moment = await life.read(lambda connection: moment(connection, copy.id))
    if not gone:
        # A conversation that was opened since adds the blocks that it lacks.
        assert now.blocks.items() >= then.blocks.items()
    ours = {row["origin_id"]: row for row in now.passages.values()}
    assert ours.keys() == then.passages.keys()
    for origin, row in then.passages.items():
        assert {name: ours[origin][name] for name in SAME} == {name: row[name] for name in SAME}
    origins = {row["id"]: row["origin_id"] for row in now.passages.values()}
    for origin, row in then.passages.items():
        assert origins.get(ours[origin]["superseded_by"]) == row["superseded_by"]
    threads = sorted(now.messages.values(), key=lambda said: str(said[0]["origin_id"]))
    were = sorted(then.messages.values(), key=lambda said: str(said[0]["id"]))
    assert len(threads) == len(were)
    for said, was in zip(threads, were, strict=True):
        assert [row["origin_id"] for row in said[: len(was)]] == [row["id"] for row in was]
        assert [spoken(row) for row in said[: len(was)]] == [spoken(row) for row in was]
        assert all(row["role"] == "tool" for row in said[len(was) :])
    await copy.check()


SAME = ("text", "kind", "tags", "status", "writer", "created_at", "importance", "user")


def spoken(message: dict[str, Any]) -> list[Any]:
    return [message[name] for name in ("ordinal", "session", "role", "parts", "calls", "call_id", "text", "at", "user")]


async def forgotten_since(life: Life, moment: int) -> bool:
    events = await life.read(lambda connection: forgettings(connection, life.id))
    return any(event.seq > moment for event in events)


async def look(life: Life) -> tuple[Moment, list[list[tuple[str, str]]]]:
    """An agent's state, and what it finds."""
    return await life.now(), texts(await life.found())


def texts(found: list[Results]) -> list[list[tuple[str, str]]]:
    """What was found, by id: the figures that it is ranked by may also count rows that have left."""
    return [sorted((item, text) for item, text, _score in results) for results in found]


def talk(state: Moment) -> set[str]:
    return {row["id"] for said in state.messages.values() for row in said if row["role"] != "tool"}


def changed(one: dict[Any, Any], other: dict[Any, Any]) -> set[Any]:
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


async def newest(life: Life) -> int:
    return int(await life.read(lambda connection: last_seq(connection, life.id)))
