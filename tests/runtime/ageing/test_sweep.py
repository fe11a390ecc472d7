"""The sweep on a real home: what it retires, whose, and how that is undone."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from pagekeeper.runtime.ageing.policy import Policy
from pagekeeper.runtime.ageing.sweep import look, sweep
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import add, change, get, supersede
from pagekeeper.runtime.clock import stamp
from pagekeeper.runtime.core.edit import Author
from pagekeeper.runtime.errors import NotFound
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.scope import Scope
from pagekeeper.runtime.timeline import changes
from pagekeeper.runtime.undoing import event_named, take_back
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.archives import Home, put, scope, texts
from pagekeeper.tests.support.embedding import HashEmbedder

STRICT = Policy(unused_days=30, most=3)


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


def swept(home: Home, policy: Policy, where: Scope | None = None) -> dict[str, list[str]]:
    """What a sweep retires now: the texts by reason."""
    done = home.journal.write_now(lambda tx: sweep(tx, where or scope(), policy))
    return {one.reason: list(one.texts.values()) for one in done}


def undo(home: Home, what: str, where: Scope | None = None) -> int:
    """What `memory undo` does."""
    whose = where or scope()
    event = home.journal.read_now(lambda connection: event_named(connection, whose, what))
    assert event is not None
    return home.journal.write_now(lambda tx: take_back(tx, whose, event, Author("user")))


async def live(archive: Archive, home: Home) -> dict[str, str]:
    """Passages of every sort, some of them old. Returns their ids by their texts."""
    tomorrow = home.clock.now() + timedelta(days=1)
    by_machine = [
        Draft("sails: old"),
        Draft("sails: permanent", permanent=True),
        Draft("sails: guide", kind="document"),
        Draft("sails: rule", kind="rule"),
        Draft("sails: until tomorrow", expires_at=tomorrow, permanent=True),
    ]
    ids = await put(archive, scope(), by_machine)
    prepared = await archive.prepare(["sails: by hand"])
    ids += await home.journal.write(
        lambda tx: archive.add(tx, scope(), [Draft("sails: by hand")], prepared, writer="user")
    )
    home.clock.advance(timedelta(days=40))
    ids += await put(archive, scope(), ["sails: new 1", "sails: new 2"])
    named = [draft.text for draft in by_machine] + ["sails: by hand", "sails: new 1", "sails: new 2"]
    return dict(zip(named, ids, strict=True))


async def test_only_what_has_expired_goes_by_default(home: Home) -> None:
    async with home.archive() as archive:
        await live(archive, home)
        assert swept(home, Policy()) == {"expired": ["sails: until tomorrow"]}
        assert swept(home, Policy()) == {}


async def test_what_goes_is_found_no_more_and_the_history_says_why(home: Home) -> None:
    async with home.archive() as archive:
        ids = await live(archive, home)
        found = swept(home, STRICT)
        assert found == {
            "expired": ["sails: until tomorrow"],
            "unused": ["sails: old"],
            "over the cap": ["sails: new 1", "sails: new 2"],
        }
        kept = {"sails: permanent", "sails: guide", "sails: rule", "sails: by hand"}
        assert set(await texts(archive, scope(), "sails")) == kept
        told = home.journal.read_now(lambda connection: changes(connection, "ag-1", "me", limit=3))
        assert [change.event.writer for change in told] == ["sleeptime"] * 3
        assert f"retired {ids['sails: old'][:8]} (unused): sails: old" in [change.text for change in told]
        assert home.journal.read_now(differences) == {}


async def test_a_look_changes_nothing(home: Home) -> None:
    async with home.archive() as archive:
        await live(archive, home)
        now = home.clock.now()
        before = home.journal.read_now(lambda connection: look(connection, scope(), STRICT, now))
        assert [one.event for one in before] == [None] * 3
        assert {one.reason: list(one.texts.values()) for one in before} == swept(home, STRICT)


@pytest.mark.parametrize("reason", ["expired", "unused", "over the cap"])
async def test_it_can_be_brought_back_and_then_stays(home: Home, reason: str) -> None:
    async with home.archive() as archive:
        await live(archive, home)
        done = home.journal.write_now(lambda tx: sweep(tx, scope(), STRICT))
        (one,) = [one for one in done if one.reason == reason]
        assert one.event is not None
        assert undo(home, one.event.id) == len(one.texts)
        assert set(one.texts.values()) <= set(await texts(archive, scope(), "sails"))
        assert swept(home, Policy(unused_days=30)) == {}
        for passage in one.texts:
            row = home.journal.read_now(partial(get, scope=scope(), passage_id=passage))
            assert (row.status, row.retired_at) == ("active", None)
        with pytest.raises(NotFound, match="is to be brought back"):
            undo(home, one.event.id)
        told = home.journal.read_now(lambda connection: changes(connection, "ag-1", "me", limit=1))
        assert told[0].text.startswith("restored p-")
        assert home.journal.read_now(differences) == {}


async def test_a_sweep_is_undone_by_its_number_and_only_by_whom_it_is_of(home: Home) -> None:
    async with home.archive() as archive:
        await live(archive, home)
        (one,) = home.journal.write_now(lambda tx: sweep(tx, scope(), Policy()))
        assert one.event is not None
        for what in (one.event.id, str(one.event.seq)):
            with pytest.raises(NotFound) as caught:
                undo(home, what, scope(user="you"))
            assert "tomorrow" not in str(caught.value)
        assert undo(home, str(one.event.seq)) == 1


async def test_what_waits_for_a_decision_waits_again_when_it_is_brought_back(home: Home) -> None:
    draft = Draft("sails: a rule?", kind="rule", status="proposed", expires_at=home.clock.now())
    [passage] = home.journal.write_now(lambda tx: add(tx, scope(), [draft]))
    [one] = home.journal.write_now(lambda tx: sweep(tx, scope(), Policy()))
    assert one.event is not None
    assert undo(home, one.event.id) == 1
    assert home.journal.read_now(lambda connection: get(connection, scope(), passage)).status == "proposed"


async def test_a_use_keeps_it_and_an_older_version_is_not_counted(home: Home) -> None:
    async with home.archive() as archive:
        first, _second, third = await put(archive, scope(), ["sails: a", "sails: b", "sails: c"])
        await home.journal.write(lambda tx: supersede(tx, scope(), third, Draft("sails: c, better")))
        home.clock.advance(timedelta(days=5))
        told = {"id": first, "uses": 1, "used_at": stamp(home.clock.now())}
        await home.journal.write(lambda tx: change(tx, scope(), [told], "used", writer="system"))
        assert swept(home, Policy(most=3)) == {}
        assert swept(home, Policy(most=2)) == {"over the cap": ["sails: b"]}
        home.clock.advance(timedelta(days=60))
        assert swept(home, Policy(unused_days=30)) == {"unused": ["sails: c, better"]}
        assert await texts(archive, scope(), "sails") == ["sails: a"]


async def test_importance_does_not_compound_over_sweeps_and_restarts(home: Home) -> None:
    async with home.archive() as archive:
        (kept,) = await put(archive, scope(), [Draft("sails", importance=0.8)])
    for _restart in range(5):
        home.clock.advance(timedelta(days=7))
        async with home.archive(resident=0) as archive:
            await archive.flush()
            for _sweep in range(3):
                swept(home, Policy(unused_days=9999, most=1000))
            assert await texts(archive, scope(), "sails") == ["sails"]
        assert home.journal.read_now(lambda connection: get(connection, scope(), kept)).importance == 0.8


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), days=st.integers(1, 40), most=st.none() | st.integers(1, 4))
def test_a_sweep_touches_no_other_scope(
    tmp_path_factory: pytest.TempPathFactory, seed: int, days: int, most: int | None
) -> None:
    randomly = random.Random(seed)
    home = Home(tmp_path_factory.mktemp("home"))
    scopes = [scope(agent, user) for agent in ("ag-1", "ag-2") for user in ("me", "you")]
    for number in range(24):
        expires = home.clock.now() + timedelta(days=randomly.randint(1, 30)) if randomly.random() < 0.3 else None
        draft = Draft(f"number {number}", expires_at=expires, permanent=randomly.random() < 0.2)
        where = randomly.choice(scopes)
        home.journal.write_now(partial(add, scope=where, drafts=[draft]))
        home.clock.advance(timedelta(days=randomly.randint(0, 3)))
    mine, *others = randomly.sample(scopes, len(scopes))
    before = [rows(home, one) for one in others]
    home.journal.write_now(lambda tx: sweep(tx, mine, Policy(days, most=most)))
    assert [rows(home, one) for one in others] == before
    home.journal.close()


def rows(home: Home, where: Scope) -> list[Any]:
    """All versions of the passages of a scope."""
    table = tables.passages
    query = select(table).where(table.c.stream == where.agent, table.c.user == where.user).order_by(table.c.row)
    return home.journal.read_now(lambda connection: list(connection.execute(query).all()))


async def test_an_agent_sweeps_by_its_settings(tmp_path: Path) -> None:
    given = {"memory_unused_days": 7, "memory_fewest_uses": 2}
    async with open_agent(tmp_path, ScriptedModel(), embedder=HashEmbedder(), settings=given) as agent:
        await agent.memory.insert("sails: by hand")
        made = [Draft("sails: by machine")]
        await agent.memory.journal.write(lambda tx: agent.memory.archive.add(tx, agent.scope, made))
        clock: Any = agent.memory.archive.clock
        clock.advance(timedelta(days=8))
        looked = await agent.memory.sweep(dry_run=True)
        assert len(await agent.memory.search("sails")) == 2
        done = await agent.memory.sweep()
        assert [(one.reason, *one.texts.values()) for one in (*looked, *done)] == [("unused", "sails: by machine")] * 2
        assert [hit.text for hit in await agent.memory.search("sails")] == ["sails: by hand"]
        assert done[0].event is not None
        assert await agent.memory.take_back(done[0].event.id) == 1
        assert len(await agent.memory.search("sails")) == 2
