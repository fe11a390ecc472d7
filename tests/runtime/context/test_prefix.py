"""Within an epoch each request extends the one before it byte for byte, so that a provider's prompt cache hits."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from pagekeeper.assembly import Agent
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.edit import Append
from pagekeeper.runtime.models.base import RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.tests.support.agents import open_window
from pagekeeper.tests.support.wild import canonical

TURNS = 200


async def test_two_hundred_turns_with_edits_in_half_of_them_keep_one_prefix(tmp_path: Path) -> None:
    model, clock = ScriptedModel(), ManualClock()
    async with open_window(tmp_path, model, clock=clock) as agent:
        await _talk(agent, model, clock, range(TURNS // 2))
        await agent.memory.edit("human", Append("Said by the user."))
    async with open_window(tmp_path, model, clock=clock) as agent:
        await _talk(agent, model, clock, range(TURNS // 2, TURNS))
        assert (await agent.context.overview()).epoch == 1
    model.assert_used()
    assert len(model.requests) == TURNS * 3 // 2
    for before, after in pairwise(model.requests):
        old = [canonical(message) for message in before.messages]
        assert [canonical(message) for message in after.messages[: len(old)]] == old
        assert after.tools == before.tools


async def _talk(agent: Agent, model: ScriptedModel, clock: ManualClock, turns: range) -> None:
    for turn in turns:
        if turn % 2:
            model.enqueue(_edit(turn))
        model.enqueue(f"Reply {turn}.")
        ended = await agent.send(f"Message {turn}.")
        assert ended.text == f"Reply {turn}."
        clock.advance(timedelta(minutes=20))  # so that days pass, and the window must say so without changing its head


def _edit(turn: int) -> RequestedCall:
    if turn % 20 == 19:
        return call("core_memory_rethink", label="human", new_value=f"Thought over in turn {turn}.")
    return call("core_memory_append", label="human", content=f"Learned in turn {turn}.")
