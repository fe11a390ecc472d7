"""When a new epoch starts, and when none does: what a process finds that opens the conversation again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.tool import CallContext, Tool
from pagekeeper.tests.support.agents import assert_paired, open_window
from pagekeeper.tests.support.reading import read_blocks, tokens_of
from pagekeeper.tests.support.wild import canonical

LOREM = "The harbour was full of boats that day, and nobody knew why they had come. "


async def reasons(agent: Agent) -> list[str]:
    """Why each epoch of the conversation began."""
    epochs = tables.epochs
    query = select(epochs.c.number, epochs.c.reason).where(epochs.c.conversation == agent.scope.conversation)
    rows = await agent._journal.read(lambda connection: connection.execute(query.order_by(epochs.c.row)).all())
    return [reason for _number, reason in rows if not reason.startswith("stale: ")]


def tool(description: str) -> Tool:
    async def run(context: CallContext) -> str:
        return "Done."

    return Tool("wave", description, {"type": "object", "properties": {}}, run, effects="none")


async def test_a_changed_model_prompt_or_tool_list_starts_one_epoch_and_the_same_again_none(tmp_path: Path) -> None:
    openings: list[dict[str, Any]] = [
        {},
        {},
        {"instructions": "Speak as a sailor."},
        {"instructions": "Speak as a sailor."},
        {"instructions": "Speak as a sailor.", "tools": [tool("Waves.")]},
        {"instructions": "Speak as a sailor.", "tools": [tool("Waves.")]},
        {"instructions": "Speak as a sailor.", "tools": [tool("Waves twice.")]},
        {},
    ]
    seen = []
    for options in openings:
        model = ScriptedModel("Hello.", "Yes.")
        async with open_window(tmp_path, model, **options) as agent:
            await agent.send("Hi")
            await agent.send("And now?")
            seen.append((await agent.context.overview()).epoch)
            last = await reasons(agent)
        assert ("Speak as a sailor." in model.requests[0].messages[0]["content"]) == ("instructions" in options)
    assert seen == [1, 1, 2, 2, 3, 3, 4, 5]
    assert last == ["opened"] + ["model, prompt or tools changed"] * 4
    async with open_window(tmp_path, ScriptedModel("Hello.", name="another")) as agent:
        await agent.send("Hi")
        assert (await agent.context.overview()).epoch == 6


async def test_a_head_that_is_compiled_anew_keeps_the_messages_and_tells_where_their_blocks_are(tmp_path: Path) -> None:
    notes = "\n".join([LOREM] * 8)
    model = ScriptedModel(
        call("core_memory_append", label="notes", content="one"),
        "Noted.",
        call("core_memory_create", label="old", description="", value="x"),
        call("core_memory_delete", label="old"),
        "Done.",
    )
    async with open_window(tmp_path, model, blocks=[BlockSpec("notes", notes)]) as agent:
        await agent.send("Note one.")
        await agent.send("Try another.")
    before, after = model.requests[1].messages, model.requests[4].messages
    assert "<block_edit " in before[-1]["content"]
    assert "[block notes, revision 2: see core memory]" in after[3]["content"]
    assert [message["role"] for message in after[1:5]] == ["user", "assistant", "tool", "assistant"]
    assert "[block old, revision 1: not in view now]" in after[7]["content"]
    assert read_blocks(model.requests[4])["notes"] == (2, f"{notes}\none")
    assert "old" not in read_blocks(model.requests[4])


async def test_a_conversation_that_is_opened_in_a_smaller_window_is_compacted_into_it(tmp_path: Path) -> None:
    large = ScriptedModel(window=128_000)
    specs = [BlockSpec(f"topic{n}", LOREM * 20) for n in range(20)]
    async with open_window(tmp_path, large, blocks=specs) as agent:
        for turn in range(60):
            large.enqueue("Yes. " + LOREM * 20)
            await agent.send(f"Question {turn}: {LOREM * 20}")
    assert tokens_of(large.requests[-1]) > 40_000
    small = ScriptedModel("Here.", "Still here.", summaries=["They talked of boats."] * 50, window=8_192)
    async with open_window(tmp_path, small) as agent:
        assert (await agent.send("Are you there?")).text == "Here."
        assert (await agent.send("And now?")).text == "Still here."
        assert (await reasons(agent))[-1] == "compaction"
    for request in small.requests:
        assert tokens_of(request) + request.max_tokens <= 8_192
    assert_paired([request for request in small.requests if request.purpose == "turn"])
    again = ScriptedModel("Back.", window=128_000)
    async with open_window(tmp_path, again) as agent:
        assert (await agent.send("And here?")).text == "Back."
    first = [canonical(message) for message in small.requests[-1].messages]
    assert [canonical(message) for message in again.requests[0].messages[: len(first)]] == first
