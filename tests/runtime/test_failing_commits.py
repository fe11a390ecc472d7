"""A commit that fails after its work was done: what is in memory goes back with it, and the user is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.assembly import Agent
from pagekeeper.runtime.core.edit import Append
from pagekeeper.runtime.errors import HomeError, HomeFull, InvalidText
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import EpochStarted, StreamEvent, TurnEnded, Warned
from pagekeeper.tests.support.agents import assert_paired, open_agent, stop_background
from pagekeeper.tests.support.checks import assert_settled, assert_whole

LONG = "The harbour was full of boats that day, and nobody knew why. " * 120


class Faults:
    """Lets commits fail at their very end: those numbered `first` to `last`, counted from 1."""

    def __init__(self, agent: Agent) -> None:
        self._commit = agent._journal._commit
        stop_background(agent)
        self.set(0, 0)
        agent._journal._commit = self._run  # type: ignore[method-assign]

    def set(self, first: int, last: int) -> None:
        self.count, self.first, self.last, self.hit = 0, first, last, False

    def _run(self, work: Callable[[Transaction], Any]) -> Any:
        self.count += 1
        fails = self.first <= self.count <= self.last

        def failing(transaction: Transaction) -> Any:
            result = work(transaction)
            if fails:
                self.hit = True
                raise HomeFull("The disk is full.")
            return result

        return self._commit(failing)


async def window_of(agent: Agent) -> bytes:
    """The request as the agent would send it now."""
    return (await agent._conversation.inspect(agent._conversation.context.request)).canonical()


def script() -> list[Any]:
    return [
        ["I note it. ", call("core_memory_append", label="human", content="x"), call("core_memory_list")],
        [call("core_memory_page_in", label="other")],
        "Done. " + LONG,
    ]


@pytest.mark.parametrize("lasting", [False, True], ids=["one commit", "all from there on"])
async def test_the_window_is_what_the_journal_says_whichever_commit_fails(tmp_path: Path, lasting: bool) -> None:
    model = ScriptedModel(window=12_000)
    told: list[StreamEvent] = []
    raised = 0
    async with (
        open_agent(tmp_path, model, core_budget=700) as agent,
        open_agent(tmp_path, ScriptedModel(window=12_000), core_budget=700, conversation="other") as other,
    ):
        faults, at = Faults(agent), 0
        while faults.count >= at:
            at += 1
            # Something that the next request must tell of.
            await other.memory.edit("human", Append(f"by another, {at}"))
            model._replies["turn"].clear()
            model.enqueue(*script())
            faults.set(at, 10_000 if lasting else at)
            try:
                told += [event async for event in agent.stream(f"{at}. {LONG}")]
                ended = told[-1]
                assert isinstance(ended, TurnEnded)
                assert ended.reason == ("error" if faults.hit else "done")
                assert ("full" in ended.error) == faults.hit
            except HomeFull:
                raised += 1
            count = faults.count
            faults.set(0, 0)
            model._replies["turn"].clear()
            model.enqueue(f"Fine. {LONG}")
            told += [event async for event in agent.stream("And now?")]
            assert isinstance(told[-1], TurnEnded)
            assert told[-1].reason == "done"
            async with open_agent(tmp_path, ScriptedModel(window=12_000), core_budget=700) as fresh:
                assert await window_of(agent) == await window_of(fresh)
            await agent._journal.read(assert_settled)
            faults.count = count
        await agent._journal.read(assert_whole)
        # One commit comes before the turn. One that could not begin has no end to commit; the last turn met no fault.
        assert raised == (at - 2 if lasting else 1)
        assert [event for event in told if isinstance(event, EpochStarted) and event.reason == "compaction"]
    assert_paired(model.requests)


async def test_a_recall_that_fails_in_any_way_does_not_stop_the_turn(tmp_path: Path) -> None:
    async def recall(_said: str, _context: Any) -> Any:
        raise ZeroDivisionError("a bug")

    async with open_agent(tmp_path, ScriptedModel("Fine.")) as agent:
        agent._conversation._recall = recall
        events = [event async for event in agent.stream("Hello")]
        [warned] = [event for event in events if isinstance(event, Warned)]
        assert warned.text == "Nothing was recalled for this turn: ZeroDivisionError: a bug"
        assert isinstance(events[-1], TurnEnded)
        assert events[-1].text == "Fine."


async def test_an_agent_that_was_closed_says_so(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel()) as agent:
        pass
    with pytest.raises(HomeError, match="is closed"):
        await agent.send("Hello")
    with pytest.raises(HomeError, match="is closed"):
        await agent.history()


async def test_a_refused_input_leaves_nothing(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel("Fine.")) as agent:
        for text in ("", "  \n", "a\ud800b", "x" * 4_000_001):
            with pytest.raises(InvalidText):
                await agent.send(text)
        assert await agent.history() == []
        assert (await agent.send("Hello")).text == "Fine."
        await agent._journal.read(assert_settled)
