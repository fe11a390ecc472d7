"""The one edit path of core memory, against a model of it: what an edit makes of a value, and what it refuses."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekeeper.assembly import Agent
from pagekeeper.runtime.core.blocks import LARGEST_LIMIT, BlockSpec
from pagekeeper.runtime.core.edit import Append, Create, Delete, Operation, Replace, Rethink, Settings
from pagekeeper.runtime.errors import (
    AlreadyExists,
    EditRefused,
    InvalidName,
    InvalidText,
    NotFound,
    PagekeeperError,
    RevisionConflict,
)
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.tests.support.agents import open_window
from pagekeeper.tests.support.wild import values

LIMIT = 120

operations = st.one_of(
    st.builds(Append, values),
    st.builds(Rethink, values),
    st.builds(Replace, st.sampled_from(["a", "\n", "word ", "&lt;", "</block>", "", "ab"]), values),
    st.builds(Create, value=values, limit=st.sampled_from([1, LIMIT, 5_000])),
    st.builds(Settings, limit=st.sampled_from([1, LIMIT, 5_000])),
    st.just(Delete()),
)


def expected(value: str | None, limit: int, operation: Operation) -> tuple[str | None, int] | None:
    """The value and limit after the edit; None where it must be refused."""
    if isinstance(operation, Create):
        fits = value is None and len(operation.value) <= operation.limit
        return (operation.value, operation.limit) if fits else None
    if value is None:
        return None
    if isinstance(operation, Delete):
        return None, limit
    if isinstance(operation, Settings):
        return (value, operation.limit or 0) if operation.limit != limit else None
    if isinstance(operation, Append):
        if not operation.content.strip():
            return None
        new = f"{value}\n{operation.content}" if value else operation.content
    elif isinstance(operation, Replace):
        once = operation.old and value.count(operation.old) == 1
        # What a model sees as &lt; may stand for <, where that is what occurs once.
        if not once or value.find(operation.old) != value.rfind(operation.old):
            seen = operation.old.replace("&lt;", "<")
            if seen == operation.old or value.count(operation.old) or value.count(seen) != 1:
                return None
            return None if "&" in operation.new else _fitting(value, value.replace(seen, operation.new), limit)
        new = value.replace(operation.old, operation.new)
    else:
        assert isinstance(operation, Rethink)
        new = operation.value
    return _fitting(value, new, limit)


def _fitting(value: str, new: str, limit: int) -> tuple[str, int] | None:
    return (new, limit) if new != value and (len(new) <= limit or len(new) < len(value)) else None


@settings(max_examples=60, deadline=None)
@given(st.lists(operations, max_size=12))
def test_edits_are_what_they_say(edits: list[Operation]) -> None:
    async def live() -> None:
        with tempfile.TemporaryDirectory() as home:
            async with open_window(Path(home), ScriptedModel()) as agent:
                await _compare(agent, edits)

    asyncio.run(live())


async def _compare(agent: Agent, edits: list[Operation]) -> None:
    value: str | None = None
    limit, revision = 5_000, 0
    for operation in edits:
        after = expected(value, limit, operation)
        if isinstance(operation, Replace) and "&" in operation.old + operation.new and after is None:
            continue  # whether the escaped form was meant is told by tests of its own
        if after is None:
            with pytest.raises(PagekeeperError):
                await agent.memory.edit("notes", operation)
        else:
            change = await agent.memory.edit("notes", operation)
            assert change.event.payload["revision"] >= revision
            value, limit = after
        blocks = {block.label: block for block in await agent.memory.blocks()}
        assert ("notes" in blocks) == (value is not None)
        if value is not None:
            assert (blocks["notes"].value, blocks["notes"].limit) == (value, limit)
            assert blocks["notes"].revision == revision + (after is not None)
            revision = blocks["notes"].revision


async def test_a_block_that_another_has_changed_is_not_overwritten_unseen(tmp_path: Path) -> None:
    async def overtaken(_request: object) -> list[object]:
        await agent.memory.edit("notes", Append("by the user"))
        return [
            call("core_memory_rethink", label="notes", new_value="mine"),
            call("core_memory_rethink", label="notes", new_value="mine, on top of the user's"),
        ]

    async def overtaken_again(_request: object) -> list[object]:
        await agent.memory.edit("notes", Append("once more"))
        return [call("core_memory_delete", label="notes"), call("core_memory_append", label="notes", content="and I")]

    model = ScriptedModel(overtaken, overtaken_again, "Done.")
    async with open_window(tmp_path, model, blocks=[BlockSpec("notes", "one")]) as agent:
        await agent.send("Edit.")
        assert (await agent.memory.block("notes")).value == "mine, on top of the user's\nonce more\nand I"
    results = [message["content"] for message in model.requests[-1].messages if message["role"] == "tool"]
    assert [result.startswith("Error: ") for result in results] == [True, False, True, False]
    assert "one\nby the user" in results[0]
    assert "is at revision 4 now, and you saw revision 3" in results[2]


async def test_only_the_user_edits_what_is_read_only(tmp_path: Path) -> None:
    edits = [
        call("core_memory_append", label="charter", content="x"),
        call("core_memory_replace", label="charter", old_content="law", new_content="x"),
        call("core_memory_rethink", label="charter", new_value="x"),
        call("core_memory_delete", label="charter"),
    ]
    model = ScriptedModel(edits, "No.")
    async with open_window(tmp_path, model, blocks=[BlockSpec("charter", "law", read_only=True)]) as agent:
        await agent.send("Break the law.")
        results = [message["content"] for message in model.requests[-1].messages if message["role"] == "tool"]
        assert all("read-only" in result and result.startswith("Error: ") for result in results)
        with pytest.raises(EditRefused):
            await agent.memory.edit("charter", Rethink("x"), writer="sleeptime")
        assert (await agent.memory.edit("charter", Append("order"))).after is not None
        assert (await agent.memory.block("charter")).value == "law\norder"


@pytest.mark.parametrize(
    ("label", "operation", "error"),
    [
        ("notes", Append("  "), InvalidText),
        ("notes", Append("\ud800"), InvalidText),
        ("notes", Rethink("x" * 5_001), EditRefused),
        ("notes", Rethink("one"), EditRefused),
        ("notes", Replace("", "x"), EditRefused),
        ("notes", Replace("two", "x"), EditRefused),
        ("notes", Settings(limit=0), EditRefused),
        ("notes", Settings(limit=LARGEST_LIMIT + 1), EditRefused),
        ("notes", Settings(description="x" * 1_001), InvalidText),
        ("notes", Create(), AlreadyExists),
        ("nota", Append("x"), NotFound),
        ("", Create(), InvalidName),
        ("../x", Create(), InvalidName),
        ("a b", Create(), InvalidName),
        ("x" * 65, Create(), InvalidName),
        ("new", Create(value="x" * 11, limit=10), EditRefused),
        ("new", Create(limit=LARGEST_LIMIT + 1), EditRefused),
    ],
)
async def test_what_is_refused_changes_nothing(
    tmp_path: Path, label: str, operation: Operation, error: type[Exception]
) -> None:
    async with open_window(tmp_path, ScriptedModel(), blocks=[BlockSpec("notes", "one")]) as agent:
        before = await agent.memory.blocks()
        with pytest.raises(error) as raised:
            await agent.memory.edit(label, operation)
        assert not isinstance(raised.value, RevisionConflict)
        assert await agent.memory.blocks() == before


async def test_a_block_is_the_users_or_all_users(tmp_path: Path) -> None:
    async with (
        open_window(tmp_path, ScriptedModel(), user="ada") as ada,
        open_window(tmp_path, ScriptedModel(), user="bob") as bob,
    ):
        await ada.memory.edit("mine", Create(value="Ada's", per_user=True))
        with pytest.raises(NotFound):
            await bob.memory.edit("mine", Append("x"))
        await bob.memory.edit("mine", Create(value="Bob's", per_user=True))
        assert [(await one.memory.block("mine")).value for one in (ada, bob)] == ["Ada's", "Bob's"]
        with pytest.raises(AlreadyExists):
            await ada.memory.edit("mine", Create())
        await bob.memory.edit("ours", Create(value="all"))
        with pytest.raises(AlreadyExists):
            await ada.memory.edit("ours", Create(per_user=True))
        assert (await ada.memory.edit("ours", Append("of us"))).after is not None
        assert (await bob.memory.block("ours")).value == "all\nof us"
