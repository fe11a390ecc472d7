"""Faults that Letta's memory tools are known for, each shown to be absent, through the real loop."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pagekeeper.runtime.core.blocks import Block, BlockSpec
from pagekeeper.runtime.core.edit import Rethink
from pagekeeper.runtime.errors import EditRefused
from pagekeeper.runtime.models.base import RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import CallFinished
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.support.embedding import HashEmbedder

_ID = re.compile(r"p-\w+")

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
    assert all("core_memory_rethink" in result.result for result in results[:-1])
    assert "larger limit" in results[-1].result
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


async def archive(home: Path, flushed: bool, *calls: RequestedCall, then: RequestedCall) -> list[str]:
    """Make these calls in one turn and one more in the next, before or after the archive was flushed.

    Returns the ids of passages in each result, parted by spaces.
    """
    model = ScriptedModel(list(calls), "Noted.", then, "Found.")
    async with open_agent(home, model, embedder=HashEmbedder()) as agent:
        results = [event async for event in agent.stream("Note this.") if isinstance(event, CallFinished)]
        if flushed:
            await agent.memory.archive.flush()
        results += [event async for event in agent.stream("And now?") if isinstance(event, CallFinished)]
    assert not any(result.error for result in results)
    model.assert_used()
    return [" ".join(_ID.findall(result.result)) for result in results]


@pytest.mark.parametrize("flushed", [False, True])
@pytest.mark.parametrize("name", ["archival_insert", "archival_memory_insert"])
async def test_an_insert_returns_the_id_that_it_promises(tmp_path: Path, name: str, flushed: bool) -> None:
    """Letta's archival_memory_insert documents an id and returns nothing."""
    made, found = await archive(
        tmp_path, flushed, call(name, content="Ada likes tea."), then=call("archival_search", query="Ada tea")
    )
    assert made
    assert found == made


@pytest.mark.parametrize("flushed", [False, True])
async def test_tags_are_filtered_before_the_limit(tmp_path: Path, flushed: bool) -> None:
    """In Letta the limit is applied first, so that matching passages are missing."""
    near = [call("archival_insert", content=f"Green tea number {n}.", tags=["shop"]) for n in range(30)]
    far = [call("archival_insert", content=f"Some {word} tea.", tags=["home", word]) for word in ("old", "cold")]
    search = call("archival_search", query="green tea number", tags=["home"], limit=2)
    *made, found = await archive(tmp_path, flushed, *near, *far, then=search)
    assert sorted(found.split()) == sorted(made[-2:])


@pytest.mark.parametrize("flushed", [False, True])
async def test_all_tags_can_be_asked_for(tmp_path: Path, flushed: bool) -> None:
    calls = [call("archival_insert", content="Some tea.", tags=tags) for tags in (["a"], ["a", "b"], ["b"])]
    search = call("archival_memory_search", query="tea", tags=["a", "b"], tag_match_mode="all", top_k=5)
    *made, found = await archive(tmp_path, flushed, *calls, then=search)
    assert found == made[1]


@pytest.mark.parametrize("flushed", [False, True])
async def test_dates_count_wherever_a_passage_is_stored(tmp_path: Path, flushed: bool) -> None:
    """Letta ignores them on one of its backends. Here a passage is in SQLite first, and in LanceDB later."""
    days = ["2025-03-01", "2025-03-02", "2025-03-03", "2025-03-04"]
    calls = [call("archival_insert", content=f"Tea on day {day}.", event_time=f"{day}T23:30:00") for day in days]
    search = call("archival_search", query="tea", start="2025-03-02", end="2025-03-03")
    *made, found = await archive(tmp_path, flushed, *calls, then=search)
    assert sorted(found.split()) == sorted(made[1:3])
