"""Reflection as part of memory work: what it is given, what is kept, and what becomes of it when anything fails."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.edit import Rethink
from pagekeeper.runtime.errors import EditRefused, ModelUnavailable, NotFound
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.fold.rows import current
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.models.base import ModelReply, ModelRequest, Usage
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel
from pagekeeper.runtime.sleeptime.asking import Cost
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import found, question, reflected

TRIPS = ("The user sailed to Faro.", "The user sailed to Brest.", "The user sailed to Cork.")
SAILS = "The user sails far whenever there is time."
RULE = "Look at the weather at sea before proposing a trip."
NOTHING = json.dumps({"insights": [], "rules": []})


def model_of(*reflections: Any) -> ScriptedModel:
    model = ScriptedModel()
    model.enqueue_for("extract")
    model.enqueue_for("reflect", *reflections)
    return model


def opened(path: Path, model: Any, **options: Any) -> Any:
    return open_agent(path, model, **{"embedder": HashEmbedder(), **options})


def asked(model: ScriptedModel) -> list[dict[str, Any]]:
    return [question(request) for request in model.requests if request.purpose == "reflect"]


async def happened(agent: Agent, *texts: str, **details: Any) -> list[str]:
    """Archive episodes."""
    return [(await agent.memory.insert(text, kind="episode", writer="sleeptime", **details))[0] for text in texts]


async def kept(agent: Agent, *kinds: str) -> dict[str, Any]:
    """The passages of these kinds as they are, by text."""
    table = tables.passages
    query = select(table).where(current(table), table.c.kind.in_(kinds or ("insight", "rule"))).order_by(table.c.row)
    rows = await agent.memory.journal.read(lambda connection: connection.execute(query).all())
    return {row.text: row for row in rows}


async def test_three_new_episodes_are_reflected_on_once(tmp_path: Path) -> None:
    model = model_of(reflected(SAILS))
    async with opened(tmp_path, model) as agent:
        [fact] = await agent.memory.insert("The user has a boat that sailed before.", subject="user", importance=0.2)
        two = await happened(agent, *TRIPS[:2], source=("m-1",), importance=0.4)
        assert (await agent.memory.work()).counts == {}
        assert asked(model) == []
        three = await happened(agent, TRIPS[2], source=("m-2",), importance=0.6)
        assert (await agent.memory.work()).counts == {"insights": 1}
        assert (await agent.memory.work()).counts == {}
        row = (await kept(agent))[SAILS]
        assert (row.kind, row.basis, row.status, row.evidence) == ("insight", "reflected", "active", [*two, *three])
        assert (row.confidence, row.importance, row.source, row.writer) == (0.8, 0.6, ["m-1", "m-2"], "sleeptime")
        [hit, *_] = await agent.memory.search("sails far", kinds=("insight",))
        assert hit.text == SAILS
        [told] = asked(model)
        assert told["now"] == "2026-01-01T09:00"
        assert sorted(one["text"] for one in told["episodes"]) == sorted(TRIPS)
        assert told["episodes"][0].keys() == {"id", "text", "at"}
        assert told["facts"] == [{"id": fact, "text": "The user has a boat that sailed before."}]
        assert await agent.memory.journal.read(differences) == {}


async def test_what_happened_before_and_belongs_to_it_is_shown_too(tmp_path: Path) -> None:
    model = model_of(reflected(), reflected())
    async with opened(tmp_path, model) as agent:
        await happened(agent, *TRIPS)
        await happened(agent, "The user baked bread.")
        await agent.memory.work()
        await happened(agent, "The user sailed to Vigo.", "The user met Bo.", "The user met Eva.")
        await agent.memory.work()
    first, second = asked(model)
    assert len(first["episodes"]) == 4
    assert {one["text"] for one in second["episodes"]} >= {*TRIPS, "The user sailed to Vigo.", "The user met Bo."}


async def test_many_are_reflected_on_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagekeeper.runtime.sleeptime.consolidating.reflecting.MOST_EPISODES", 4)
    model = model_of(NOTHING, NOTHING)
    async with opened(tmp_path, model) as agent:
        await happened(agent, *(f"Matter {n} was settled." for n in range(9)))
        await agent.memory.work()
        assert len(asked(model)) == 2
        assert not (await agent.memory.sleeptime._consolidation.since()).worth_reflecting()


async def test_a_newer_insight_on_the_same_takes_the_place_of_the_older(tmp_path: Path) -> None:
    model = model_of(reflected(SAILS), reflected("The user sails far whenever there is time, mostly to Vigo."))
    clock = ManualClock()
    async with opened(tmp_path, model, clock=clock) as agent:
        await happened(agent, *TRIPS)
        await agent.memory.insert("The user sails a lot.", kind="insight")
        await agent.memory.work()
        clock.advance(timedelta(days=7))
        await happened(agent, *(f"The user sailed to Vigo, trip {n}." for n in range(3)))
        assert (await agent.memory.work()).counts == {"insights": 1, "insights superseded": 1}
        status = {text: row.status for text, row in (await kept(agent)).items()}
        assert status == {
            "The user sails a lot.": "active",
            SAILS: "superseded",
            "The user sails far whenever there is time, mostly to Vigo.": "active",
        }


async def test_what_is_known_is_not_kept_again(tmp_path: Path) -> None:
    again = reflected(SAILS, SAILS, TRIPS[0])
    async with opened(tmp_path, model_of(again)) as agent:
        await happened(agent, *TRIPS)
        assert (await agent.memory.work()).counts == {"insights": 1, "insights known": 2}


async def test_what_rests_on_nothing_is_dropped_visibly(tmp_path: Path) -> None:
    answer = json.dumps({"insights": [found("The user rows.", "p-nothing", "p-none")], "rules": [found(RULE)]})
    async with opened(tmp_path, model_of(answer)) as agent:
        await happened(agent, *TRIPS)
        done = await agent.memory.work()
        assert done.counts == {"faulty": 2}
        assert len(done.faults) == 2
        assert await kept(agent) == {}


async def test_what_is_forgotten_while_the_model_thinks_is_no_evidence(tmp_path: Path) -> None:
    agents: list[Agent] = []

    async def forget(request: ModelRequest) -> Any:
        ids = [one["id"] for one in question(request)["episodes"]]
        await agents[0].memory.forget(ids[:2])
        return reflected(SAILS)(request)

    async with opened(tmp_path, model_of(forget)) as agent:
        agents.append(agent)
        await happened(agent, "Zamorin was seen.", "Quintana was seen.", "Ulverton was seen.")
        assert (await agent.memory.work()).counts == {"forgotten": 1}
        assert await kept(agent) == {}


# -- faults ----------------------------------------------------------------------------------------


async def test_a_reflection_that_fails_loses_nothing_and_is_tried_again(tmp_path: Path) -> None:
    faults: list[Any] = [
        ModelUnavailable("down"),
        "Let me think.",
        '{"operations": []}',
        ModelReply("{", finish="length"),
    ]
    model = model_of(*faults, reflected(SAILS))
    async with opened(tmp_path, model) as agent:
        await happened(agent, *TRIPS)
        for words in ("down", "not the JSON", "no list of insights or rules", "cut short"):
            done = await agent.memory.work()
            assert words in done.error
            assert done.counts == {}
            assert await kept(agent) == {}
        assert (await agent.memory.work()).counts == {"insights": 1}
        [row] = (await kept(agent)).values()
        assert row.text == SAILS


async def test_what_was_tidied_up_before_a_failure_stays_so(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(ModelUnavailable("down"), reflected(SAILS))) as agent:
        await happened(agent, *TRIPS, TRIPS[0])
        done = await agent.memory.work()
        assert (done.counts, "down" in done.error) == ({"merged": 1}, True)
        assert (await agent.memory.work()).counts == {"insights": 1}


async def test_a_death_in_the_middle_leaves_nothing_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = reflected(SAILS, rules=(RULE,))
    async with opened(tmp_path, model_of(both, both)) as agent:
        await happened(agent, *TRIPS)
        with monkeypatch.context() as patch:
            patch.setattr("pagekeeper.runtime.sleeptime.consolidating.reflecting.Rules.known", lambda *_: 1 / 0)
            assert "ZeroDivisionError" in (await agent.memory.work()).error
        assert await kept(agent) == {}
        assert (await agent.memory.work()).counts == {"insights": 1, "rules proposed": 1}
        assert await agent.memory.journal.read(differences) == {}


async def test_a_reflection_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    gate = Gate()
    model = model_of([gate, NOTHING])
    async with opened(tmp_path, model, settings={"sleeptime_time_limit": 0.05}) as agent:
        await happened(agent, *TRIPS)
        assert (await agent.memory.work()).error == "It took longer than 0.05 seconds."
        assert (await agent.memory.sleeptime._consolidation.since()).worth_reflecting()


async def test_what_another_process_has_reflected_on_is_dropped(tmp_path: Path) -> None:
    agents: list[Agent] = []

    async def overtake(request: ModelRequest) -> Any:
        scope = agents[0].scope
        payload = {"user": scope.user, "reflected": await agents[0].newest(), "counts": {}}
        await agents[0].memory.journal.write(
            lambda tx: tx.append("sleep.consolidated", payload, stream=scope.agent, writer="sleeptime")
        )
        return reflected(SAILS)(request)

    async with opened(tmp_path, model_of(overtake)) as agent:
        agents.append(agent)
        await happened(agent, *TRIPS)
        done = await agent.memory.work()
        assert (done.counts, done.error) == ({}, "")
        assert await kept(agent) == {}


async def test_a_model_that_does_not_reflect_is_not_asked(tmp_path: Path) -> None:
    model = ScriptedModel()
    model.enqueue_for("extract")
    async with opened(tmp_path, model) as agent:
        await happened(agent, *TRIPS)
        done = await agent.memory.work()
        assert (done.counts, done.error) == ({}, "")


async def test_the_cost_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(ModelReply(NOTHING, usage=Usage(100, 7)))) as agent:
        await happened(agent, *TRIPS)
        assert (await agent.memory.work()).cost == Cost(1, 100, 7)


async def test_one_users_episodes_are_not_shown_with_anothers(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(), user="eve") as agent:
        await happened(agent, "The user sailed to Rome.", "The user sailed to Nice.")
    model = model_of(NOTHING)
    async with opened(tmp_path, model, user="ada") as agent:
        await happened(agent, *TRIPS)
        await agent.memory.work()
    assert "Rome" not in str(asked(model))


# -- rules -----------------------------------------------------------------------------------------


async def proposed(agent: Agent) -> Any:
    await happened(agent, *TRIPS)
    await agent.memory.work()
    [rule] = await agent.memory.rules()
    return rule


async def test_a_rule_holds_once_the_user_accepts_it(tmp_path: Path) -> None:
    model = model_of(reflected(rules=(RULE,)))
    async with opened(tmp_path, model) as agent:
        rule = await proposed(agent)
        assert (rule.text, rule.accepted, sorted(rule.evidence)) == (RULE, False, sorted(TRIPS))
        assert [block.label for block in await agent.memory.blocks()] == ["human", "persona"]
        assert await agent.memory.search("weather at sea", kinds=("rule",)) == []
        assert (await agent.memory.accept_rule(rule.short)).accepted
        block = await agent.memory.block("rules")
        assert (block.value, block.pinned, block.scope, block.description) == (
            *(RULE, True, "user"),
            "Standing rules that the user has accepted: keep to them in every turn.",
        )
        model.enqueue("Yes.")
        await agent.send("Hello.")
        assert RULE in str([request for request in model.requests if request.purpose == "turn"][-1].messages)
        await agent.memory.accept_rule(rule.id)
        assert (await agent.memory.block("rules")).value == RULE
        assert await agent.memory.journal.read(differences) == {}


async def test_a_rule_that_was_rejected_is_not_proposed_again(tmp_path: Path) -> None:
    other = "Look at the weather at sea first, before proposing any trip."
    model = model_of(reflected(rules=(RULE,)), reflected(rules=(RULE, other, "Name the port.")))
    async with opened(tmp_path, model) as agent:
        rule = await proposed(agent)
        assert not (await agent.memory.reject_rule(rule.id)).accepted
        assert await agent.memory.rules() == []
        await happened(agent, *(f"The user sailed to Vigo, trip {n}." for n in range(3)))
        assert (await agent.memory.work()).counts == {"rules rejected before": 2, "rules proposed": 1}
        assert [one.text for one in await agent.memory.rules()] == ["Name the port."]
        with pytest.raises(NotFound, match="does not wait for a decision"):
            await agent.memory.reject_rule(rule.id)
        assert (await agent.memory.accept_rule(rule.id)).accepted


async def test_a_rule_is_taken_back(tmp_path: Path) -> None:
    model = model_of(reflected(rules=(RULE, "Name the port.")), reflected(rules=(RULE,)))
    async with opened(tmp_path, model) as agent:
        await happened(agent, *TRIPS)
        await agent.memory.work()
        first, second = sorted(await agent.memory.rules(), key=lambda rule: rule.text)
        for rule in (first, second):
            await agent.memory.accept_rule(rule.id)
        with pytest.raises(NotFound, match="does not wait"):
            await agent.memory.reject_rule(first.id)
        assert not (await agent.memory.drop_rule(first.id)).accepted
        assert (await agent.memory.block("rules")).value == "Name the port."
        assert [rule.text for rule in await agent.memory.rules()] == ["Name the port."]
        await agent.memory.drop_rule(second.id)
        assert (await agent.memory.block("rules")).value == ""
        with pytest.raises(NotFound, match="does not hold"):
            await agent.memory.drop_rule(second.id)
        await happened(agent, *(f"The user sailed to Vigo, trip {n}." for n in range(3)))
        assert (await agent.memory.work()).counts == {"rules rejected before": 1}


async def test_a_line_that_the_user_changed_stays_when_the_rule_is_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(reflected(rules=(RULE,)))) as agent:
        rule = await proposed(agent)
        await agent.memory.accept_rule(rule.id)
        await agent.memory.edit("rules", Rethink("Look at the weather."))
        await agent.memory.drop_rule(rule.id)
        assert (await agent.memory.block("rules")).value == "Look at the weather."


async def test_a_rule_for_which_there_is_no_room_keeps_waiting(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(reflected(rules=("Look out. " * 60,))), core_budget=200) as agent:
        rule = await proposed(agent)
        with pytest.raises(EditRefused, match="The pinned blocks would take"):
            await agent.memory.accept_rule(rule.id)
        assert [one.accepted for one in await agent.memory.rules()] == [False]


async def test_a_rule_is_its_users_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of(reflected(rules=(RULE,))), user="eve") as agent:
        rule = await proposed(agent)
    async with opened(tmp_path, model_of(), user="ada") as agent:
        assert await agent.memory.rules() == []
        for decide in (agent.memory.accept_rule, agent.memory.reject_rule, agent.memory.drop_rule):
            with pytest.raises(NotFound, match="no rule"):
                await decide(rule.id)


async def test_what_is_no_rule_cannot_be_accepted(tmp_path: Path) -> None:
    async with opened(tmp_path, model_of()) as agent:
        [other] = await agent.memory.insert("The user sails.")
        with pytest.raises(NotFound, match="is no rule"):
            await agent.memory.accept_rule(other)
