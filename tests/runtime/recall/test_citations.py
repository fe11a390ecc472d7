"""What a reply cites is used, what it cites and is not there is told of, and a memory says why it is there."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.archive.passages import get
from pagekeeper.runtime.clock import ManualClock, stamp
from pagekeeper.runtime.errors import Ambiguous, NotFound
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.recall.citations import cited
from pagekeeper.runtime.recall.why import as_text
from pagekeeper.runtime.stream import Cited, StreamEvent
from pagekeeper.tests.support.agents import open_agent


async def events(agent: Agent, words: str) -> list[StreamEvent]:
    return [event async for event in agent.stream(words)]


def passage(agent: Agent, said: str) -> Any:
    return agent.memory.journal.read_now(lambda connection: get(connection, agent.scope, said))


def ended(agent: Agent) -> dict[str, Any]:
    """The payload of the newest turn.ended."""
    query = select(tables.events.c.payload).where(tables.events.c.type == "turn.ended")
    found = agent.memory.journal.read_now(
        lambda connection: connection.execute(query.order_by(tables.events.c.row.desc()).limit(1)).scalar()
    )
    return dict(found or {})


def test_citations_are_ids_in_brackets() -> None:
    text = "Nuts [p-0fk3a2], [p-0fk3a2; m-12345678] (p-1234567) [human] [see p-7654321x] [p-1] [x-p-123456] [p-\n12345]"
    assert cited(text) == ["p-0fk3a2", "m-12345678", "p-7654321x"]


async def test_what_a_reply_cites_is_used_and_what_was_only_recalled_is_not(tmp_path: Path) -> None:
    model = ScriptedModel()
    clock = ManualClock()
    async with open_agent(tmp_path, model, clock=clock) as agent:
        (one,) = await agent.memory.insert("The user is allergic to peanuts.")
        (other,) = await agent.memory.insert("The peanuts are in the cellar.")
        model.enqueue(f"You are allergic [{one}] [{one[:8]}].")
        clock.advance(timedelta(days=1))
        happened = await events(agent, "May I eat the peanuts?")
        assert [event for event in happened if isinstance(event, Cited)] == [Cited((one,), ())]
        assert not any(event.warning for event in happened if isinstance(event, Cited))
        row = passage(agent, one)
        assert (row.uses, row.trust, row.used_at) == (1, 0.55, stamp(clock.now()))
        assert (passage(agent, other).uses, passage(agent, other).trust) == (0, 0.5)
        assert ended(agent)["cites"] == {"ids": [one], "unknown": []}
        assert agent.memory.journal.read_now(differences) == {}


async def test_a_citation_of_nothing_is_told_of_and_kept(tmp_path: Path) -> None:
    model = ScriptedModel("As you said [p-zzzzzz], [m-zzzzzz].")
    async with open_agent(tmp_path, model) as agent:
        happened = await events(agent, "What did I say?")
        (told,) = [event for event in happened if isinstance(event, Cited)]
        assert told == Cited((), ("p-zzzzzz", "m-zzzzzz"))
        assert told.warning == "The reply cites [p-zzzzzz], [m-zzzzzz], and there is no such memory."
        assert ended(agent)["cites"] == {"ids": [], "unknown": ["p-zzzzzz", "m-zzzzzz"]}
        model.enqueue("Nothing to cite.")
        assert not any(isinstance(event, Cited) for event in await events(agent, "And now?"))
        assert "cites" not in ended(agent)


async def test_another_users_memory_cannot_be_cited(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel(), user="eve") as agent:
        (hers,) = await agent.memory.insert("Eve sails.")
    async with open_agent(tmp_path, ScriptedModel(f"Eve sails [{hers}]."), user="bo") as agent:
        happened = await events(agent, "Who sails?")
        assert Cited((), (hers,)) in happened
    async with open_agent(tmp_path, ScriptedModel(), user="eve") as agent:
        assert passage(agent, hers).uses == 0


async def test_a_memory_that_was_corrected_meanwhile_gains_no_trust(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with open_agent(tmp_path, model) as agent:
        (one,) = await agent.memory.insert("The user lives in Porto.")
        update = call("archival_update", id=one[:10], content="The user lives in Rome.")
        model.enqueue(update, f"You moved from Porto [{one}].")
        await events(agent, "I moved to Rome.")
        row = passage(agent, one)
        assert (row.status, row.uses, row.trust) == ("superseded", 1, 0.5)


# -- why ------------------------------------------------------------------------------------------------------------


async def test_a_memory_says_where_it_comes_from_and_what_became_of_it(tmp_path: Path) -> None:
    model = ScriptedModel(call("archival_insert", content="The user lives in Porto.", kind="fact"), "Noted: Porto.")
    clock = ManualClock()
    async with open_agent(tmp_path, model, clock=clock) as agent:
        await events(agent, "I live in Porto.")
        (found,) = await agent.memory.search("Porto", tables=("passage",))
        clock.advance(timedelta(days=2))
        model.enqueue(f"In Porto [{found.short}].")
        await events(agent, "Where do I live?")
        clock.advance(timedelta(days=2))
        model.enqueue(call("archival_update", id=found.short, content="The user lives in Rome."), "Rome, then.")
        await events(agent, "I moved to Rome.")
        told = await agent.memory.why(found.short)
        assert (told.id, told.short, told.status, told.writer) == (found.id, found.short, "superseded", "agent")
        (source,) = told.source
        assert (source.conversation, source.said, source.reply) == ("main", "I live in Porto.", "Noted: Porto.")
        assert told.superseded_by is not None
        assert told.superseded_by.text == "The user lives in Rome."
        assert [one.what for one in told.history] == [
            "archived",
            "used (trust 0.5 to 0.55, uses 0 to 1)",
            f"superseded by {told.superseded_by.short}",
        ]
        assert told.valid_to == clock.now()
        newer = await agent.memory.why(told.superseded_by.short)
        assert [one.id for one in newer.superseded] == [found.id]
        text = as_text(told, agent.scope.timezone)
        for line in (
            f"[{found.short}] fact, superseded: The user lives in Porto.",
            "written by agent on 2026-01-01",
            "held from ? to 2026-01-05",
            "trust 0.55, confidence 1, importance 0.5; used once, last on 2026-01-03",
            "from the conversation main, 2026-01-01 09:00",
            "  > I live in Porto.",
            "  Noted: Porto.",
            f"  [{told.superseded_by.short}] active: The user lives in Rome.",
        ):
            assert line in text.splitlines()


async def test_why_shows_disputes_evidence_and_the_sources_of_what_was_noted_later(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel("How nice.")) as agent:
        await events(agent, "I swim every morning.")
        (said,) = await agent.memory.search("swim", tables=("message",), roles=("user",))
        (fact,) = await agent.memory.insert("The user swims every morning.", source=(said.id,), basis="stated")
        (other,) = await agent.memory.insert("The user never swims.", status="disputed", disputes=fact)
        (insight,) = await agent.memory.insert("The user is an early bird.", kind="insight", evidence=(fact,))
        told = await agent.memory.why(fact)
        assert [one.said for one in told.source] == ["I swim every morning."]
        assert [one.id for one in told.disputes] == [other]
        assert [one.id for one in (await agent.memory.why(other)).disputes] == [fact]
        (rests,) = (await agent.memory.why(insight)).evidence
        assert (rests.id, rests.text) == (fact, "The user swims every morning.")


async def test_why_asks_for_one_memory_that_there_is(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel(), ids=CountingIds()) as agent:
        (one,) = await agent.memory.insert("One.")
        await agent.memory.insert("Two.")
        with pytest.raises(Ambiguous):
            await agent.memory.why("p-00")
        with pytest.raises(NotFound):
            await agent.memory.why("p-zzzzzz")
        await agent.memory.forget([one])
        with pytest.raises(NotFound):
            await agent.memory.why(one)


async def test_forgetting_by_a_short_id_withholds_what_shows_it_by_its_short_id(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel()) as agent:
        (one,) = await agent.memory.insert("Xylographic quokkas.")
        short = (await agent.memory.why(one)).short
        assert short == one[:8]
        model = ScriptedModel(f"That one is called [{short}].")
    async with open_agent(tmp_path, model) as agent:
        await events(agent, "How is it called?")
        await agent.memory.forget([short])
        assert [message.withheld for message in await agent.history() if message.role == "assistant"] == [True]
