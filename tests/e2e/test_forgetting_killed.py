"""A process that is killed while it forgets: the next one finishes what it began."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.timeline import changes
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.child import said
from pagekeeper.tests.support.children import Child
from pagekeeper.tests.support.forgetting import found, request_of

TOLD = "I'm allergic to peanuts."
FAILPOINTS = [
    "journal.before_commit.memory.forgotten",
    "journal.after_commit.memory.forgotten",
    "journal.after_commit.model.replied@2",
    "journal.before_commit.turn.ended",
    "journal.after_commit.turn.ended",
]


@pytest.mark.parametrize("failpoint", FAILPOINTS)
async def test_what_was_begun_is_finished(tmp_path: Path, failpoint: str) -> None:
    home = tmp_path / "home"
    model = ScriptedModel("Noted: no peanuts.")
    async with open_agent(home, model) as agent:
        await agent.send(TOLD)
        await agent.memory.insert("Ada is allergic to peanuts.")
        await agent.memory.insert("Ada plays the cello.")
        ids = [one.id for one in await agent.memory.candidates("allergic to peanuts")]
    assert len(ids) == 3
    steps = said(["I forget it.", {"memory_forget": {"ids": ids, "reason": "asked"}}], [{"look": {"what": "a"}}], "OK.")
    with Child(home, environment={"PAGEKEEPER_FAILPOINT": failpoint}) as child:
        child.until("opened")
        child.tell(say=f"Forget that {TOLD} {steps}")
        assert child.end() == -9
    side, model = ScriptedModel(), ScriptedModel()
    async with open_agent(home, model) as agent, open_agent(home, side, conversation="side") as other:
        assert "peanut" not in await request_of(agent, model, "hello")
        assert "peanut" not in await request_of(other, side, "What am I allergic to?")
        assert not [text for text in await found(other, ["peanuts", "allergic to"]) if "peanut" in text]
        assert "Ada plays the cello." in await found(other, ["cello"])
        history = await agent.memory.journal.read(lambda connection: changes(connection, agent.scope.agent, "user"))
        assert TOLD in "".join(change.text for change in history)
