"""What was written by hand is not overruled: both are kept, told as in dispute, and the user decides."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.assembly import Agent
from pagekeeper.cli import main
from pagekeeper.runtime.errors import NotFound, UsageError
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import answer, home, model_of

BY_HAND: dict[str, Any] = {"subject": "user", "attribute": "home", "value": "Porto", "single": True}


async def in_dispute(agent: Agent) -> str:
    """Have Porto, which the user wrote by hand, disputed by Lisbon; returns the dispute's id."""
    await agent.memory.insert("The user lives in Porto.", **BY_HAND)
    await agent.send("I live in Lisbon.")
    assert (await agent.memory.work()).counts == {"disputed": 1}
    [dispute] = await agent.memory.disputes()
    assert (dispute.new.text, dispute.old.text) == ("The user lives in Lisbon.", "The user lives in Porto.")
    return dispute.id


def opened(path: Path) -> Any:
    return open_agent(path, model_of("Hm.", extracts=[answer(home("Lisbon"))]), embedder=HashEmbedder())


async def found(agent: Agent) -> set[str]:
    hits = await agent.memory.search("Where does the user live?", tables=("passage",))
    return {hit.text for hit in hits}


@pytest.mark.parametrize(("keep", "hold"), [("new", {"Lisbon"}), ("old", {"Porto"}), ("both", {"Lisbon", "Porto"})])
async def test_the_user_decides(tmp_path: Path, keep: Any, hold: set[str]) -> None:
    async with opened(tmp_path) as agent:
        dispute = await in_dispute(agent)
        assert await found(agent) == {"The user lives in Porto."}, "until then the old one holds"
        await agent.memory.settle(dispute, keep)
        assert await found(agent) == {f"The user lives in {city}." for city in hold}
        assert await agent.memory.disputes() == []
        with pytest.raises(NotFound, match="is in no dispute"):
            await agent.memory.settle(dispute, keep)
        assert await agent.memory.journal.read(differences) == {}


async def test_what_cannot_be_decided_is_refused(tmp_path: Path) -> None:
    wrong: Any = "neither"
    async with opened(tmp_path) as agent:
        dispute = await in_dispute(agent)
        with pytest.raises(UsageError, match="Keep new, old, both"):
            await agent.memory.settle(dispute, wrong)
        with pytest.raises(NotFound):
            await agent.memory.settle("p-nothing", "new")
        assert len(await agent.memory.disputes()) == 1


async def test_a_dispute_whose_other_side_is_forgotten_is_over(tmp_path: Path) -> None:
    async with opened(tmp_path) as agent:
        await in_dispute(agent)
        [hit] = await agent.memory.search("Porto", tables=("passage",))
        await agent.memory.forget([hit.id])
        assert await agent.memory.disputes() == []


async def _prepare(path: Path) -> str:
    async with open_agent(path, model_of("Hm.", extracts=[answer(home("Lisbon"))])) as agent:
        return await in_dispute(agent)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dispute = asyncio.run(_prepare(tmp_path))
    at = ["--home", str(tmp_path)]
    assert main([*at, "memory", "disputes", "--agent", "ada"]) == 0
    out, err = capsys.readouterr()
    assert out.split()[0] == dispute[:8]
    assert "new  The user lives in Lisbon. (2026-01-01)" in out
    assert "old  The user lives in Porto. (2026-01-01, written by hand)" in out
    assert "memory settle ID new|old|both" in err
    assert main([*at, "memory", "settle", "--agent", "ada", dispute, "new"]) == 0
    assert capsys.readouterr().out == "It holds: The user lives in Lisbon.\n"
    assert main([*at, "memory", "disputes", "--agent", "ada"]) == 0
    assert "Nothing is in dispute." in capsys.readouterr().err
    assert main([*at, "memory", "settle", "--agent", "ada", dispute, "old"]) == 2
