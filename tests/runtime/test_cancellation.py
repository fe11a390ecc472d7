"""A turn that is cancelled: at every event, in every commit, by each of the ways to stop it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest
from filelock import FileLock

from pagekeeper.assembly import Agent
from pagekeeper.runtime.errors import ContextExceeded, HomeFull, NotFound
from pagekeeper.runtime.host_tool import tool
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.runtime.models.base import Delta, ModelReply, ModelRequest, Retrying
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel, call
from pagekeeper.runtime.stream import (
    ApprovalNeeded,
    BlockChanged,
    CallFinished,
    CallStarted,
    EpochStarted,
    Recalled,
    ReplyDelta,
    StreamEvent,
    TurnEnded,
)
from pagekeeper.tests.support.agents import assert_paired, open_agent, stop_background
from pagekeeper.tests.support.checks import assert_settled, assert_whole, waiting
from pagekeeper.tests.support.embedding import HashEmbedder

WORDS = "Go on with the red umbrellas."


class Scripts:
    """A model whose script is exchanged between turns, so that what a cancelled turn left unused is gone."""

    name = "scripted"
    window = 128_000

    def __init__(self) -> None:
        self.script = ScriptedModel()
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        self.requests.append(request)
        return self.script.stream(request)

    async def close(self) -> None:
        return None


@tool(effects="none")
async def look(what: str) -> str:
    """Look at something."""
    await asyncio.sleep(0)
    return f"{what} is there"


@tool
async def act(what: str) -> str:
    """Do something outside."""
    await asyncio.sleep(0)
    return f"{what} is done"


def script() -> ScriptedModel:
    """A turn with all that a turn can have: text, memory edits, parallel calls, a call outside, a call that fails."""
    return ScriptedModel(
        ["Let me ", "write ", call("core_memory_append", label="human", content="x"), "that down."],
        ["I look.", call("look", what="a"), call("look", what="b")],
        [call("act", what="this"), call("core_memory_append", label="human", content="y"), call("nonsense")],
        ["All ", "is ", "done."],
    )


@tool(approve="ask")
async def send(what: str) -> str:
    """Do something outside, if a person agrees."""
    return f"{what} is sent"


def remembering(forgotten: str) -> ScriptedModel:
    """A turn with what takes time beside the model: recall, a compaction, the archive, approval, forgetting."""
    return ScriptedModel(
        ContextExceeded("Too long."),
        ["I note ", call("archival_insert", content="Ada plays the cello."), call("archival_search", query="cello")],
        ["I ask. ", call("send", what="a mail"), call("conversation_search", query="cello")],
        ["I forget. ", call("memory_forget", ids=[forgotten], reason="asked")],
        ["All ", "done."],
        summaries=["Much was said."] * 3,
    )


async def all_events(agent: Agent) -> list[StreamEvent]:
    return [event async for event in agent.stream(WORDS)]


Stop = Callable[[Agent, int], Awaitable[list[StreamEvent]]]
"""Runs a turn, stops it after so many events, and returns what its reader saw."""


async def by_cancel(agent: Agent, after: int) -> list[StreamEvent]:
    seen: list[StreamEvent] = []
    async for event in agent.stream(WORDS):
        seen.append(event)
        if len(seen) == after:
            agent.cancel()
    return seen


async def by_cancelling_twice(agent: Agent, after: int) -> list[StreamEvent]:
    seen: list[StreamEvent] = []
    async for event in agent.stream(WORDS):
        seen.append(event)
        if len(seen) >= after:
            agent.cancel()
            await asyncio.sleep(0)
            agent.cancel()
    return seen


async def by_closing(agent: Agent, after: int) -> list[StreamEvent]:
    seen: list[StreamEvent] = []
    async with aclosing(agent.stream(WORDS)) as events:
        async for event in events:
            seen.append(event)
            if len(seen) == after:
                break
    return seen


async def by_cancelling_the_reader(agent: Agent, after: int) -> list[StreamEvent]:
    seen: list[StreamEvent] = []

    async def read() -> None:
        async for event in agent.stream(WORDS):
            seen.append(event)
            if len(seen) == after:
                task.cancel()

    task = asyncio.create_task(read())
    await asyncio.wait([task])
    return seen


STOPS = [by_cancel, by_cancelling_twice, by_closing, by_cancelling_the_reader]


async def assert_goes_on(agent: Agent, model: Scripts) -> None:
    """The conversation is free, and the next turn works."""
    lock = FileLock(agent._journal.home / "locks" / f"{agent.scope.conversation}.lock")
    lock.acquire(blocking=False)
    lock.release()
    await agent._journal.read(assert_settled)
    model.script = ScriptedModel("Fine.")
    model.requests.clear()
    assert (await agent.send("And now?")).text == "Fine."
    assert_paired(model.requests)


@pytest.mark.parametrize("stop", STOPS)
async def test_a_turn_may_be_stopped_at_every_event(tmp_path: Path, stop: Stop) -> None:
    model = Scripts()
    async with open_agent(tmp_path, model, tools=[look, act]) as agent:
        model.script = script()
        whole = await all_events(agent)
        # The first turn started an epoch as well.
        for after in range(1, len(whole)):
            before = len(await agent.history())
            model.script = script()
            seen = await stop(agent, after)
            said = [message for message in (await agent.history())[before:] if message.role == "assistant"]
            stored = "".join(message.text for message in said)
            read = "".join(event.text for event in seen if isinstance(event, ReplyDelta))
            assert stored.startswith(read), "text that was read is lost"
            for message in said:
                assert not (message.partial and message.calls), "an incomplete call was kept"
                assert not message.partial or message is said[-1]
            if stop is by_cancel:
                assert isinstance(seen[-1], TurnEnded)
                assert seen[-1].reason == ("done" if after >= len(whole) - 1 else "cancelled")
                assert stored == read
            await assert_goes_on(agent, model)
            if said and said[-1].partial:
                sent = [message["content"] for message in model.requests[-1].messages if message["role"] == "assistant"]
                assert sent[-1] == said[-1].text
        await agent._journal.read(assert_whole)


@pytest.mark.parametrize("stop", [by_cancel, by_cancelling_the_reader])
async def test_a_turn_of_recall_compaction_approval_and_forgetting_may_be_stopped_at_every_event(
    tmp_path: Path, stop: Stop
) -> None:
    model = Scripts()
    model.window = 16_000
    async with open_agent(tmp_path, model, tools=[send], embedder=HashEmbedder()) as agent:
        after, ended = 0, False
        while not ended:
            model.script = ScriptedModel("Yes. " + "word " * 300)
            assert (await agent.send("Tell me about the cello. " + "word " * 300)).reason == "done"
            (passage,) = await agent.memory.insert(f"Ada has {after} red umbrellas.")
            model.script = remembering(passage)
            seen = await stop(approving(agent), after)
            if not after:
                kinds = {type(event) for event in seen}
                assert {Recalled, EpochStarted, ApprovalNeeded, ReplyDelta, CallStarted, CallFinished} <= kinds
                assert isinstance(seen[-1], TurnEnded)
                assert seen[-1].reason == "done"
            elif stop is by_cancel:
                assert isinstance(seen[-1], TurnEnded)
                # Behind the last words there is nothing left to stop.
                assert seen[-1].reason == ("done" if seen[-1].text == "All done." else "cancelled")
            if any(isinstance(event, CallFinished) and event.name == "memory_forget" for event in seen):
                assert not [hit for hit in await agent.memory.search("umbrellas") if hit.id == passage]
            await assert_goes_on(agent, model)
            ended = after > 0 and (len(seen) < after or isinstance(seen[after - 1], TurnEnded))
            after += 1
        assert after > 20
        await agent._journal.read(assert_whole)


class Approving:
    """An agent whose person agrees to everything."""

    def __init__(self, agent: Agent) -> None:
        self.cancel = agent.cancel
        self._agent = agent

    async def stream(self, text: str) -> AsyncIterator[StreamEvent]:
        async with aclosing(self._agent.stream(text)) as events:
            async for event in events:
                yield event
                if isinstance(event, ApprovalNeeded):
                    with contextlib.suppress(NotFound):  # the turn was cancelled meanwhile
                        self._agent.approve(event.call_id, True)


def approving(agent: Agent) -> Agent:
    return cast(Agent, Approving(agent))


async def test_a_turn_may_be_stopped_in_every_commit(tmp_path: Path) -> None:
    """The cancel comes while the commit is under way: the commit counts, and is told; nothing is stored twice."""
    model = Scripts()
    async with open_agent(tmp_path, model, tools=[look, act]) as agent:
        stop_background(agent)
        journal, loop = agent._journal, asyncio.get_running_loop()
        commit, count, at = journal._commit, 0, 0

        def counted(work: Callable[[Transaction], Any]) -> Any:
            nonlocal count
            count += 1
            if count == at:
                heard = threading.Event()
                loop.call_soon_threadsafe(lambda: (agent.cancel(), loop.call_soon(heard.set)))
                assert heard.wait(20)
            return commit(work)

        journal._commit = counted  # type: ignore[method-assign]
        model.script = script()
        await all_events(agent)
        commits, changes = count, 0
        for at in range(1, commits + 1):
            model.script, count = script(), 0
            before = await agent.memory.block("human")
            seen = await all_events(agent)
            assert isinstance(seen[-1], TurnEnded)
            assert seen[-1].reason == ("done" if at == commits else "cancelled")
            started = {event.call_id for event in seen if isinstance(event, CallStarted)}
            finished = [event.call_id for event in seen if isinstance(event, CallFinished)]
            assert len(set(finished)) == len(finished)
            assert started <= set(finished)
            after = await agent.memory.block("human")
            told = [event.revision for event in seen if isinstance(event, BlockChanged)]
            assert told == list(range(before.revision + 1, after.revision + 1))
            changes += len(told)
            count = -1_000
            await assert_goes_on(agent, model)
        assert changes > commits // 2
        await agent._journal.read(assert_whole)


async def test_a_stream_may_be_cancelled_before_it_has_begun(tmp_path: Path) -> None:
    model = Scripts()
    async with open_agent(tmp_path, model) as agent:
        reader = asyncio.create_task(all_events(agent))
        asyncio.get_running_loop().call_soon(agent.cancel)
        assert [type(event) for event in await reader] == [TurnEnded]
        assert not agent.cancel()
        reader = asyncio.create_task(all_events(agent))
        await asyncio.sleep(0)
        reader.cancel()
        await asyncio.wait([reader])
        assert reader.cancelled()
        await assert_goes_on(agent, model)


async def test_cancelling_one_who_waits_leaves_the_others(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModel([gate, "First."], "Third.")
    async with open_agent(tmp_path, model) as agent:
        first = asyncio.create_task(agent.send("one"))
        await gate.reached()
        second, third = asyncio.create_task(agent.send("two")), asyncio.create_task(agent.send("three"))
        while await agent._journal.read(waiting) < 2:
            pass
        second.cancel()
        await asyncio.wait([second])
        gate.open()
        assert [(await first).text, (await third).text] == ["First.", "Third."]
        assert [message.text for message in await agent.history()] == ["one", "First.", "three", "Third."]
        await agent._journal.read(assert_settled)


async def test_text_before_a_retry_is_not_kept(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModel(["Half a ", Retrying(2, 0.0, "dropped"), "Whole", gate])
    async with open_agent(tmp_path, model) as agent:
        turn = asyncio.create_task(agent.send("Hello"))
        await gate.reached()
        agent.cancel()
        ended = await turn
        assert (ended.reason, ended.text) == ("cancelled", "Whole")
        assert [(message.text, message.partial) for message in await agent.history()][1:] == [("Whole", True)]


async def test_breaking_out_of_the_loop_is_enough(tmp_path: Path) -> None:
    model = ScriptedModel(["Half", Gate()], "Fine.")
    async with open_agent(tmp_path, model) as agent:
        async for event in agent.stream("Hello"):
            if isinstance(event, ReplyDelta):
                break
        assert (await agent.send("And now?")).text == "Fine."
        assert [message.text for message in await agent.history()] == ["Hello", "Half", "And now?", "Fine."]
    assert_paired(model.requests)


async def test_closing_the_agent_ends_its_turns(tmp_path: Path) -> None:
    """A program may leave without closing the stream it read."""
    gate = Gate()
    model = ScriptedModel(["Half", gate], "Back.")
    async with open_agent(tmp_path, model) as agent:
        stream = agent.stream("Hello")
        while not isinstance(await anext(stream), ReplyDelta):
            pass
        await gate.reached()
    assert [type(event) async for event in stream] == [TurnEnded]
    async with open_agent(tmp_path, model) as agent:
        await agent._journal.read(assert_settled)
        assert [(message.text, message.partial) for message in await agent.history()][1:] == [("Half", True)]
        assert (await agent.send("Are you back?")).text == "Back."


async def test_a_cancel_whose_commit_fails_shows_the_failure(tmp_path: Path) -> None:
    """Not even the end of the turn can be stored: the reader is told, and the next turn puts it right."""
    gate = Gate()
    model = ScriptedModel(["Half", gate], "Fine.")
    async with open_agent(tmp_path, model) as agent:
        commit = agent._journal._commit

        def full(work: Callable[[Transaction], Any]) -> Any:
            raise HomeFull("The disk is full.")

        turn = asyncio.create_task(agent.send("Hello"))
        await gate.reached()
        agent._journal._commit = full  # type: ignore[method-assign]
        turn.cancel()
        with pytest.raises(HomeFull):
            await turn
        agent._journal._commit = commit  # type: ignore[method-assign]
        assert (await agent.send("And now?")).text == "Fine."
        assert_paired(model.requests)
        await agent._journal.read(assert_settled)


async def test_a_tool_that_swallows_the_cancel_keeps_its_result_and_stops_the_turn(tmp_path: Path) -> None:
    running = asyncio.Event()

    @tool
    async def stubborn() -> str:
        """Never give up."""
        try:
            running.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "finished all the same"
        return "never"

    model = ScriptedModel([call("stubborn"), call("stubborn")], "Fine.")
    async with open_agent(tmp_path, model, tools=[stubborn]) as agent:
        turn = asyncio.create_task(agent.send("Go."))
        await running.wait()
        agent.cancel()
        assert (await turn).reason == "cancelled"
        results = [message.text for message in await agent.history() if message.role == "tool"]
        assert results == ["finished all the same", "Error: not run: cancelled by the user."]
        assert (await agent.send("And now?")).text == "Fine."
        await agent._journal.read(assert_settled)
    assert_paired(model.requests)


async def test_the_overview_may_be_read_at_any_time(tmp_path: Path) -> None:
    model = Scripts()
    async with open_agent(tmp_path, model, tools=[look, act]) as agent:
        for _ in range(3):
            model.script = script()
            turn = asyncio.create_task(all_events(agent))
            while not turn.done():
                assert (await agent.context.overview()).used > 0
            await turn
        overview = await agent.context.overview()
        assert overview.used == agent._conversation.context.window.total
