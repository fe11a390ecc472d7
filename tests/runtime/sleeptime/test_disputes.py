"""What was written by hand is not overruled: both are kept, told as in dispute, and the user decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.cli import main
from pagekeeper.runtime.archive import passages
from pagekeeper.runtime.clock import ManualClock, stamp
from pagekeeper.runtime.errors import NotFound, UsageError
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.fold.rows import current
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


async def disputes(agent: Agent) -> list[tuple[str, str]]:
    """The disputes, each with its two cities."""
    return [tuple(side.value or "" for side in (one.new, one.old)) for one in await agent.memory.disputes()]  # type: ignore[misc]


@pytest.fixture
async def twice(tmp_path: Path) -> AsyncIterator[Agent]:
    """An agent in which Lisbon and Rome dispute Porto, a day after each other."""
    clock = ManualClock()
    model = model_of("Hm.", "Hm.", extracts=[answer(home("Lisbon")), answer(home("Rome"))])
    async with open_agent(tmp_path, model, embedder=HashEmbedder(), clock=clock) as agent:
        await agent.memory.insert("The user lives in Porto.", **BY_HAND)
        for city in ("Lisbon", "Rome"):
            clock.advance(timedelta(days=1))
            await agent.send(f"I live in {city}.")
            await agent.memory.work()
        clock.advance(timedelta(days=1))
        assert await disputes(agent) == [("Lisbon", "Porto"), ("Rome", "Porto")]
        yield agent
        # Whatever was done: each is in force, past, or in a dispute that can be decided.
        waiting = {row for row, status in (await standing(agent)).items() if status == "disputed"}
        assert waiting == {new for new, _ in await disputes(agent)}
        assert await agent.memory.journal.read(differences) == {}


async def standing(agent: Agent) -> dict[str, str]:
    """How what is known of each city stands."""
    table = tables.passages
    query = select(table.c.value, table.c.status, table.c.valid_from, table.c.valid_to).where(current(table))
    rows = await agent.memory.journal.read(lambda connection: connection.execute(query).all())
    assert all(row.valid_from is None or row.valid_to is None or row.valid_from < row.valid_to for row in rows)
    return {row.value: row.status for row in rows}


@pytest.mark.parametrize("first", [0, 1], ids=["older first", "newer first"])
@pytest.mark.parametrize("keep", ["new", "old", "both"])
@pytest.mark.parametrize("then", ["new", "old", "both"])
async def test_a_dispute_goes_on_with_what_takes_the_place_of_its_other_side(
    twice: Agent, first: int, keep: Any, then: Any
) -> None:
    cities = ("Lisbon", "Rome") if first == 0 else ("Rome", "Lisbon")
    found = {one.new.value: one.id for one in await twice.memory.disputes()}
    await twice.memory.settle(found[cities[0]], keep)
    against = cities[0] if keep == "new" else "Porto"
    assert await disputes(twice) == [(cities[1], against)]
    await twice.memory.settle(found[cities[1]], then)
    holding = {"new": {cities[0]}, "old": {"Porto"}, "both": {cities[0], "Porto"}}[keep]
    holding = {"new": holding - {against} | {cities[1]}, "old": holding, "both": holding | {cities[1]}}[then]
    assert {city for city, status in (await standing(twice)).items() if status == "active"} == holding


async def test_what_disputed_what_is_forgotten_holds_until_that_is_restored(twice: Agent) -> None:
    [hit] = [hit for hit in await twice.memory.search("Porto", tables=("passage",)) if "Porto" in hit.text]
    gone = await twice.memory.forget([hit.id])
    assert await disputes(twice) == [("Rome", "Lisbon")], "they contradict each other now"
    assert await found(twice) == {"The user lives in Lisbon."}
    await twice.memory.restore(gone.event.id)
    assert await disputes(twice) == [("Lisbon", "Porto"), ("Rome", "Porto")]
    assert await found(twice) == {"The user lives in Porto."}


async def test_what_is_in_dispute_is_listed_by_its_meaning_to_be_forgotten(tmp_path: Path) -> None:
    async with open_agent(tmp_path, model_of("Hm.", extracts=[answer(home("Lisbon"))])) as agent:
        await in_dispute(agent)
        listed = await agent.memory.candidates("Where is the home of the user?")
        assert {one.text for one in listed} == {"The user lives in Porto.", "The user lives in Lisbon."}


async def test_what_disputed_what_is_erased_expired_or_corrected_is_found(twice: Agent) -> None:
    await twice.memory.erase(await twice.memory.erasable("lives in Porto"), "erase")
    assert await disputes(twice) == [("Rome", "Lisbon")]
    clock = twice.memory.archive.clock
    [lisbon] = [one.old.id for one in await twice.memory.disputes()]
    change = [{"id": lisbon, "expires_at": stamp(clock.now())}]
    await twice.memory.journal.write(lambda tx: passages.change(tx, twice.scope, change, "expiry", writer="user"))
    [swept] = await twice.memory.sweep()
    assert await disputes(twice) == []
    assert await found(twice) == {"The user lives in Rome."}
    assert swept.event is not None
    await twice.memory.take_back(swept.event.id)
    assert await disputes(twice) == [("Rome", "Lisbon")]


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
