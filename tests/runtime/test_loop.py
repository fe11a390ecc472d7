"""A turn from the user's words to its end, through the real journal."""

from __future__ import annotations

from pathlib import Path

from pagekeeper.runtime.errors import ModelUnavailable
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import BlockChanged, CallFinished, TurnEnded
from pagekeeper.tests.support.agents import assert_paired, open_agent


async def test_a_model_edits_its_memory_and_answers(tmp_path: Path) -> None:
    model = ScriptedModel(call("core_memory_append", label="human", content="Name: Ada"), "Hello, Ada.", "Ada.")
    async with open_agent(tmp_path, model) as agent:
        events = [event async for event in agent.stream("I'm Ada.")]
        assert [event.value for event in events if isinstance(event, BlockChanged)] == [
            "What I know about the user:\nName: Ada"
        ]
        assert isinstance(events[-1], TurnEnded)
        assert events[-1].reason == "done"
        assert events[-1].text == "Hello, Ada."
    async with open_agent(tmp_path, model) as agent:
        assert (await agent.send("Who am I?")).text == "Ada."
        assert (await agent.memory.block("human")).value.endswith("Name: Ada")
        assert [message.text for message in await agent.history() if message.role != "tool"] == [
            "I'm Ada.",
            "",
            "Hello, Ada.",
            "Who am I?",
            "Ada.",
        ]
    assert_paired(model.requests)
    model.assert_used()


async def test_two_edits_in_one_step(tmp_path: Path) -> None:
    lines = [call("core_memory_append", label="human", content=line) for line in ("Name: Ada", "Likes: tea")]
    model = ScriptedModel(lines, "Noted.")
    async with open_agent(tmp_path, model) as agent:
        assert (await agent.send("I'm Ada, and I like tea.")).text == "Noted."
        assert (await agent.memory.block("human")).value.endswith("Name: Ada\nLikes: tea")
    assert_paired(model.requests)


async def test_an_edit_that_fails_goes_back_to_the_model_and_changes_nothing(tmp_path: Path) -> None:
    wrong = call("core_memory_replace", label="human", old_content="Bob", new_content="Ada")
    model = ScriptedModel(wrong, "I could not.")
    async with open_agent(tmp_path, model) as agent:
        before = await agent.memory.block("human")
        events = [event async for event in agent.stream("I'm Ada.")]
        assert await agent.memory.block("human") == before
        [finished] = [event for event in events if isinstance(event, CallFinished)]
        assert finished.error
        assert "does not occur" in finished.result
        assert "What I know about the user:" in finished.result
    assert_paired(model.requests)


async def test_a_failing_model_ends_the_turn_in_its_own_words_and_the_next_turn_works(tmp_path: Path) -> None:
    model = ScriptedModel(ModelUnavailable("The server is overloaded."), "Here I am.")
    async with open_agent(tmp_path, model) as agent:
        ended = await agent.send("Hello?")
        assert ended.reason == "error"
        assert "overloaded" in ended.error
        assert (await agent.send("And now?")).text == "Here I am."
        said = [message["content"] for message in model.requests[-1].messages[1:]]
        assert said == ["Hello?", "And now?"]


async def test_the_same_call_with_the_same_result_three_times_ends_the_turn(tmp_path: Path) -> None:
    model = ScriptedModel(*[call("core_memory_list", query="nothing like it")] * 3)
    async with open_agent(tmp_path, model) as agent:
        ended = await agent.send("Look.")
        assert ended.reason == "no_progress"
        assert ended.steps == 3


async def test_an_empty_reply_is_asked_for_once_more(tmp_path: Path) -> None:
    model = ScriptedModel("", "Yes.", "", "")
    async with open_agent(tmp_path, model) as agent:
        assert (await agent.send("Are you there?")).text == "Yes."
        ended = await agent.send("Still?")
        assert ended.reason == "empty"
        assert "empty reply twice" in ended.error
