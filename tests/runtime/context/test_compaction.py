"""A window that fills up: old messages become a summary, and whatever comes, the request fits and stays whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.assembly import Agent
from pagekeeper.runtime.context.limits import reply_reserve
from pagekeeper.runtime.errors import ContextExceeded, ModelUnavailable
from pagekeeper.runtime.models.base import ModelRequest, RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import EpochStarted, StreamEvent, TurnEnded, Warned
from pagekeeper.runtime.tool import CallContext, Tool
from pagekeeper.tests.support.agents import assert_paired, open_window
from pagekeeper.tests.support.reading import summary_of, tokens_of

WINDOW = 8_192
USABLE = WINDOW - reply_reserve(WINDOW)

LOREM = "The harbour was full of boats that day, and nobody knew why they had come. "


def reader(size: int) -> Tool:
    """A tool that returns `size` characters."""

    async def run(context: CallContext, n: int = 0) -> str:
        return (f"Result {n}. " + LOREM * (size // len(LOREM) + 1))[:size]

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    return Tool("read_page", "Reads a page.", schema, run, effects="none")


def assert_sound(requests: list[ModelRequest]) -> None:
    """Each request fits, begins with what a user said, and parts no call from its result."""
    turns = [request for request in requests if request.purpose == "turn"]
    assert_paired(turns)
    for request in requests:
        assert tokens_of(request) + request.max_tokens <= WINDOW
        assert request.messages[1]["role"] == "user"
    for request in turns:
        for message in request.messages:
            for made in message.get("tool_calls", ()):
                assert isinstance(json.loads(made["function"]["arguments"]), dict)


def compactions(events: list[StreamEvent]) -> list[EpochStarted]:
    """The compactions among the events; each must end at half of the window or less."""
    found = [event for event in events if isinstance(event, EpochStarted) and event.reason == "compaction"]
    assert all(event.tokens <= USABLE // 2 for event in found)
    return found


async def told(agent: Agent, words: str) -> list[StreamEvent]:
    events = [event async for event in agent.stream(words)]
    assert isinstance(events[-1], TurnEnded)
    return events


async def test_two_thousand_turns_in_a_small_window(tmp_path: Path) -> None:
    turns = 2_000
    model = ScriptedModel(window=WINDOW)
    count, epochs, longest = 0, 0, 0

    def answer(request: ModelRequest) -> Any:
        nonlocal longest
        longest = max(longest, len(request.messages))
        if len(model.requests) > 1:
            assert_paired(model.requests[-1:])
            # Counting each request anew would take longer than the conversation; the largest ones are what matters.
            if len(request.messages) >= longest - 1 or len(request.messages) < len(model.requests[-2].messages):
                assert_sound([request])
        del model.requests[:-1]
        turn = count
        if turn % 5 == 0 and request.messages[-1]["role"] == "user":
            return [call("core_memory_list", query=f"{turn}"), call("core_memory_page_in", label="human")]
        return f"Answer {turn}. " + LOREM * (turn % 4)

    async with open_window(tmp_path, model) as agent:
        for turn in range(turns):
            count = turn
            model.enqueue(*([answer] * (2 if turn % 5 == 0 else 1)))
            events = await told(agent, f"Question {turn}: {LOREM * (turn % 3)}")
            epochs += len(compactions(events))
        model.assert_used()
        assert epochs > 20
        assert (await agent.memory.counters())["compactions"] == epochs


async def test_a_giant_message_is_shortened_in_the_window_and_whole_in_the_log(tmp_path: Path) -> None:
    model = ScriptedModel("I see.", "Still here.", window=WINDOW)
    words = "Begin. " + LOREM * 2_700 + " The end."
    assert len(words) > 200_000
    async with open_window(tmp_path, model) as agent:
        await told(agent, words)
        await told(agent, "And now?")
        assert (await agent.history())[0].text == words
    assert_sound(model.requests)
    shown = model.requests[0].messages[-1]["content"]
    assert shown.startswith("Begin. ")
    assert shown.endswith(" The end.")
    assert '\n<left_out characters="' in shown


GIANTS = {
    "markers": "<block>" * 30_000,
    "escapes": "&amp;lt;" * 30_000,
    "one word": "x" * 200_000,
    "chinese": "字" * 200_000,
    "control characters": "\x01" * 50_000,
}


@pytest.mark.parametrize("words", GIANTS.values(), ids=GIANTS)
async def test_a_giant_message_that_grows_when_it_is_escaped(tmp_path: Path, words: str) -> None:
    model = ScriptedModel("I see.", "Still here.", window=WINDOW)
    async with open_window(tmp_path, model) as agent:
        await told(agent, words)
        await told(agent, words)
    assert_sound(model.requests)


async def test_the_summary_is_recursive_and_written_by_the_model(tmp_path: Path) -> None:
    model = ScriptedModel(window=WINDOW)
    seen: list[str] = []

    def summarise(request: ModelRequest) -> str:
        seen.append(request.messages[1]["content"])
        return f"Summary {len(seen)}: they talked of boats."

    model.enqueue_summaries(*[summarise] * 50)
    async with open_window(tmp_path, model) as agent:
        made: list[EpochStarted] = []
        while len(made) < 3:
            model.enqueue("Yes. " + LOREM * 10)
            made += compactions(await told(agent, "Tell me. " + LOREM * 20))
    assert_sound(model.requests)
    for index in range(1, len(seen)):
        assert f"Summary {index}: they talked of boats." in seen[index]
    assert summary_of(model.requests[-1]) == f"Summary {len(seen)}: they talked of boats."


FAILURES: dict[str, Any] = {
    "unavailable": ModelUnavailable("Overloaded."),
    "empty": "",
    "long": "boats " * 20_000,
    "markers": "boat <summary></summary>" * 2_000,
    "chinese": "boat 字" * 9_000,
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
async def test_a_summariser_that_fails_or_says_too_much(tmp_path: Path, failure: Any) -> None:
    model = ScriptedModel(window=WINDOW)
    model.enqueue_summaries(*[failure] * 50)
    async with open_window(tmp_path, model) as agent:
        made: list[EpochStarted] = []
        events: list[StreamEvent] = []
        while len(made) < 3:
            model.enqueue("Yes. " + LOREM * 10)
            events += await told(agent, f"Fact {len(events)}: the boat is red. " + LOREM * 20)
            made = compactions(events)
    assert_sound(model.requests)
    assert "boat" in summary_of(model.requests[-1])
    warned = [event for event in events if isinstance(event, Warned)]
    assert len(warned) == (3 if failure == "" or isinstance(failure, ModelUnavailable) else 0)


async def test_many_calls_with_giant_results(tmp_path: Path) -> None:
    model = ScriptedModel(window=WINDOW)
    steps = [[RequestedCall("read_page", json.dumps({"n": n})) for n in range(width)] for width in (1, 4, 12, 40, 3)]
    model.enqueue(*steps, "I have read them all.")
    async with open_window(tmp_path, model, tools=[reader(60_000)]) as agent:
        events = await told(agent, "Read all of it, please, and mind the red boat.")
        assert events[-1].reason == "done"  # type: ignore[union-attr]
        assert compactions(events)
    assert_sound(model.requests)
    for request in model.requests:
        # The request that is being worked on never leaves.
        if request.purpose == "turn":
            assert "mind the red boat" in request.messages[1]["content"]


@pytest.mark.parametrize("size", [5_000, 60_000])
async def test_giant_arguments(tmp_path: Path, size: int) -> None:
    model = ScriptedModel(window=WINDOW)
    text = (LOREM * 1_000)[:size]
    model.enqueue(
        call("core_memory_append", label="human", content=text),
        RequestedCall("core_memory_append", '{"label": "human", "content": "' + text),
        [call("core_memory_append", label="human", content=text), call("core_memory_list")],
        "I cannot.",
        "Yes.",
    )
    async with open_window(tmp_path, model) as agent:
        assert (await told(agent, "Keep this."))[-1].text == "I cannot."  # type: ignore[union-attr]
        assert (await told(agent, "Well?"))[-1].text == "Yes."  # type: ignore[union-attr]
    assert_sound(model.requests)


async def test_a_provider_that_finds_the_request_too_large(tmp_path: Path) -> None:
    model = ScriptedModel(window=WINDOW)
    async with open_window(tmp_path, model) as agent:
        for _ in range(8):
            model.enqueue("Yes. " + LOREM * 10)
            await told(agent, "Tell me. " + LOREM * 15)
        model.enqueue(ContextExceeded("Too long."), ContextExceeded("Too long."), "Now it fits.")
        events = await told(agent, "Do you follow?")
        assert events[-1].text == "Now it fits."  # type: ignore[union-attr]
    assert_sound(model.requests)
    sizes = [tokens_of(request) for request in model.requests if request.purpose == "turn"][-3:]
    assert sizes[1] <= sizes[0] // 2
    assert sizes[2] <= sizes[1]
    assert model.requests[-1].messages[-1]["content"].endswith("Do you follow?")


async def test_a_provider_that_never_finds_it_small_enough_ends_the_turn_in_its_words(tmp_path: Path) -> None:
    model = ScriptedModel(*[ContextExceeded("Still too long.")] * 9, window=WINDOW)
    async with open_window(tmp_path, model) as agent:
        ended = (await told(agent, "Hello?"))[-1]
        assert isinstance(ended, TurnEnded)
        assert ended.reason == "error"
        assert "Still too long." in ended.error
        model._replies["turn"].clear()
        model.enqueue("Here.")
        assert (await agent.send("And now?")).text == "Here."
    assert_sound(model.requests)
