"""The arithmetic of the window: nothing is promised twice, and what does not fit is refused with what to cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.context.limits import HEAD_LINES, Limits, plan_limits
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.core.edit import Append, Create, Rethink, Settings
from pagekeeper.runtime.errors import ConfigError, EditRefused, WindowTooSmall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import CallFinished
from pagekeeper.tests.support.agents import open_window
from pagekeeper.tests.support.reading import head_of, read_blocks, tokens_of

WORDS = "many words "


@given(
    window=st.integers(1, 2_000_000),
    fixed=st.integers(0, 50_000),
    pinned=st.integers(0, 50_000),
    budget=st.none() | st.integers(200, 300_000),
)
def test_no_token_is_promised_twice(window: int, fixed: int, pinned: int, budget: int | None) -> None:
    refused: WindowTooSmall | None = None
    try:
        limits = plan_limits(window, fixed, pinned, budget)
    except WindowTooSmall as error:
        refused = error
    if refused is not None:
        assert f"{window:,}" in refused.message or f"{pinned + HEAD_LINES:,}" in refused.message
        assert refused.hint
        return
    assert limits.reserve > 0
    assert limits.reserve + limits.usable == window
    assert fixed + limits.core + limits.table <= 0.4 * limits.usable
    assert pinned + HEAD_LINES <= limits.core
    assert limits.core <= (0.2 * window if budget is None else budget)
    assert fixed + limits.core + limits.table < limits.target < limits.pressure < limits.compact < limits.usable
    assert 0 < limits.recall < limits.part <= 0.2 * limits.usable


def test_a_core_budget_too_small_for_anything_is_not_put_on_the_window() -> None:
    for budget in (-1, 0, 199):
        with pytest.raises(ConfigError, match=f"core budget of {budget} tokens is too small.*200") as caught:
            plan_limits(128_000, 2_000, 0, budget)
        assert not isinstance(caught.value, WindowTooSmall)


def test_the_smallest_window_in_which_all_tools_fit_is_below_eight_thousand(tmp_path: Path) -> None:
    with pytest.raises(WindowTooSmall, match="system text and tools"):
        plan_limits(4_096, 2_000, 0, None)
    assert isinstance(plan_limits(8_192, 2_000, 200, None), Limits)


async def test_a_window_of_eight_thousand_opens_with_all_default_tools(tmp_path: Path) -> None:
    model = ScriptedModel("Hello.", window=8_192)
    async with open_window(tmp_path, model) as agent:
        assert (await agent.send("Hi")).text == "Hello."
        overview = await agent.context.overview()
        sizes = dict(overview.sections)
        core = agent._conversation.context.window.limits.core
        assert sizes["system"] + sizes["tools"] + core * 5 // 4 <= 0.4 * (overview.window - overview.reserve)
        assert core >= 400, sizes


async def test_pinned_blocks_that_do_not_fit_keep_the_agent_from_opening(tmp_path: Path) -> None:
    large = BlockSpec("charter", WORDS * 400, pinned=True)
    with pytest.raises(WindowTooSmall, match="pinned blocks take") as raised:
        async with open_window(tmp_path, ScriptedModel(window=8_192), blocks=[large]):
            pass
    assert "unpin" in raised.value.hint
    async with open_window(tmp_path, ScriptedModel(window=128_000)) as agent:
        await agent.memory.edit("charter", Settings(pinned=False))
    async with open_window(tmp_path, ScriptedModel(window=8_192)) as agent:
        assert (await agent.memory.block("charter")).value == WORDS * 400


async def test_nobody_takes_the_pinned_blocks_over_the_budget(tmp_path: Path) -> None:
    long = WORDS * 250  # some 500 tokens
    model = ScriptedModel(call("core_memory_append", label="human", content=long), "No.")
    async with open_window(tmp_path, model, core_budget=600) as agent:
        before = await agent.memory.blocks()
        events = [event async for event in agent.stream("Remember this.")]
        [finished] = [event for event in events if isinstance(event, CallFinished)]
        assert finished.error
        assert "core budget is 600" in finished.result
        for operation in (Append(long), Rethink(long)):
            with pytest.raises(EditRefused, match="core budget is 600"):
                await agent.memory.edit("human", operation)
        with pytest.raises(EditRefused, match="core budget is 600"):
            await agent.memory.edit("other", Create(value=long, pinned=True))
        assert await agent.memory.blocks() == before

        await agent.memory.edit("other", Create(value=long))
        with pytest.raises(EditRefused, match="core budget is 600"):
            await agent.memory.edit("other", Settings(pinned=True))
        await agent.memory.edit("other", Rethink("short"))
        await agent.memory.edit("other", Settings(pinned=True))
        with pytest.raises(EditRefused, match="core budget is 600"):
            await agent.memory.edit("other", Rethink(long))
        await agent.memory.edit("other", Settings(pinned=False))
        await agent.memory.edit("other", Rethink(long))
        await agent.memory.edit("other", Rethink("short"))
        await agent.memory.edit("other", Settings(pinned=True))
        await agent.memory.undo("other")
        await agent.memory.undo("other")
        with pytest.raises(EditRefused, match="core budget is 600"):
            await agent.memory.edit("other", Settings(pinned=True))


async def test_pinned_blocks_that_outgrew_the_budget_may_shrink(tmp_path: Path) -> None:
    small, large = ScriptedModel("Yes.", "Yes.", window=8_192), ScriptedModel(window=128_000)
    long = "\n".join([WORDS * 40] * 10)
    async with open_window(tmp_path, small) as agent, open_window(tmp_path, large, conversation="large") as other:
        await agent.send("Hello?")
        await other.memory.edit("human", Rethink(long))
        await agent.send("Are you still there?")
        assert read_blocks(small.requests[-1])["human"][1] == long
        with pytest.raises(EditRefused):
            await agent.memory.edit("human", Append("and more"))
        await agent.memory.edit("human", Rethink(long[: len(long) // 2]))
        await agent.memory.edit("human", Rethink("Ada"))
    assert tokens_of(small.requests[-1]) < 8_192


async def test_a_block_that_breaks_a_newer_limit_loads_and_may_shrink(tmp_path: Path) -> None:
    model = ScriptedModel(
        call("core_memory_append", label="notes", content="more"),
        call("core_memory_replace", label="notes", old_content="seven", new_content="sevens"),
        call("core_memory_replace", label="notes", old_content=" seven", new_content=""),
        "Shorter.",
    )
    async with open_window(tmp_path, model, blocks=[BlockSpec("notes", "one two three four five six seven")]) as agent:
        await agent.memory.edit("notes", Settings(limit=5))
        await agent.send("Shorten your notes.")
    async with open_window(tmp_path, ScriptedModel()) as agent:
        block = await agent.memory.block("notes")
        assert (block.value, block.limit) == ("one two three four five six", 5)
    results = [message["content"] for message in model.requests[-1].messages if message["role"] == "tool"]
    assert [result.startswith("Error: ") for result in results] == [True, True, False]


async def test_the_head_holds_its_budget_and_says_what_is_not_in_it(tmp_path: Path) -> None:
    blocks = [BlockSpec(f"topic{n:03}", WORDS * 20, f"All about topic {n}, at length.") for n in range(100)]
    model = ScriptedModel("Hello.", window=16_000)
    async with open_window(tmp_path, model, blocks=blocks, core_budget=1_000) as agent:
        await agent.send("Hi")
        count = agent._conversation.context.window.counter.count
        head, shown = head_of(model.requests[0]), read_blocks(model.requests[0])
        table = head.partition("\n<other_blocks>\n")[2]
        assert count(head) <= 1_250
        assert count(table) <= 250
        assert {"persona", "human"} < shown.keys()
        named = [line.partition(":")[0] for line in table.splitlines() if line.startswith("topic")]
        assert table.splitlines()[-2] == f"{102 - len(shown) - len(named)} more: core_memory_list(query)"
        assert not shown.keys() & set(named)
