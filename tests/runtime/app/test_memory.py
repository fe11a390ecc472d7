"""Memory without an agent: each thing that a program can do with it, on a real home."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagekeeper import Home, Memory
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import add, change
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.directory import find_agent, list_agents
from pagekeeper.runtime.errors import AlreadyExists, InvalidName, InvalidText, NotFound, UsageError
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.journal.transfer import export, restore
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.rewind import rewind
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home.open(tmp_path / "home", embedder=HashEmbedder(), clock=ManualClock(), background=False)
    yield made
    assert made.journal.read_now(differences) == {}
    await made.close()


def opened(home: Home, app: str = "shop", user: str = "ada", **options: Any) -> AbstractAsyncContextManager[Memory]:
    return Memory.open(home=home, app=app, user=user, timezone="UTC", **options)


def advance(home: Home, **step: float) -> None:
    assert isinstance(home.clock, ManualClock)
    home.clock.advance(timedelta(**step))


async def texts(memory: Memory, **conditions: Any) -> list[str]:
    return [one.text for one in await memory.list(**conditions)]


async def test_what_is_added_is_found_and_read(home: Home) -> None:
    async with opened(home) as memory:
        details: dict[str, Any] = {"tags": ["taste"], "importance": 0.8, "event_time": "2025-12-31", "permanent": True}
        (tea,) = await memory.add("Ada likes green tea.", **details)
        one = await memory.get(tea)
        assert (one.id, one.text, one.kind, one.tags, one.status) == (
            tea,
            "Ada likes green tea.",
            "fact",
            ("taste",),
            "active",
        )
        assert (one.importance, one.permanent, one.trust) == (0.8, True, 0.5)
        assert one.event_time == datetime(2025, 12, 31, tzinfo=UTC)
        assert [hit.id for hit in await memory.search("tea")] == [tea]
        assert await memory.get(tea[:8]) == one
        assert [step.id for step in await memory.history(tea[:8])] == [tea]
        assert await memory.search("tea", tags=("none",)) == []


async def test_messages_are_episodes_that_stand_beside_each_other(home: Home) -> None:
    async with opened(home) as memory:
        said = [
            {"role": "user", "content": "Where is the harbour?", "name": "Ada", "at": "2025-06-01T10:00"},
            {"role": "assistant", "content": "Behind the hill."},
        ]
        first = await memory.add(said, tags=("walk",))
        await memory.add([{"role": "user", "content": "Thanks!"}])
        one, two = [await memory.get(it) for it in first]
        assert (one.kind, one.speaker, one.event_time) == ("episode", "Ada", datetime(2025, 6, 1, 10, tzinfo=UTC))
        assert (two.kind, two.speaker, two.event_time, two.tags) == ("episode", "assistant", None, ("walk",))
        # No word of the answer is asked for: it is found because it follows what is.
        hits = await memory.search("harbour", explain=True)
        lent = {hit.text: hit.explain["neighbours"] for hit in hits}
        assert lent["Behind the hill."] > 0
        assert lent.get("Thanks!", 0) == 0


async def test_the_list_is_newest_first_and_narrowed(home: Home) -> None:
    async with opened(home) as memory:
        await memory.add("one", tags=["a"])
        advance(home, hours=1)
        await memory.add("two", kind="skill", tags=["b"])
        await memory.add("three", kind="episode", tags=["a", "b"], expires_at=home.clock.now() + timedelta(days=1))
        assert await texts(memory) == ["three", "two", "one"]
        assert await texts(memory, limit=1) == ["three"]
        assert await texts(memory, tags=["a"]) == ["three", "one"]
        assert await texts(memory, tags=["a", "b"], kinds=["skill", "fact"]) == ["two", "one"]
        advance(home, days=2)
        assert await texts(memory) == ["two", "one"]


async def test_what_is_hardly_trusted_is_listed_for_who_asks(home: Home) -> None:
    async with opened(home) as memory:
        (wrong,) = await memory.add("wrong")
        told = {"id": wrong, "trust": 0.2}
        await home.journal.write(lambda tx: change(tx, memory.scope, [told], "corrected", writer="system"))
        assert await texts(memory) == []
        assert await texts(memory, least_trust=0) == ["wrong"]
        assert (await memory.get(wrong)).trust == 0.2


async def test_an_update_takes_the_place_of_what_was(home: Home) -> None:
    async with opened(home) as memory:
        (old,) = await memory.add("Ada works at Kiln.", tags=["work"], event_time=date(2025, 1, 1))
        (new,) = await memory.update(old, "Ada works at Forge.", importance=0.9)
        before, after = await memory.get(old), await memory.get(new)
        assert (before.status, before.superseded_by) == ("superseded", new)
        assert (after.text, after.tags, after.importance) == ("Ada works at Forge.", ("work",), 0.9)
        assert after.event_time == before.event_time
        assert await texts(memory) == ["Ada works at Forge."]
        assert await texts(memory, statuses=["superseded"]) == ["Ada works at Kiln."]
        assert [hit.id for hit in await memory.search("works")] == [new]
        (newer,) = await memory.update(new, tags=[])
        assert replace(await memory.get(newer), id=new, tags=("work",)) == replace(after, status="active")
        with pytest.raises(NotFound, match=f"superseded by {new[:8]}"):
            await memory.update(old, "again")


async def test_a_long_text_becomes_several_memories(home: Home) -> None:
    async with opened(home) as memory:
        ids = await memory.add("A sentence about sails. " * 400)
        assert len(ids) > 1
        assert {one.id for one in await memory.list()} == set(ids)
        (short,) = await memory.add("short")
        assert len(await memory.update(short, "A sentence about tea. " * 400)) > 1


async def test_what_is_deleted_is_gone_with_its_older_versions_until_it_is_restored(home: Home) -> None:
    async with opened(home) as memory:
        (old,) = await memory.add("Ada lives in Porto.")
        (new,) = await memory.update(old, "Ada lives in Faro.")
        (same,) = await memory.add("Ada lives in Faro.")
        event = await memory.delete(new)
        everything = ("active", "superseded", "retired")
        assert [one.id for one in await memory.list(statuses=everything)] == [same]
        assert [hit.id for hit in await memory.search("Ada lives", statuses=everything)] == [same]
        for gone in (old, new):
            with pytest.raises(NotFound):
                await memory.get(gone)
            with pytest.raises(NotFound):
                await memory.delete(gone)
            with pytest.raises(NotFound):
                await memory.update(gone, "x")
        assert await memory.restore(event) == 2
        assert {one.id for one in await memory.list()} == {new, same}
        with pytest.raises(NotFound, match="was superseded by"):
            await memory.delete(old)


async def test_the_history_tells_all_that_happened(home: Home) -> None:
    async with opened(home) as memory:
        (old,) = await memory.add("first")
        (new,) = await memory.update(old, "second")
        event = await memory.delete(new)
        await memory.restore(event)
        told = {"id": new, "uses": 1}
        await home.journal.write(lambda tx: change(tx, memory.scope, [told], "used", writer="system"))
        steps = await memory.history(new)
        by_id = [text for _, text in sorted([(old, "first"), (new, "second")])]
        assert [(step.what, step.text) for step in steps] == [
            ("added", "first"),
            ("added", "second"),
            ("superseded", "first"),
            *[("forgotten", text) for text in by_id],
            *[("restored", text) for text in by_id],
            ("used", "second"),
        ]
        assert {step.event.id for step in steps if step.what == "forgotten"} == {event}
        assert [step.what for step in await memory.history(old)][:2] == ["added", "superseded"]


async def test_deleting_a_scope_deletes_all_of_it_and_nothing_else(home: Home) -> None:
    scopes = [("shop", "ada"), ("shop", "bob"), ("till", "ada")]
    for app, user in scopes:
        async with opened(home, app, user) as memory:
            (old,) = await memory.add(f"{app} {user} one")
            await memory.update(old, f"{app} {user} one, better")
            await memory.add([{"role": "user", "content": f"{app} {user} two"}])
            await memory.add(f"{app} {user} three", expires_at=home.clock.now())
            await memory.sweep()
    async with opened(home, "shop", "ada") as memory:
        assert await memory.delete_all() == 3
        assert await memory.list(statuses=("active", "superseded", "retired"), least_trust=0) == []
        assert await memory.search("shop ada one", statuses=("active", "superseded", "retired")) == []
        assert await memory.delete_all() == 0
        assert await memory.add("anew")
    for app, user in scopes[1:]:
        async with opened(home, app, user) as memory:
            assert await texts(memory) == [f"{app} {user} two", f"{app} {user} one, better"]
            assert len(await memory.list(statuses=("superseded",))) == 1


async def test_another_scopes_memory_is_as_if_it_were_not_there(home: Home) -> None:
    async with opened(home) as mine:
        (secret,) = await mine.add("the secret is xyzzy")
        event = await mine.delete((await mine.add("gone: xyzzy"))[0])
    for app, user in (("shop", "bob"), ("till", "ada")):
        async with opened(home, app, user) as other:
            for trying in (
                other.get(secret),
                other.update(secret, "x"),
                other.update(secret, tags=[]),
                other.delete(secret),
                other.history(secret),
                other.restore(event),
            ):
                with pytest.raises(NotFound) as caught:
                    await trying
                assert "xyzzy" not in str(caught.value)
            assert (await other.search("xyzzy"), await other.list(), await other.delete_all()) == ([], [], 0)


async def test_neither_agents_nor_apps_see_what_the_other_remembers(tmp_path: Path) -> None:
    async with open_agent(tmp_path, ScriptedModel(), embedder=HashEmbedder(), user="ada") as agent:
        await agent.memory.insert("sails of an agent")
    async with Memory.open(home=tmp_path, app="shop", user="ada", embedder=HashEmbedder()) as memory:
        await memory.add("sails of an app")
        assert [hit.text for hit in await memory.search("sails")] == ["sails of an app"]
    async with open_agent(tmp_path, ScriptedModel(), embedder=HashEmbedder(), user="ada") as agent:
        assert [hit.text for hit in await agent.memory.search("sails")] == ["sails of an agent"]


async def test_an_app_and_an_agent_have_names_of_their_own(tmp_path: Path) -> None:
    async with Memory.open(home=tmp_path, app="shop", embedder=HashEmbedder()):
        pass
    with pytest.raises(AlreadyExists, match="'shop' is an app of this home, and no agent"):
        async with open_agent(tmp_path, ScriptedModel(), "shop", embedder=HashEmbedder()):
            pass
    async with open_agent(tmp_path, ScriptedModel(), "ada", embedder=HashEmbedder()) as agent:
        kinds = {one.name: one.kind for one in agent.memory.journal.read_now(list_agents)}
        assert kinds == {"ada": "agent", "shop": "app"}
    with pytest.raises(AlreadyExists, match="'ada' is an agent of this home, and no app"):
        async with Memory.open(home=tmp_path, app="ada", embedder=HashEmbedder()):
            pass


async def test_it_outlives_the_process_and_the_archive(tmp_path: Path) -> None:
    for _again in range(2):
        async with Memory.open(home=tmp_path, app="shop", user="ada", embedder=HashEmbedder()) as memory:
            if not await memory.list():
                await memory.add("sails")
            assert [hit.text for hit in await memory.search("sails")] == ["sails"]


async def test_rewind_fork_and_export_hold_for_it(home: Home) -> None:
    async with opened(home) as memory:
        (one,) = await memory.add("one")
        app = home.journal.read_now(lambda connection: find_agent(connection, "shop"))
        await memory.update(one, "two")
        await memory.delete((await memory.add("secret"))[0])
        home.journal.write_now(lambda tx: fork(tx, app.id, "copy"))
        async with opened(home, "copy") as copy:
            assert await texts(copy) == ["two"]
        await rewind(home.journal, home.locks, app.id, app.seq)
        assert await texts(memory) == ["one"]
        lines = home.journal.read_now(lambda connection: list(export(connection, app.id)))
    other = Home.open(home.path.parent / "other", embedder=HashEmbedder(), clock=home.clock, background=False)
    other.journal.write_now(partial(restore, lines=lines))
    async with opened(other) as memory:
        assert await texts(memory) == ["one"]
    await other.close()


async def test_a_rewound_update_does_not_take_the_older_one_along_when_it_is_deleted(home: Home) -> None:
    async with opened(home) as memory:
        (one,) = await memory.add("one")
        before = home.journal.read_now(lambda connection: find_agent(connection, "shop"))
        (two,) = await memory.update(one, "two")
        await rewind(home.journal, home.locks, before.id, before.seq)
        with pytest.raises(NotFound):
            await memory.delete(two)
        assert [step.what for step in await memory.history(two)] == ["added", "rewound"]
        assert await texts(memory) == ["one"]


async def test_a_sweep_takes_what_an_app_wrote(home: Home) -> None:
    async with opened(home, settings={"memory_unused_days": 7}) as memory:
        await memory.add("old")
        await memory.add("permanent", permanent=True)
        advance(home, days=8)
        (looked,) = await memory.sweep(dry_run=True)
        assert await texts(memory) == ["permanent", "old"]
        (done,) = await memory.sweep()
        assert list(done.texts.values()) == list(looked.texts.values()) == ["old"]
        assert await texts(memory) == ["permanent"]
        assert done.event is not None
        assert await memory.restore(done.event.id) == 1
        assert sorted(await texts(memory)) == ["old", "permanent"]


@pytest.mark.parametrize(
    ("what", "details", "words"),
    [
        ("", {}, "is empty"),
        (5, {}, "a text or a list of messages"),
        (b"x", {}, "a text or a list of messages"),
        ([{"role": "user"}], {}, r"messages\[0\] must have `role` and `content`"),
        ([{"role": "user", "content": "a"}, "b"], {}, r"messages\[1\] must have"),
        ([{"role": "system", "content": "a"}], {}, r"The role of messages\[0\] must be user or assistant"),
        ([{"role": "user", "content": None}], {}, r"The content of messages\[0\] must be text"),
        ([{"role": "user", "content": "a", "at": "soon"}], {}, r"`at of messages\[0\]` must be a time or a day"),
        ("a", {"text": "b"}, "A memory has no detail 'text'"),
        ("a", {"trust": 1.0}, "A memory has no detail 'trust'"),
        ("a", {"tags": "work"}, "`tags` of a memory must be a list of texts"),
        ("a", {"event_time": "soon"}, "`event_time` must be a time or a day"),
        ("a", {"importance": "high"}, "`importance` of a memory must be a number"),
        ("a", {"importance": 2}, "must be from 0 to 1"),
        ("a", {"permanent": 1}, "`permanent` of a memory must be true or false"),
        ("a", {"kind": "note"}, "cannot be of the kind 'note'"),
        ("a", {"kind": None}, "`kind` of a memory must be text"),
        ("a", {"speaker": 5}, "`speaker` of a memory must be text"),
    ],
)
async def test_what_cannot_be_remembered_is_refused_and_nothing_is_kept(
    home: Home, what: Any, details: dict[str, Any], words: str
) -> None:
    async with opened(home) as memory:
        with pytest.raises(UsageError, match=words):
            await memory.add(what, **details)
        (known,) = await memory.add("known")
        if isinstance(what, str) and details and "text" not in details:
            with pytest.raises(UsageError, match=words):
                await memory.update(known, **details)
        assert await texts(memory) == ["known"]


async def test_nothing_to_add_and_nothing_to_update(home: Home) -> None:
    async with opened(home) as memory:
        assert await memory.add([]) == []
        (one,) = await memory.add("one")
        with pytest.raises(UsageError, match="nothing to update"):
            await memory.update(one)
        for wrong in ("", None, 5):
            with pytest.raises(UsageError, match="An id must be text"):
                await memory.get(wrong)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="no condition 'kind'"):
            await memory.search("one", kind="fact")
        with pytest.raises(UsageError, match="`limit` of a search must be"):
            await memory.list(limit=0)
        for nothing in ("", " \n"):
            with pytest.raises(UsageError, match="The query is empty"):
                await memory.search(nothing)


async def test_names_are_checked_before_anything_is_made(tmp_path: Path) -> None:
    for wrong in ("", "../x", "a\0", "a/b"):
        for app, user in ((wrong, "ada"), ("shop", wrong)):
            with pytest.raises((InvalidName, InvalidText)):
                async with Memory.open(home=tmp_path / "home", app=app, user=user, embedder=HashEmbedder()):
                    pass
    assert not (tmp_path / "home").exists()


async def test_what_a_person_wrote_into_it_by_hand_is_theirs(home: Home) -> None:
    """An app's own words may grow old; those that a person added by the command line, as by an import, do not."""
    async with opened(home, settings={"memory_most": 1}) as memory:
        await home.journal.write(lambda tx: add(tx, memory.scope, [Draft("by hand")], writer="user"))
        advance(home, days=1)
        await memory.add("by the app")
        await memory.sweep()
        assert await texts(memory) == ["by hand"]


async def test_what_ends_before_it_begins_is_refused(home: Home) -> None:
    async with opened(home) as memory:
        with pytest.raises(InvalidText, match="holds until 2026-01-01 and only from 2026-02-01 on"):
            await memory.add("Ada rents a boat.", valid_from="2026-02-01", valid_to="2026-01-01")
        assert await texts(memory) == []
        (boat,) = await memory.add("Ada rents a boat.", valid_from="2026-02-01")
        with pytest.raises(InvalidText, match="holds until 2026-01-31"):
            await memory.update(boat, valid_to="2026-01-31")
        with pytest.raises(InvalidText):
            # 08:00 there is before midnight here.
            await memory.update(boat, valid_to="2026-02-01T00:00:00+08:00")
        assert (await memory.get(boat)).valid_to is None
        (day,) = await memory.update(boat, valid_to="2026-02-01")
        assert (await memory.get(day)).valid_to == datetime(2026, 2, 2, tzinfo=UTC), "one day is that day"
