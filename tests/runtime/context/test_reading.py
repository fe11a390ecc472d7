"""Whatever happens to core memory, each request alone tells a reader the journal's value of every block in view."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine

from pagekeeper.runtime.journal.refold import differences
from pagekeeper.tests.support.agents import assert_paired, open_window
from pagekeeper.tests.support.reading import tokens_of
from pagekeeper.tests.support.wild import World, open_both


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_every_request_shows_blocks_as_they_are_and_extends_the_one_before(data: Any) -> None:
    asyncio.run(_live(World(data.draw), data))


async def _live(world: World, data: Any) -> None:
    window = data.draw(st.sampled_from([7_500, 8_192, 128_000]), "window")
    budget = data.draw(st.sampled_from([None, 250]), "core budget")
    with tempfile.TemporaryDirectory() as home:
        for _ in range(data.draw(st.integers(1, 2), "openings")):
            async with contextlib.AsyncExitStack() as stack:
                for name, opening in zip(
                    ("main", "side"), open_both(world, Path(home), window, budget, open_window), strict=True
                ):
                    world.agents[name] = await stack.enter_async_context(opening)
                if data.draw(st.booleans(), "filled"):
                    await world.fill("main")
                for _ in range(data.draw(st.integers(1, 4), "turns")):
                    name = data.draw(st.sampled_from(["main", "side"]), "conversation")
                    await world.turn(name, 4, nested=True)
                    await world.between(name)
        with create_engine(f"sqlite:///{home}/journal.sqlite").connect() as connection:
            assert differences(connection) == {}
    for reason in world.epochs.values():
        event(reason)
    for sent in world.sent.values():
        assert_paired([request for _epoch, request in sent])
        before = ""
        for epoch, request in sent:
            room = window - request.max_tokens
            compacted = epoch != before and world.epochs[epoch] == "compaction"
            assert tokens_of(request) <= (room // 2 if compacted else room)
            before = epoch
