"""Notes: what changed, that the window fills up, what was recalled, and which day it is; each said once, in order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.context.main import MainContext
from pagekeeper.runtime.context.parts import Part, note_part, text_part
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.core.edit import Append, Create, Settings
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import Recalled
from pagekeeper.tests.support.agents import open_window
from pagekeeper.tests.support.reading import notes_in, notes_of, read_blocks, summary_of, tokens_of

LOREM = "The harbour was full of boats that day, and nobody knew why they had come. "


def kinds(message: dict[str, Any]) -> list[str]:
    return [kind for kind, _text in notes_of(message)]


async def test_the_model_is_told_once_an_epoch_that_the_window_fills_up(tmp_path: Path) -> None:
    model = ScriptedModel(window=8_192)
    async with open_window(tmp_path, model) as agent:
        told: dict[int, list[int]] = {}
        limits = agent._conversation.context.window.limits
        for turn in range(80):
            model.enqueue("Yes. " + LOREM * 5)
            await agent.send(f"Question {turn}: {LOREM * 6}")
            pressed = [kind for kind, _text in notes_in(model.requests[-1])].count("memory_pressure")
            told.setdefault((await agent.context.overview()).epoch, []).append(pressed)
            if pressed:
                assert tokens_of(model.requests[-1]) >= limits.pressure
        assert len(told) > 3
        for epoch, counts in list(told.items())[:-1]:
            assert counts == sorted(counts)
            assert counts[-1] == 1, f"epoch {epoch} ended without a word of warning"


async def test_what_others_change_is_told_before_the_words_or_after_the_last_result(tmp_path: Path) -> None:
    async def changed(_request: Any) -> list[Any]:
        await agent.memory.edit("human", Append("Likes tea."))
        await agent.memory.edit("plans", Create("what comes next", "Sail."))
        return [call("core_memory_list"), call("core_memory_list", query="x")]

    model = ScriptedModel("Hello.", changed, "I see.")
    async with open_window(tmp_path, model) as agent:
        await agent.send("Hi")
        await agent.memory.edit("human", Append("Name: Ada"))
        await agent.send("Who am I?")
        user = model.requests[1].messages[-1]
        assert kinds(user) == ["memory_update"]
        assert "Block human was changed by the user." in user["content"]
        assert user["content"].endswith("</memory_update>\nWho am I?")
        first, last = model.requests[2].messages[-2:]
        assert kinds(first) == []
        assert last["content"].rstrip().endswith("</memory_update>")
        assert "There is a new block plans: what comes next" in last["content"]
        assert read_blocks(model.requests[2])["human"][1].endswith("Name: Ada\nLikes tea.")
        model.enqueue("Yes.")
        await agent.send("So?")
        assert kinds(model.requests[3].messages[-1]) == []


async def test_changed_settings_are_told_though_the_head_keeps_the_old_ones(tmp_path: Path) -> None:
    model = ScriptedModel("Hello.", "Yes.")
    async with open_window(tmp_path, model) as agent:
        await agent.send("Hi")
        await agent.memory.edit("human", Settings(limit=900, description="Ada, mostly", read_only=True))
        await agent.send("Well?")
        [(_kind, text)] = notes_of(model.requests[1].messages[-1])
        assert "It is now: limit 900; read-only; about: Ada, mostly." in text
        assert read_blocks(model.requests[1])["human"][0] == 2


async def test_two_edits_of_one_block_in_one_step_are_two_changes_and_no_fault(tmp_path: Path) -> None:
    lines = "\n".join(f"line {n}: {LOREM}" for n in range(10))
    calls = [call("core_memory_append", label="notes", content=word) for word in ("one", "two", "three")]
    model = ScriptedModel(calls, "Done.")
    async with open_window(tmp_path, model, blocks=[BlockSpec("notes", lines)]) as agent:
        await agent.send("Count.")
        results = [message["content"] for message in model.requests[1].messages[-3:]]
        assert all("<block_edit " in result and "<block " not in result for result in results)
        assert read_blocks(model.requests[1])["notes"] == (4, f"{lines}\none\ntwo\nthree")
        assert "faults" not in await agent.memory.counters()


async def test_a_day_that_passes_is_told_once(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 1, 1, 22, 0, tzinfo=UTC))
    model = ScriptedModel(*["Yes."] * 6)
    async with open_window(tmp_path, model, clock=clock, timezone="Asia/Tokyo") as agent:
        for hours in (0, 1, 20, 1, 24 * 5):
            clock.advance(timedelta(hours=hours))
            await agent.send("And now?")
    said = [text for _kind, text in notes_in(model.requests[-1])]
    assert said == ["Today is Saturday, 2026-01-03.", "Today is Thursday, 2026-01-08."]
    assert "Today is Friday, 2026-01-02, time zone Asia/Tokyo." in model.requests[-1].messages[0]["content"]


def recalling(size: int) -> Any:
    """A recall that finds a note of some `size` tokens."""

    async def recall(words: str, context: MainContext) -> tuple[Part, Recalled] | None:
        text = "\n".join(f"- [p-{n:06}] 2026-01-01 fact: {LOREM}" for n in range(size // 30))
        return note_part("memory", "2026-01-01 09:00", [text_part(text)]), Recalled(text, ())

    return recall


async def test_what_was_recalled_leaves_the_window_first(tmp_path: Path) -> None:
    model = ScriptedModel(window=8_192)
    async with open_window(tmp_path, model) as agent:
        agent._conversation._recall = recalling(430)
        turn = 0
        while not (await agent.memory.counters()).get("compactions"):
            turn += 1
            model.enqueue(f"Answer {turn}.")
            await agent.send(f"Question {turn}?")
        last = model.requests[-1]
        said = [message["content"] for message in last.messages[1:-1]]
        asked = [f"Question {n}?" for n in range(1, turn)]
        answered = [f"Answer {n}." for n in range(1, turn)]
        assert said == [words for pair in zip(asked, answered, strict=True) for words in pair]
        # The note that came with the present words is what they are to be answered from.
        assert kinds(last.messages[-1]) == ["memory"]
        assert last.messages[-1]["content"].endswith(f"</memory>\nQuestion {turn}?")
        assert summary_of(last) == ""


async def test_the_notes_of_a_message_stand_in_their_order(tmp_path: Path) -> None:
    model = ScriptedModel("Hello.", "Yes.")
    async with open_window(tmp_path, model, clock=ManualClock()) as agent:
        agent._conversation._recall = recalling(60)
        await agent.send("Hi " + LOREM * 30)
        await agent.memory.edit("human", Append("Name: Ada"))
        window = agent._conversation.context.window
        window.limits = replace(window.limits, window=window.total * 4 // 3, reserve=0)
        await agent.send("Hi")
        assert kinds(model.requests[-1].messages[-1]) == ["memory_update", "memory_pressure", "memory"]


async def test_the_overview_adds_up(tmp_path: Path) -> None:
    model = ScriptedModel(window=8_192)
    async with open_window(tmp_path, model) as agent:
        agent._conversation._recall = recalling(300)
        for turn in range(30):
            model.enqueue("Yes. " + LOREM * 3)
            await agent.send(f"Question {turn}: {LOREM * 3}")
            overview = await agent.context.overview()
            sizes = dict(overview.sections)
            assert all(size >= 0 for size in sizes.values())
            assert sum(sizes.values()) == overview.used == agent._conversation.context.window.total
            assert overview.free == max(0, overview.window - overview.reserve - overview.used)
            assert sizes["recalled"] > 0
        assert sizes["summary"] > 0
        assert abs(tokens_of(agent._conversation.context.request()) - overview.used) <= 20
