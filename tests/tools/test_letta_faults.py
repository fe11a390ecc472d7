"""Faults that Letta's memory tools are known for, each shown to be absent, through the real loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.runtime.core.blocks import Block, BlockSpec
from pagekeeper.runtime.core.edit import Rethink
from pagekeeper.runtime.errors import EditRefused
from pagekeeper.runtime.models.base import RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import CallFinished
from pagekeeper.tests.support.agents import assert_paired, open_agent

NOTES = BlockSpec("notes", "tea, tea, coffee", "Notes.", limit=40)


async def do(home: Path, *calls: RequestedCall) -> tuple[list[CallFinished], Block]:
    """Make these calls in one turn; their results, and the block `notes` after them."""
    model = ScriptedModel(list(calls), "Done.")
    async with open_agent(home, model, blocks=[NOTES]) as agent:
        results = [event async for event in agent.stream("Go on.") if isinstance(event, CallFinished)]
        block = await agent.memory.block("notes")
    assert_paired(model.requests)
    return results, block


async def test_a_replacement_never_hits_several_places(tmp_path: Path) -> None:
    """Letta's core_memory_replace replaces every occurrence."""
    [result], block = await do(
        tmp_path, call("core_memory_replace", label="notes", old_content="tea", new_content="milk")
    )
    assert result.error
    assert "occurs 2 times" in result.result
    assert block.value == "tea, tea, coffee"
    assert block.revision == 1


async def test_an_empty_old_content_is_refused(tmp_path: Path) -> None:
    """In Letta's core_memory_replace it inserts the new content between every two characters."""
    [result], block = await do(tmp_path, call("core_memory_replace", label="notes", old_content="", new_content="x"))
    assert result.error
    assert "empty" in result.result
    assert block.value == "tea, tea, coffee"


async def test_the_limit_holds_on_every_path(tmp_path: Path) -> None:
    """Letta enforces it on one path and not on another."""
    long = "x" * 41
    results, block = await do(
        tmp_path,
        call("core_memory_append", label="notes", content=long),
        call("core_memory_replace", label="notes", old_content="coffee", new_content=long),
        call("core_memory_rethink", label="notes", new_value=long),
        call("memory_insert", label="notes", new_str=long),
        call("memory_rethink", label="notes", new_memory=long),
        call("core_memory_create", label="more", description="More.", value=long, limit=40),
    )
    assert all(result.error and "limit is 40" in result.result for result in results)
    assert block.value == "tea, tea, coffee"
    async with open_agent(tmp_path, ScriptedModel()) as agent:
        with pytest.raises(EditRefused, match="limit is 40"):
            await agent.memory.edit("notes", Rethink(long))
        assert "more" not in [block.label for block in await agent.memory.blocks()]


async def test_an_edit_shows_what_it_changed(tmp_path: Path) -> None:
    """Letta's tools promise results that they do not give."""
    [result], block = await do(
        tmp_path, call("core_memory_replace", label="notes", old_content="coffee", new_content="milk")
    )
    assert not result.error
    assert "revision 1 to 2" in result.result
    assert "tea, tea, milk" in result.result
    assert block.value == "tea, tea, milk"
