"""Tidying up as part of memory work: what it does to a real memory, and what becomes of it when anything fails."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.edit import Append, Author, Replace, Rethink, Settings
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.fold.rows import current
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.models.scripted import call
from pagekeeper.runtime.rewind import rewind
from pagekeeper.runtime.sleeptime.consolidating import consolidation, tidy
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import answer, home, model_of, operation


def opened(path: Path, model: Any, **options: Any) -> Any:
    return open_agent(path, model, **{"embedder": HashEmbedder(), **options})


async def rows(agent: Agent) -> dict[str, Any]:
    """The passages as they are, by text."""
    table = tables.passages
    query = select(table).where(current(table)).order_by(table.c.created_at, table.c.id)
    found = await agent.memory.journal.read(lambda connection: connection.execute(query).all())
    return {row.text: row for row in found}


async def consolidated(agent: Agent) -> list[dict[str, Any]]:
    table = tables.events
    query = select(table.c.payload).where(table.c.type == "sleep.consolidated").order_by(table.c.row)
    return list(await agent.memory.journal.read(lambda connection: connection.execute(query).scalars().all()))


async def human(agent: Agent) -> list[str]:
    return (await agent.memory.block("human")).value.split("\n")[1:]


def taste(text: str = "The user likes tea.", **details: Any) -> dict[str, Any]:
    return {"text": text, "subject": "user", "attribute": "taste", "value": "tea", "writer": "sleeptime", **details}


async def test_duplicates_merge_and_nothing_that_was_known_is_lost(tmp_path: Path) -> None:
    clock = ManualClock()
    async with opened(tmp_path, model_of(extracts=[answer()]), clock=clock) as agent:
        memory = agent.memory
        [first] = await memory.insert(**taste(tags=("drink",), source=("m-1",), importance=0.3, trust=0.55))
        clock.advance(timedelta(days=1))
        [second] = await memory.insert(**taste("User likes tea", tags=("taste",), source=("m-2",), trust=0.45))
        await memory.insert(**taste("The user likes coffee.", value="coffee"))
        assert (await memory.work()).counts == {"merged": 1}
        found = await rows(agent)
        kept, gone = found["The user likes tea."], found["User likes tea"]
        assert (kept.id, kept.status, gone.id, gone.status, gone.superseded_by) == (
            *(first, "active"),
            *(second, "superseded", first),
        )
        assert gone.valid_to is None
        assert (kept.tags, kept.source, kept.importance, kept.trust) == (["drink", "taste"], ["m-1", "m-2"], 0.5, 0.5)
        assert [hit.id for hit in await memory.search("tea", tables=("passage",)) if "tea" in hit.text] == [first]
        assert await memory.journal.read(differences) == {}
        assert (await memory.work()).counts == {}
        [told] = await consolidated(agent)
        assert told["counts"] == {"merged": 1}


async def test_append_only_leaves_duplicates_as_they_are(tmp_path: Path) -> None:
    settings = {"sleeptime_policy": "append-only"}
    async with opened(tmp_path, model_of(extracts=[answer()]), settings=settings) as agent:
        await agent.memory.insert(**taste())
        await agent.memory.insert(**taste("User likes tea"))
        assert (await agent.memory.work()).counts == {}


async def test_one_users_memories_are_not_merged_with_anothers(tmp_path: Path) -> None:
    for user in ("eve", "ada"):
        async with opened(tmp_path, model_of(extracts=[answer()]), user=user) as agent:
            await agent.memory.insert(**taste())
            assert (await agent.memory.work()).counts == {}
            assert [row.status for row in (await rows(agent)).values()] == ["active"]


async def test_what_disagrees_with_the_block_is_brought_up_to_date(tmp_path: Path) -> None:
    clock = ManualClock()
    noted = call("core_memory_append", label="human", content="The user lives in Porto.")
    extracts = [answer(home("Porto", importance=8)), answer(home("Lisbon", importance=8))]
    model = model_of(noted, "Noted.", "How nice.", extracts=extracts)
    async with opened(tmp_path, model, clock=clock) as agent:
        await agent.send("I live in Porto.")
        assert (await agent.memory.work()).counts == {"added": 1}
        clock.advance(timedelta(days=30))
        await agent.send("I live in Lisbon now.")
        assert (await agent.memory.work()).counts == {"superseded": 1, "replaced in human": 1}
        assert await human(agent) == ["The user lives in Lisbon."]
        [*_, last] = await agent.memory.history("human")
        assert last.began.writer == "sleeptime"
        assert await agent.memory.journal.read(differences) == {}
        await agent.memory.undo("human")
        assert await human(agent) == ["The user lives in Porto."]
        assert (await agent.memory.work()).counts == {}
        assert await human(agent) == ["The user lives in Porto."]


async def test_what_matters_is_added_once_and_not_again_when_the_user_takes_it_out(tmp_path: Path) -> None:
    allergy = operation(
        "The user is allergic to nuts.", importance=9, attribute="allergy", value="nuts", subject="user"
    )
    async with opened(tmp_path, model_of("Oh.", extracts=[answer(allergy)])) as agent:
        await agent.send("I am allergic to nuts.")
        assert (await agent.memory.work()).counts == {"added": 1, "added to human": 1}
        assert await human(agent) == ["The user is allergic to nuts."]
        await agent.memory.edit("human", Replace("\nThe user is allergic to nuts.", ""))
        assert (await agent.memory.work()).counts == {}
        assert await human(agent) == []


async def test_the_next_request_is_told_of_the_change(tmp_path: Path) -> None:
    allergy = operation(
        "The user is allergic to nuts.", importance=9, attribute="allergy", value="nuts", subject="user"
    )
    model = model_of("Oh.", "Good.", extracts=[answer(allergy)])
    async with opened(tmp_path, model) as agent:
        await agent.send("I am allergic to nuts.")
        await agent.memory.work()
        await agent.send("What can I eat?")
    told = str([request for request in model.requests if request.purpose == "turn"][-1].messages[-1])
    assert "background work" in told
    assert "allergic to nuts" in told


@pytest.mark.parametrize("setting", [{"read_only": True}, {"limit": 40}], ids=["read-only", "full"])
async def test_a_block_that_may_not_be_changed_or_is_full_is_left_alone(tmp_path: Path, setting: Any) -> None:
    allergy = operation(
        "The user is allergic to nuts.", importance=9, attribute="allergy", value="nuts", subject="user"
    )
    async with opened(tmp_path, model_of("Oh.", extracts=[answer(allergy)])) as agent:
        await agent.memory.edit("human", Settings(**setting))
        await agent.send("I am allergic to nuts.")
        counts = (await agent.memory.work()).counts
        assert counts == {"added": 1, **({"no room in human": 1} if "limit" in setting else {})}
        assert await human(agent) == []


async def test_an_edit_that_the_budget_refuses_is_dropped_visibly(tmp_path: Path) -> None:
    long = "The user is allergic to nuts" + ", nuts" * 150 + "."
    async with opened(tmp_path, model_of(extracts=[answer()]), core_budget=200) as agent:
        await agent.memory.insert(long, subject="user", attribute="allergy", value="nuts", importance=0.9)
        done = await agent.memory.work()
        assert done.counts == {"not written to human": 1}
        assert "The pinned blocks would take" in done.faults[0]
        assert await human(agent) == []


# -- conflicts and faults --------------------------------------------------------------------------


class Meddler:
    """Edits the block between each look at it and the transaction, so many times."""

    def __init__(self, agent: Agent, patch: pytest.MonkeyPatch, times: int) -> None:
        self.times, self.done, self._agent, before = times, 0, agent, tidy.plan

        def plan(*given: Any) -> Any:
            found = before(*given)
            if self.done < self.times:
                self.done += 1
                self._edit()
            return found

        patch.setattr(consolidation, "plan", plan)

    def _edit(self) -> None:
        core = self._agent.memory
        core.journal.write_now(
            lambda tx: core.core.edit(tx, "human", Append(f"Line {self.done}."), Author("user"), blind=True)
        )


async def _prepared(agent: Agent) -> None:
    await agent.memory.edit("human", Append("Sails."))
    await agent.memory.insert(
        "The user is allergic to nuts.", subject="user", attribute="allergy", value="nuts", importance=0.9
    )
    await agent.memory.insert(**taste())
    await agent.memory.insert(**taste("User likes tea"))


@pytest.mark.parametrize(("times", "counts"), [(1, {"added to human": 1}), (3, {"added to human": 1}), (9, {})])
async def test_a_block_that_changes_meanwhile_is_read_anew_up_to_three_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, counts: dict[str, int]
) -> None:
    async with opened(tmp_path, model_of(extracts=[answer()])) as agent:
        await _prepared(agent)
        with monkeypatch.context() as patch:
            meddler = Meddler(agent, patch, times)
            done = await agent.memory.work()
        assert meddler.done == min(times, 5)
        assert done.counts == {"merged": 1, **(counts or {"not written to human": 1})}
        assert done.faults == ([] if counts else ["an edit of the block `human`: Block 'human' has changed meanwhile."])
        lines = [f"Line {n + 1}." for n in range(meddler.done)]
        assert await human(agent) == ["Sails.", *lines, *(["The user is allergic to nuts."] if counts else [])]
        if not counts:
            assert (await agent.memory.work()).counts == {"added to human": 1}


async def test_a_death_in_the_middle_leaves_nothing_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path, model_of(extracts=[answer()])) as agent:
        await _prepared(agent)
        before = await rows(agent)
        with monkeypatch.context() as patch:
            patch.setattr("pagekeeper.runtime.sleeptime.consolidating.tidy._merge", lambda *_: 1 / 0)
            done = await agent.memory.work()
        assert "ZeroDivisionError" in done.error
        assert await rows(agent) == before
        assert await human(agent) == ["Sails."]
        assert (await agent.memory.work()).counts == {"merged": 1, "added to human": 1}
        assert await agent.memory.journal.read(differences) == {}


async def test_a_memory_that_changes_meanwhile_is_left_for_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, model_of(extracts=[answer()])) as agent:
        await agent.memory.insert(**taste())
        [second] = await agent.memory.insert(**taste("User likes tea"))
        before = tidy.plan

        def plan(*given: Any) -> Any:
            found = before(*given)
            payload = {"reason": "used", "changes": [{"id": second, "uses": 7}]}
            agent.memory.journal.write_now(
                lambda tx: tx.append("passage.changed", payload, stream=agent.scope.agent, writer="agent")
            )
            return found

        with monkeypatch.context() as patch:
            patch.setattr(consolidation, "plan", plan)
            assert (await agent.memory.work()).counts == {"overtaken": 1}
        assert (await agent.memory.work()).counts == {"merged": 1}
        [kept] = [row for row in (await rows(agent)).values() if row.status == "active"]
        assert kept.uses == 7


# -- insights --------------------------------------------------------------------------------------


async def test_an_insight_goes_when_nothing_is_left_that_it_rests_on(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(extracts=[answer()])) as agent:
        memory = agent.memory
        first, second = [
            (await memory.insert(f"The user sailed to {it}.", kind="episode"))[0] for it in ("Faro", "Brest")
        ]
        await memory.insert("The user likes to sail.", kind="insight", basis="reflected", evidence=(first, second))
        await memory.insert("The user is a sailor.", kind="insight", writer="user")
        await memory.forget([first])
        assert (await memory.work()).counts == {}
        table = tables.passages
        await memory.journal.write(
            lambda tx: tx.append(
                "passage.retired", {"ids": [second], "reason": "wrong"}, stream=agent.scope.agent, writer="user"
            )
        )
        assert (await memory.work()).counts == {"insights retired": 1}
        query = select(table.c.text, table.c.status).where(table.c.kind == "insight", current(table))
        found = await memory.journal.read(lambda connection: connection.execute(query).all())
        assert {row.text: row.status for row in found} == {
            "The user likes to sail.": "retired",
            "The user is a sailor.": "active",
        }


# -- when ------------------------------------------------------------------------------------------


async def compact(agent: Agent) -> None:
    """Have the conversation's newest epoch say that it began with a compaction."""
    table = tables.events
    query = select(table.c.payload).where(table.c.type == "epoch.started").order_by(table.c.row.desc()).limit(1)
    last = await agent.memory.journal.read(lambda connection: connection.execute(query).scalar_one())
    again = {**last, "id": "ep-again", "number": last["number"] + 1, "reason": "compaction"}
    scope = agent.scope
    await agent.memory.journal.write(
        lambda tx: tx.append(
            "epoch.started", again, stream=scope.agent, writer="system", conversation=scope.conversation
        )
    )


async def test_it_is_due_when_idle_after_turns_or_after_a_compaction(tmp_path: Path) -> None:
    clock = ManualClock()
    settings = {"sleeptime_consolidate_turns": 3, "sleeptime_consolidate_idle_minutes": 5}
    model = model_of(*["Hm."] * 9, extracts=[answer()] * 9)
    async with opened(tmp_path, model, clock=clock, settings=settings) as agent:
        work = agent.memory.sleeptime
        await work.close()
        assert not await work._consolidation_due()
        await agent.memory.insert(**taste())
        await agent.send("Hello.")
        assert not await work._consolidation_due()
        clock.advance(timedelta(minutes=5))
        assert await work._consolidation_due()
        await agent.memory.work()
        assert not await work._consolidation_due()
        await agent.send("Hello.")
        await agent.memory.insert(**taste("The user likes coffee.", value="coffee"))
        for turn in range(2):
            assert not await work._consolidation_due(), turn
            await agent.send("Hello.")
        assert await work._consolidation_due()
        await agent.memory.work()
        await agent.memory.insert(**taste("The user likes milk.", value="milk"))
        await agent.send("Hello.")
        assert not await work._consolidation_due()
        await compact(agent)
        assert await work._consolidation_due()


async def test_in_the_background_it_is_done_when_it_is_due(tmp_path: Path) -> None:
    clock = ManualClock()
    settings = {"sleeptime_enabled": True}
    async with opened(tmp_path, model_of(extracts=[answer()]), clock=clock, settings=settings) as agent:
        work = agent.memory.sleeptime
        await agent.memory.insert(**taste())
        await agent.memory.insert(**taste("User likes tea"))
        done = await work.run_if_due()
        assert done is not None
        assert done.counts == {"merged": 1}
        assert await work.run_if_due() is None


async def test_a_rewind_and_a_fork_are_consolidated_anew(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(extracts=[answer()])) as agent:
        await agent.memory.insert(**taste())
        await agent.memory.insert(**taste("User likes tea"))
        before = await agent.newest()
        await agent.memory.work()
        await rewind(agent.memory.journal, agent._locks, agent.scope.agent, before)
        assert (await agent.memory.work()).counts == {"merged": 1}
        await agent.memory.journal.write(lambda tx: fork(tx, agent.scope.agent, "bo", before))
        async with opened(tmp_path, model_of(extracts=[answer()]), name="bo") as other:
            assert (await other.memory.work()).counts == {"merged": 1}
            assert (await other.memory.work()).counts == {}
            assert await other.memory.journal.read(differences) == {}


async def test_what_the_user_wrote_over_is_the_users(tmp_path: Path) -> None:
    clock = ManualClock()
    extracts = [answer(home("Porto")), answer(home("Lisbon"))]
    async with opened(tmp_path, model_of("Hm.", "Oh.", extracts=extracts), clock=clock) as agent:
        await agent.memory.edit("human", Rethink("What I know about the user:\nLives in Porto"))
        await agent.send("I live in Porto.")
        await agent.memory.work()
        clock.advance(timedelta(days=1))
        await agent.send("I live in Lisbon now.")
        assert (await agent.memory.work()).counts == {"superseded": 1, "left in human: by hand": 1}
        assert await human(agent) == ["Lives in Porto"]
