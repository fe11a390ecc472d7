"""While next to nothing is known of the user, the head asks for onboarding; what is imported says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.prompts import load
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.core.edit import Rethink
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.agents import open_agent, open_window

ASKS = load("onboarding")


async def asked(home: Path, **options: object) -> bool:
    """Whether a new conversation's first request asks for onboarding."""
    model = ScriptedModel("Hello.")
    async with open_window(home, model, **options) as agent:
        await agent.send("Hello there.")
    return ASKS in str(model.requests[0].messages[0]["content"])


@pytest.mark.parametrize(
    ("human", "facts", "asks"),
    [
        ("What I know about the user:", 0, True),
        ("What I know about the user:\nName: Ada", 1, True),
        ("What I know about the user:\nName: Ada", 2, False),
        ("Name: Ada. Lives in Porto; likes tea.", 0, False),
        ("", 3, False),
    ],
)
async def test_it_is_asked_for_while_fewer_than_three_facts_are_known(
    tmp_path: Path, human: str, facts: int, asks: bool
) -> None:
    async with open_window(tmp_path, ScriptedModel(), conversation="before") as agent:
        if human != (await agent.memory.block("human")).value:
            await agent.memory.edit("human", Rethink(human))
        for number in range(facts):
            await agent.memory.insert(f"Fact {number} of the user.")
        await agent.memory.insert("A chapter of a book.", kind="document")
    assert await asked(tmp_path) is asks
    assert await asked(tmp_path, user="somebody else")


async def test_the_prefix_stays_when_the_user_becomes_known_and_the_next_head_asks_no_more(tmp_path: Path) -> None:
    model = ScriptedModel("One.", "Two.", "Three.")
    async with open_window(tmp_path, model) as agent:
        await agent.send("Hello there.")
        for number in range(3):
            await agent.memory.insert(f"Fact {number} of the user.")
        await agent.send("And now?")
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert ASKS in str(second.messages[0]["content"])
    async with open_window(tmp_path, model, conversation="another") as agent:
        await agent.send("Hello again.")
    assert ASKS not in str(model.requests[2].messages[0]["content"])


async def test_it_gives_way_to_the_pinned_blocks(tmp_path: Path) -> None:
    long = BlockSpec("human", "many words " * 60, "The user.", limit=2000, pinned=True, per_user=True)
    short = BlockSpec("persona", "Brief.", pinned=True)
    assert not await asked(tmp_path, blocks=[long, short], core_budget=250)


async def test_an_imported_profile_is_marked_as_imported(tmp_path: Path) -> None:
    profile = tmp_path / "profile.jsonl"
    profile.write_text('{"text": "The user is a falconer in Braga.", "kind": "fact"}\n', "utf-8")
    model = ScriptedModel("With birds.")
    async with open_agent(tmp_path / "home", model) as agent:
        await agent.memory.import_documents([profile])
        await agent.send("What does a falconer in Braga do?")
        (found,) = await agent.memory.search("falconer", tables=("passage",))
        assert found.basis == "imported"
    assert "fact from profile.jsonl, imported: The user is a falconer in Braga." in str(model.requests[0].messages[-1])
