"""Calls that go wrong, and tools of the host program, through the real loop and journal."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pagekeeper import tool
from pagekeeper.runtime.models.base import ModelReply, RequestedCall
from pagekeeper.runtime.models.prompted import PromptedModel
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel, call
from pagekeeper.runtime.models.written_calls import write_call
from pagekeeper.runtime.stream import ApprovalNeeded, CallFinished, CallStarted, StreamEvent
from pagekeeper.runtime.tool import CallContext
from pagekeeper.tests.support.agents import assert_paired, open_agent

HUMAN = "What I know about the user:"


def raw(name: str, arguments: str) -> RequestedCall:
    return RequestedCall(name, arguments)


async def run(home: Path, *replies: Any, **options: Any) -> tuple[list[StreamEvent], str, ScriptedModel]:
    """One turn with these replies; its events, the value of `human` after it, and the model."""
    model = ScriptedModel(*replies, "Done.")
    async with open_agent(home, model, **options) as agent:
        events = [event async for event in agent.stream("Go on.")]
        value = (await agent.memory.block("human")).value
    assert_paired(model.requests)
    model.assert_used()
    return events, value, model


def results(events: list[StreamEvent]) -> list[CallFinished]:
    return [event for event in events if isinstance(event, CallFinished)]


async def test_a_certain_break_is_mended_and_both_texts_are_told_apart(tmp_path: Path) -> None:
    broken = '{"label": "human", "content": "Name: Ada",}'
    events, value, model = await run(tmp_path, raw("core_memory_append", broken))
    assert value == f"{HUMAN}\nName: Ada"
    [started] = [event for event in events if isinstance(event, CallStarted)]
    assert json.loads(started.arguments) == {"label": "human", "content": "Name: Ada"}
    # What the model is shown of its own call is what it wrote, inside of JSON, since some providers take nothing else.
    shown = model.requests[-1].messages[-2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(shown) == {"not_valid_json": broken}


BROKEN = {
    "truncated": '{"label": "human", "content": "Name: A',
    "two objects": '{"label": "human", "content": "a"}{"label": "human", "content": "b"}',
    "twice": '{"label": "human", "content": "a", "content": "b"}',
    "missing": '{"label": "human"}',
    "wrong type": '{"label": "human", "content": 7}',
    "unknown argument": '{"label": "human", "content": "a", "mode": "b"}',
    "control character": '{"label": "human", "content": "\\frac{1}{2}"}',
    "lone surrogate": '{"label": "human", "content": "\\ud83d"}',
    "raw lone surrogate": '{"label": "human", "content": "\ud83d"}',
    "deep": '{"label": ' + "[" * 5000,
    "nothing": "",
}


@pytest.mark.parametrize("arguments", BROKEN.values(), ids=BROKEN.keys())
async def test_arguments_that_cannot_be_trusted_change_nothing_and_the_turn_goes_on(
    tmp_path: Path, arguments: str
) -> None:
    events, value, model = await run(tmp_path, raw("core_memory_append", arguments))
    assert value == HUMAN
    sent = json.loads(model.requests[-1].messages[-2]["tool_calls"][0]["function"]["arguments"])
    assert json.dumps(sent, ensure_ascii=False).encode().startswith(b"{")
    [result] = results(events)
    assert result.error
    assert result.result.startswith("Error: ")
    assert len(result.result) < 1500


async def test_a_reply_that_was_cut_short_is_not_mended(tmp_path: Path) -> None:
    made = raw("core_memory_append", '{"label": "human", "content": "Name: Ada",}')
    events, value, _ = await run(tmp_path, ModelReply(calls=(made,), finish="length"))
    assert value == HUMAN
    assert "length limit" in results(events)[0].result


async def test_one_broken_call_does_not_stop_the_others(tmp_path: Path) -> None:
    good = call("core_memory_append", label="human", content="Name: Ada")
    events, value, _ = await run(tmp_path, [raw("core_memory_append", "{"), good, call("nothing_such")])
    assert [result.error for result in results(events)] == [True, False, True]
    assert value == f"{HUMAN}\nName: Ada"


async def test_names_from_elsewhere_are_understood(tmp_path: Path) -> None:
    replies = [
        call("memory_insert", label="human", new_str="Name: Ada"),
        call("memory_replace", label="human", old_str="Ada", new_str="Eve"),
        call("core_memory_append", name="human", content="Age: 3", request_heartbeat=True),
    ]
    events, value, _ = await run(tmp_path, *replies)
    assert value == f"{HUMAN}\nName: Eve\nAge: 3"
    assert not any(result.error for result in results(events))


async def test_an_unknown_tool_is_answered_with_what_there_is(tmp_path: Path) -> None:
    events, _, _ = await run(tmp_path, call("core_memory_apend", label="human", content="x"))
    [result] = results(events)
    assert result.error
    assert "Did you mean core_memory_append" in result.result
    assert "core_memory_page_in" in result.result


async def test_tools_of_the_host_run(tmp_path: Path) -> None:
    @tool(effects="none")
    def weather(city: str, days: int = 1) -> dict[str, Any]:
        "Forecast the weather."
        return {"city": city, "days": days}

    @tool(effects="external")
    async def note(text: str, call: CallContext) -> str:
        "Note something."
        return f"{text} for {call.scope.user}"

    replies = [[call("weather", city="Köln", days=None), call("weather", city="Bonn")], call("note", text="x")]
    events, _, model = await run(tmp_path, *replies, tools=[weather, note], user="eve")
    assert [result.result for result in results(events)] == [
        '{"city": "Köln", "days": 1}',
        '{"city": "Bonn", "days": 1}',
        "x for eve",
    ]
    names = [schema["function"]["name"] for schema in model.requests[0].tools]
    assert names[-2:] == ["weather", "note"]


async def test_a_tool_of_the_host_that_fails_is_told_to_the_model(tmp_path: Path) -> None:
    @tool
    def divide(by: int) -> float:
        "Divide one."
        return 1 / by

    @tool
    def odd() -> Any:
        "Return something odd."
        return object()

    @tool(timeout=0.01)
    async def wait() -> None:
        "Wait for ever."
        await Gate().wait()

    replies = [call("divide", by=0), call("odd"), call("wait"), call("divide", by="two")]
    events, _, _ = await run(tmp_path, *replies, tools=[divide, odd, wait])
    failed = results(events)
    assert all(result.error for result in failed)
    for result, words in zip(failed, ("ZeroDivisionError", "as JSON", "0.01 seconds", "type integer"), strict=True):
        assert words in result.result


@pytest.mark.parametrize("yes", [True, False])
async def test_a_person_decides_where_a_tool_asks(tmp_path: Path, yes: bool) -> None:
    ran = asyncio.Event()

    @tool(approve="ask")
    async def send(to: str) -> None:
        "Send a mail."
        ran.set()

    model = ScriptedModel(call("send", to="eve"), "Done.")
    async with open_agent(tmp_path, model, tools=[send]) as agent:
        finished = []
        async for event in agent.stream("Send it."):
            if isinstance(event, ApprovalNeeded):
                assert not ran.is_set()
                agent.approve(event.call_id, yes)
            if isinstance(event, CallFinished):
                finished.append(event.error)
    assert ran.is_set() is yes
    assert finished == [not yes]
    assert_paired(model.requests)


async def test_a_model_without_tool_calls_edits_its_memory(tmp_path: Path) -> None:
    arguments = json.dumps({"label": "human", "content": "Name: Ada"})
    inner = ScriptedModel("I note it.\n" + write_call("core_memory_append", arguments), "Hello, Ada.", "Ada.")
    async with open_agent(tmp_path, PromptedModel(inner)) as agent:
        assert (await agent.send("I'm Ada.")).text == "Hello, Ada."
        assert (await agent.memory.block("human")).value == f"{HUMAN}\nName: Ada"
        assert (await agent.send("Who am I?")).text == "Ada."
        assert [message.text for message in await agent.history()][1] == "I note it."
    first, second, third = (request.messages for request in inner.requests)
    assert all(not request.tools for request in inner.requests)
    assert "core_memory_replace(label: string, old_content: string, new_content: string)" in first[0]["content"]
    assert '<tool_result name="core_memory_append">' in second[-1]["content"]
    assert second[: len(first)] == first
    assert third[: len(second)] == second
