"""The host program's tools in turns: what their declared effects mean, time limits, approvals, results, recovery."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.context.parts import text_part
from pagekeeper.runtime.core.edit import Append, Author
from pagekeeper.runtime.errors import HomeFull, NotFound
from pagekeeper.runtime.host_tool import tool
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.runtime.models.base import ModelReply, RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import ApprovalNeeded, CallFinished, StreamEvent, TurnEnded
from pagekeeper.runtime.tool import Applied, CallContext, Commit, Tool
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.support.checks import assert_settled, assert_whole

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


async def events_of(agent: Agent, said: str = "Go.") -> list[StreamEvent]:
    """The events of a turn in which everything is approved."""
    events = []
    async for event in agent.stream(said):
        events.append(event)
        if isinstance(event, ApprovalNeeded):
            agent.approve(event.call_id, True)
    return events


def results_of(events: list[StreamEvent]) -> list[str]:
    return [event.result for event in events if isinstance(event, CallFinished)]


async def one_call(home: Path, made: Tool) -> str:
    """The result of one call without arguments, in a turn that goes on after it."""
    model = ScriptedModel(call(made.name), "Done.")
    async with open_agent(home, model, tools=[made]) as agent:
        events = await events_of(agent)
        assert isinstance(events[-1], TurnEnded)
        assert events[-1].text == "Done."
        await agent._journal.read(assert_settled)
    assert_paired(model.requests)
    [result] = results_of(events)
    return result


@contextmanager
def full_disk(agent: Agent, type: str) -> Iterator[None]:
    """From the first commit on that has an event of this type, nothing can be committed."""
    commit, full = agent._journal._commit, False

    def work_or_fail(work: Callable[[Transaction], Any]) -> Any:
        def checked(transaction: Transaction) -> Any:
            nonlocal full
            result = work(transaction)
            full = full or any(event.type == type for event in transaction.events)
            if full:
                raise HomeFull("The disk is full.")
            return result

        return commit(checked)

    agent._journal._commit = work_or_fail  # type: ignore[method-assign]
    try:
        yield
    finally:
        agent._journal._commit = commit  # type: ignore[method-assign]


# -- effects -------------------------------------------------------------------------------------------------------


async def test_calls_without_effects_run_at_once(tmp_path: Path) -> None:
    here: dict[str, asyncio.Event] = {"a": asyncio.Event(), "b": asyncio.Event()}

    @tool(effects="none")
    async def meet(me: str, other: str) -> str:
        """Wait for another call."""
        here[me].set()
        await here[other].wait()
        return f"{me} met {other}"

    model = ScriptedModel([call("meet", me="a", other="b"), call("meet", me="b", other="a")], "Done.")
    async with open_agent(tmp_path, model, tools=[meet]) as agent:
        assert sorted(results_of(await events_of(agent))) == ["a met b", "b met a"]
    assert_paired(model.requests)


async def test_calls_with_effects_run_in_order_and_are_announced_to_the_journal_first(tmp_path: Path) -> None:
    order: list[str] = []

    async def started(context: CallContext) -> bool:
        events = tables.events
        query = select(events.c.payload).where(events.c.type == "call.started")
        found = await context.journal.read(lambda connection: connection.execute(query).scalars().all())
        return context.call_id in {payload["call_id"] for payload in found}

    @tool
    async def act(context: CallContext, what: str) -> str:
        """Do something outside."""
        assert await started(context)
        order.append(what)
        return what

    @tool(effects="none")
    async def look(context: CallContext) -> str:
        """Look."""
        assert not await started(context)
        order.append("look")
        return "seen"

    @tool(effects="memory")
    async def note(context: CallContext, text: str) -> Commit:
        """Note something in the block `human`."""
        assert not await started(context)
        order.append(text)

        def apply(transaction: Transaction) -> Applied:
            return context.core.edit(transaction, "human", Append(text), Author("agent"))[1]

        return Commit(apply)

    calls = [call("act", what="first"), call("look"), call("note", text="second"), call("act", what="third")]
    model = ScriptedModel(calls, "Done.")
    async with open_agent(tmp_path, model, tools=[act, look, note]) as opened:
        results = results_of(await events_of(opened))
        assert order == ["first", "look", "second", "third"]
        assert [results[0], results[1], results[3]] == ["first", "seen", "third"]
        assert (await opened.memory.block("human")).value.endswith("\nsecond")


async def test_effects_on_memory_are_undone_where_the_tool_fails(tmp_path: Path) -> None:
    @tool(effects="memory")
    async def note(context: CallContext) -> Commit:
        """Note something, and fail."""

        def apply(transaction: Transaction) -> Applied:
            context.core.edit(transaction, "human", Append("half"), Author("agent"))
            raise KeyError("the other half")

        return Commit(apply)

    assert "KeyError" in await one_call(tmp_path, note)
    async with open_agent(tmp_path, ScriptedModel()) as agent:
        assert "half" not in (await agent.memory.block("human")).value


# -- time, failures, odd results -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("effects", "unsure"), [("external", True), ("none", False)])
async def test_a_tool_that_takes_too_long_is_stopped(tmp_path: Path, effects: Any, unsure: bool) -> None:
    stopped = asyncio.Event()

    @tool(timeout=0.01, effects=effects)
    async def sleep() -> str:
        """Sleep."""
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return "never"

    result = await one_call(tmp_path, sleep)
    assert stopped.is_set()
    assert result.startswith("Error: sleep did not finish within 0.01 seconds.")
    assert ("unknown" in result) == unsure


async def test_a_tools_own_time_limit_is_not_taken_for_ours(tmp_path: Path) -> None:
    @tool
    async def fetch() -> str:
        """Fetch."""
        raise TimeoutError("the server did not answer")

    assert await one_call(tmp_path, fetch) == "Error: fetch failed with TimeoutError: the server did not answer"


async def test_a_tool_that_is_cancelled_from_within_has_failed_and_the_turn_goes_on(tmp_path: Path) -> None:
    @tool
    async def wait() -> str:
        """Wait for a task that somebody cancels."""
        task = asyncio.create_task(asyncio.Event().wait())
        asyncio.get_running_loop().call_soon(task.cancel)
        await task
        return "never"

    assert "CancelledError" in await one_call(tmp_path, wait)


@pytest.mark.parametrize("result", [None, 7, [1, 2], [{"type": "picture"}], [{"type": "block", "label": "human"}]])
async def test_a_result_that_cannot_be_rendered_is_not_stored(tmp_path: Path, result: Any) -> None:
    async def run(_context: CallContext) -> Any:
        return result

    assert "neither text nor parts" in await one_call(tmp_path, Tool("odd", "Odd.", NO_ARGUMENTS, run))


async def test_parts_and_halves_of_characters_are_stored(tmp_path: Path) -> None:
    async def parts(_context: CallContext) -> Any:
        return [text_part("one"), text_part("two")]

    assert await one_call(tmp_path, Tool("parts", "Parts.", NO_ARGUMENTS, parts)) == "one\ntwo"

    @tool
    def names() -> str:
        """List files."""
        return "a\udcff.txt"

    assert await one_call(tmp_path, names) == "a\ufffd.txt"

    @tool
    def fail() -> str:
        """Fail."""
        raise ValueError("a\udcff.txt")

    assert await one_call(tmp_path, fail) == "Error: fail failed with ValueError: a\ufffd.txt"


async def test_a_huge_result_is_whole_in_the_log_and_short_in_the_window(tmp_path: Path) -> None:
    text = "0123456789 " * 50_000

    @tool
    def dump() -> str:
        """Dump."""
        return text

    model = ScriptedModel(call("dump"), "Done.", "Yes.", window=16_000)
    async with open_agent(tmp_path, model, tools=[dump]) as agent:
        await events_of(agent)
        assert (await agent.history())[2].text == text
        assert (await agent.send("Still there?")).text == "Yes."
        assert all(len(request.canonical()) < 64_000 for request in model.requests)
    assert_paired(model.requests)


async def test_every_call_gets_one_result_whatever_becomes_of_it(tmp_path: Path) -> None:
    @tool
    def act() -> str:
        """Act."""
        return "acted"

    calls = [
        call("act"),
        call("nothing like it"),
        RequestedCall("act", '{"broken'),
        call(""),
        call("x" * 500),
        call("act", more=1),
        call("act"),
    ]
    model = ScriptedModel(calls, "Done.", "Yes.")
    async with open_agent(tmp_path, model, tools=[act]) as agent:
        finished = [event for event in await events_of(agent) if isinstance(event, CallFinished)]
        assert [event.error for event in finished] == [False, True, True, True, True, True, False]
        await agent.send("And now?")
        await agent._journal.read(assert_settled)
    assert_paired(model.requests)
    sent = [made["function"]["name"] for made in model.requests[-1].messages[2]["tool_calls"]]
    assert sent == ["act", "nothing_like_it", "act", "_", "x" * 64, "act", "act"]


async def test_the_same_calls_at_once_are_no_loop(tmp_path: Path) -> None:
    @tool(effects="none")
    def look() -> str:
        """Look."""
        return "seen"

    async with open_agent(tmp_path, ScriptedModel([call("look")] * 3, "Done."), tools=[look]) as agent:
        assert (await agent.send("Look.")).reason == "done"


# -- approvals -----------------------------------------------------------------------------------------------------


@tool(effects="none", approve="ask")
def ask(what: str) -> str:
    """Do what a person must allow."""
    return f"{what} done"


async def test_two_calls_may_wait_for_approval_at_once(tmp_path: Path) -> None:
    model = ScriptedModel([call("ask", what="a"), call("ask", what="b")], "Done.")
    async with open_agent(tmp_path, model, tools=[ask]) as agent:
        waiting, results = [], {}
        async for event in agent.stream("Go."):
            if isinstance(event, ApprovalNeeded):
                waiting.append(event.call_id)
                if len(waiting) == 2:
                    agent.approve(waiting[1], True)
                    agent.approve(waiting[0], False)
                    with pytest.raises(NotFound):
                        agent.approve(waiting[0], True)
            elif isinstance(event, CallFinished):
                results[event.call_id] = event.result
        assert results[waiting[1]] == "b done"
        assert results[waiting[0]] == "Error: The user declined this call. Do not try this again."
    assert_paired(model.requests)


async def test_a_turn_may_be_cancelled_while_calls_wait_for_approval(tmp_path: Path) -> None:
    model = ScriptedModel([call("ask", what="a"), call("ask", what="b")], "Yes.")
    async with open_agent(tmp_path, model, tools=[ask]) as agent:
        events: list[StreamEvent] = []
        async for event in agent.stream("Go."):
            events.append(event)
            if isinstance(event, ApprovalNeeded):
                agent.cancel()
        assert results_of(events) == ["Error: not run: cancelled by the user."] * 2
        with pytest.raises(NotFound):
            agent.approve(next(event.call_id for event in events if isinstance(event, ApprovalNeeded)), True)
        assert (await agent.send("And now?")).text == "Yes."
        await agent._journal.read(assert_settled)
    assert_paired(model.requests)


# -- a turn that cannot be committed to its end --------------------------------------------------------------------


async def test_a_commit_that_fails_among_parallel_calls_leaves_none_running(tmp_path: Path) -> None:
    ended: list[str] = []

    @tool(effects="none")
    async def look(what: str) -> str:
        """Look."""
        for _ in range(20 if what == "slow" else 1):
            await asyncio.sleep(0)
        ended.append(what)
        return what

    model = ScriptedModel([call("look", what="fast"), call("look", what="slow")], "Fine.")
    async with open_agent(tmp_path, model, tools=[look]) as agent:
        with full_disk(agent, "call.result"), pytest.raises(HomeFull):
            await events_of(agent)
        assert ended == ["fast", "slow"]
        assert (await agent.send("And now?")).text == "Fine."
        await agent._journal.read(assert_settled)
        await agent._journal.read(assert_whole)
    assert_paired(model.requests)


LEFT = {
    "unknown outcome": ("act", "call.result", ["a"], "outcome unknown"),
    "not started": ("act", "call.started", [], "not run: interrupted"),
    "again, by its key": ("put", "call.result", ["b", "b"], "put b"),
    "only read": ("look", "call.result", ["c"], "not run: interrupted"),
    "memory": ("core_memory_append", "call.result", [], "Changed block human"),
    "broken": ("broken", "call.result", [], "cut off"),
}


@pytest.mark.parametrize(("name", "fails", "ran", "answer"), LEFT.values(), ids=LEFT.keys())
async def test_a_call_that_was_left_unanswered_gets_its_result_before_the_next_turn(
    tmp_path: Path, name: str, fails: str, ran: list[str], answer: str
) -> None:
    did: list[str] = []
    keys: set[str] = set()

    @tool
    def act() -> str:
        """Act."""
        did.append("a")
        return "acted"

    @tool(idempotent=True, approve="ask")
    def put(context: CallContext) -> str:
        """Put."""
        did.append("b")
        keys.add(context.call_id)
        return "put b"

    @tool(effects="none")
    def look() -> str:
        """Look."""
        did.append("c")
        return "seen"

    made = call("core_memory_append", label="human", content="x") if "core" in name else call(name)
    if name == "broken":
        made = RequestedCall("core_memory_append", '{"label": "human", "content": "x",}')
    model = ScriptedModel(ModelReply("", (made,), "length" if name == "broken" else "calls"), "Fine.")
    async with open_agent(tmp_path, model, tools=[act, put, look]) as agent:
        before = (await agent.memory.block("human")).revision
        with full_disk(agent, fails), pytest.raises(HomeFull):
            await events_of(agent)
        events = await events_of(agent, "And now?")
        assert isinstance(events[-1], TurnEnded)
        assert events[-1].text == "Fine."
        assert did == ran
        assert len(keys) == (name == "put")
        [result] = results_of(events)
        assert answer in result
        assert (await agent.memory.block("human")).revision == before + (name == "core_memory_append")
        await agent._journal.read(assert_settled)
        await agent._journal.read(assert_whole)
    assert_paired(model.requests)


async def test_nothing_is_asked_of_a_person_for_a_call_that_was_left(tmp_path: Path) -> None:
    @tool(effects="memory", approve="ask")
    async def note() -> str:
        """Note."""
        return "noted"

    model = ScriptedModel(call("note"), "Fine.")
    async with open_agent(tmp_path, model, tools=[note]) as agent:
        with full_disk(agent, "call.result"), pytest.raises(HomeFull):
            await events_of(agent)
        events = await events_of(agent, "And now?")
        assert not [event for event in events if isinstance(event, ApprovalNeeded)]
        assert results_of(events) == ["Error: not run: interrupted."]


async def test_a_fault_in_a_programs_own_model_shows_and_leaves_the_log_right(tmp_path: Path) -> None:
    def broken(_request: Any) -> Any:
        raise ZeroDivisionError("a bug")

    model = ScriptedModel(call("core_memory_list"), broken, "Fine.")
    async with open_agent(tmp_path, model) as agent:
        with pytest.raises(ZeroDivisionError):
            await agent.send("Hello")
        await agent._journal.read(assert_settled)
        assert (await agent.send("And now?")).text == "Fine."
    assert_paired(model.requests)


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("raised", [SystemExit, StopIteration])
async def test_a_tool_that_exits_has_failed(tmp_path: Path, raised: type[BaseException], waits: bool) -> None:
    result = await one_call(tmp_path, raising(raised, waits))
    assert result.startswith("Error: leave failed with ")
    assert raised.__name__ in result


@pytest.mark.parametrize("waits", [True, False])
def test_a_keyboard_interrupt_in_a_tool_ends_the_program(tmp_path: Path, waits: bool) -> None:
    made = raising(KeyboardInterrupt, waits)

    async def interrupted() -> None:
        async with open_agent(tmp_path, ScriptedModel(call("leave")), tools=[made]) as agent:
            await agent.send("Go.")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(interrupted())

    async def later() -> None:
        async with open_agent(tmp_path, ScriptedModel("Here."), tools=[made]) as agent:
            assert [left.text for left in await agent.unanswered()] == ["Go."]
            assert (await agent.send("Hello.")).text == "Here."
            await agent._journal.read(assert_settled)

    asyncio.run(later())


def raising(error: type[BaseException], waits: bool) -> Tool:
    """A tool that raises, from an async function or from one that runs in a thread."""

    def leave() -> str:
        "Leave."
        raise error

    async def leave_later() -> str:
        "Leave."
        raise error

    return tool(name="leave")(leave_later if waits else leave)
