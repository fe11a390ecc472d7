"""Erasing takes every trace of something out of a home, and nothing else."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from filelock import FileLock
from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.archive.choices import TABLES as TABLES_OF_ARCHIVE
from pagekeeper.runtime.archive.terms import terms
from pagekeeper.runtime.context.parts import ERASED
from pagekeeper.runtime.core.edit import Append, Create, Rethink
from pagekeeper.runtime.erasing.records import TABLES
from pagekeeper.runtime.errors import ArchiveError, HomeError, NotFound, UsageError
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.host_tool import tool
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.transfer import export, restore
from pagekeeper.runtime.models.base import RequestedCall
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel, call
from pagekeeper.runtime.rewind import rewind
from pagekeeper.runtime.sleeptime.work import lock_of
from pagekeeper.runtime.timeline import changes
from pagekeeper.tests.support.checks import assert_settled, assert_whole
from pagekeeper.tests.support.erasing import WINDOW, holding, live, opened, words_of

passages = tables.passages

ENGLISH = f"zarquon{secrets.token_hex(4)}"
CHINESE = "蓝鲸" + "".join(secrets.choice("甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥") for _ in range(6))


async def indexed(agent: Agent, secret: str) -> list[str]:
    """The ids that LanceDB's full-text index has for the terms of the secret."""
    generation = await agent.memory.archive.tables()
    assert generation is not None
    wanted = [term for term in terms(secret) if len(term) > 1]
    out: list[str] = []
    for kind in TABLES_OF_ARCHIVE:
        assert await generation.count(kind) > 0
        out += [row.id for row in await generation.holding(kind, "id != ''", wanted, 50)]
    return out


@pytest.mark.parametrize(
    ("secret", "sentence"),
    [
        (ENGLISH, lambda secret: f"The code of the vault is {secret}."),
        (CHINESE, lambda secret: f"保险箱的密码是{secret}。"),
    ],
    ids=["English", "Chinese"],
)
async def test_no_byte_of_a_home_holds_what_was_erased(
    tmp_path: Path, secret: str, sentence: Callable[[str], str]
) -> None:
    home = tmp_path
    await live(home, sentence, secret)
    assert len(holding(home, secret)) >= 3, "the secret was not where it should be"
    model = ScriptedModel("Hello.", window=WINDOW)
    async with opened(home, model) as agent:
        assert len(await indexed(agent, secret)) >= 3
        found = await agent.memory.erasable(secret)
        assert found.partial
        done = await agent.memory.erase(found, "erase")
        assert (done.passages, done.messages, done.revisions, done.recordings) == (3, 3, 3, 1)
        assert holding(home, secret) == []
        assert not done.files
        # It goes on as if nothing had been.
        await agent.send("Good morning.")
        assert secret not in words_of(agent)
        await agent.memory.journal.read(assert_whole)
        await agent.memory.journal.read(assert_settled)
        hits = await agent.memory.search("Who plays the cello?")
        assert hits[0].text == "Ada plays the cello in an orchestra."
        assert not [hit for hit in await agent.memory.search(secret, limit=50) if secret in hit.text]
        assert await indexed(agent, secret) == []
        block = await agent.memory.block("human")
        assert block.value.split("\n")[-1] == "Likes tea."
        assert "erased" not in block.value
    assert holding(home, secret) == []


SAID = f"The code of the vault is {ENGLISH}."


async def still(agent: Agent) -> list[str]:
    """The passages that a search finds, and that hold it."""
    hits = await agent.memory.search(ENGLISH, limit=50, tables=("passage",))
    return [hit.text for hit in hits if ENGLISH in hit.text]


async def test_what_is_named_by_its_id_goes_whole(tmp_path: Path) -> None:
    model = ScriptedModel("Noted.")
    async with opened(tmp_path, model) as agent:
        memory = agent.memory
        [first] = await memory.insert(f"{SAID} Tea is at four.", tags=["vaults"], location="Lyon")
        await memory.insert("Ada plays the cello.")
        await memory.edit("human", Append(f"{SAID} Ask again."))
        await agent.send(SAID)
        found = await memory.erasable(ids=[first])
        assert found.chosen == [f"{SAID} Tea is at four."]
        done = await memory.erase(found, "erase")
        assert (done.passages, done.messages) == (1, 1)
        assert holding(tmp_path, ENGLISH, "Tea is at four", "vaults", "Lyon") == []
        assert (await memory.block("human")).value.endswith("\nAsk again.")
        query = select(passages).where(passages.c.id == first).order_by(passages.c.row.desc())
        [row, *_] = await memory.journal.read(lambda connection: connection.execute(query).all())
        assert (row.text, row.tags, row.location, row.status) == (ERASED, [], ERASED, "retired")
        with pytest.raises(NotFound):
            await memory.erasable(ids=["p-none"])
        assert not await memory.erasable(SAID)
        await memory.journal.read(assert_whole)


async def test_a_message_and_a_line_are_named_by_their_ids(tmp_path: Path) -> None:
    model = ScriptedModel("Yes.", "No.")
    async with opened(tmp_path, model) as agent:
        memory = agent.memory
        await agent.send("Yes. Well then.")
        await agent.send("Yes.")
        await memory.edit("human", Rethink(f"One\n{SAID}\nTwo"))
        await memory.edit("human", Append("Three"))
        [asked, *_, again, answered] = await agent.history()
        found = await memory.erasable(ids=[asked.id, "human:2@2"])
        await memory.erase(found, "keep")
        assert holding(tmp_path, ENGLISH, "Well then") == []
        texts = [message.text for message in await agent.history()]
        assert texts == [ERASED, "Yes.", "Yes.", "No."], (again, answered)
        assert (await memory.block("human")).value == "One\nTwo\nThree"
        await memory.journal.read(assert_whole)


async def test_whoever_erases_decides_on_what_is_partial(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        memory = agent.memory
        await memory.insert(SAID)
        both = f"Zoe keeps {ENGLISH}, walks to Porto, paints boats and grows dahlias"
        half = f"Ursula guards {ENGLISH} from squirrels, magpies, hedgehogs and neighbours"
        await memory.insert(both)
        await memory.insert(half)
        found = await memory.erasable(ENGLISH)
        assert {(find.text, find.partial) for find in found.finds} == {(SAID, False), (both, True), (half, True)}
        with pytest.raises(UsageError, match="2 texts hold a part"):
            await memory.erase(found)
        with pytest.raises(UsageError, match="not among"):
            await memory.erase(found, ["something else"])
        assert len(await still(agent)) == 3
        done = await memory.erase(found, [both])
        assert [find.text for find in done.kept] == [half]
        assert holding(tmp_path, "dahlias", SAID) == []
        assert await still(agent) == [half]
        await memory.erase(await memory.erasable(ENGLISH), "keep")
        assert await still(agent) == [half]


async def test_what_is_said_after_the_look_is_not_erased_unseen(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        memory = agent.memory
        await memory.insert(SAID)
        found = await memory.erasable(ENGLISH)
        await memory.insert(f"Zoe keeps {ENGLISH}, walks to Porto, paints boats and grows dahlias")
        with pytest.raises(UsageError, match="changed since"):
            await memory.erase(found, "erase")
        assert len(await still(agent)) == 2


async def test_another_user_and_another_agent_keep_theirs(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(opened(tmp_path, ScriptedModel("Noted."), user="one"))
        two = await stack.enter_async_context(opened(tmp_path, ScriptedModel("Noted."), user="two"))
        bob = await stack.enter_async_context(opened(tmp_path, ScriptedModel("Noted."), "bob", user="one"))
        for agent in (one, two, bob):
            await agent.memory.insert(SAID)
            await agent.send(SAID)
        found = await one.memory.erasable(ENGLISH)
        assert (found.forks, found.finds[0].places) == ([], {"message": 1, "passage": 1, "input": 1})
        await one.memory.erase(found, "erase")
        assert await still(one) == []
        for agent in (two, bob):
            assert await still(agent) == [SAID]
            assert next(message.text for message in await agent.history()) == SAID
        with pytest.raises(UsageError, match="another agent or user"):
            await two.memory.erase(found, "erase")
        await one.memory.journal.read(assert_whole)


@pytest.mark.parametrize("from_copy", [False, True])
async def test_forks_are_told_of_and_erased_from_when_asked(tmp_path: Path, from_copy: bool) -> None:
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(opened(tmp_path, ScriptedModel("Noted.", "Fine.")))
        await ada.memory.insert(f"{SAID} Tea is at four.")
        await ada.memory.edit("human", Append(SAID))
        await ada.send(SAID)
        journal = ada.memory.journal
        await journal.write(lambda transaction: fork(transaction, ada.scope.agent, "copy"))
        copy = await stack.enter_async_context(opened(tmp_path, ScriptedModel("Fine."), "copy"))
        agent, other = (copy, "ada") if from_copy else (ada, "copy")
        found = await agent.memory.erasable(ENGLISH)
        assert found.forks == [other]
        ids = [hit.id for hit in await agent.memory.search("tea at four") if hit.id.startswith("p-")]
        found = await agent.memory.erasable(ids=ids[:1], forks=True)
        assert found.forks == []
        done = await agent.memory.erase(found, "erase")
        assert len(done.events) == 2
        assert holding(tmp_path, ENGLISH, "Tea is at four") == []
        for one in (ada, copy):
            assert (await one.send("Hello.")).reason == "done"
            assert ENGLISH not in words_of(one)
        await journal.read(assert_whole)


async def test_nothing_brings_it_back(tmp_path: Path) -> None:
    model = ScriptedModel("Noted.", "Fine.", "Fine.")
    async with opened(tmp_path, model) as agent:
        memory, journal = agent.memory, agent.memory.journal
        await memory.edit("human", Append(SAID))
        [passage] = await memory.insert(SAID)
        await agent.send(f"Hello. {SAID}")
        before = await agent.newest()
        forgotten = await memory.forget([passage], "so that it can be restored")
        await memory.edit("human", Append("Likes tea."))
        await memory.erase(await memory.erasable(ENGLISH), "erase")
        await memory.restore(forgotten.event.id)
        retired = await journal.read(lambda connection: changes(connection, agent.scope.agent, agent.scope.user))
        [last] = [change.event for change in retired if change.event.type == "passage.retired"]
        with pytest.raises(NotFound):
            await memory.restore(last.id)
        await memory.undo("human")
        assert ENGLISH not in (await memory.block("human")).value
        await rewind(journal, memory.locks, agent.scope.agent, before)
        assert (await agent.send("What is the code?")).reason == "done"
        assert ENGLISH not in words_of(agent)
        history = await journal.read(lambda connection: changes(connection, agent.scope.agent, agent.scope.user))
        assert not [change for change in history if ENGLISH in change.text]
        assert [change.text for change in history if change.text.startswith("erased")]
        lines = await journal.read(lambda connection: list(export(connection, agent.scope.agent)))
        assert ENGLISH not in "\n".join(lines)
        await journal.read(assert_whole)
    async with opened(tmp_path / "other", ScriptedModel(), "bob") as bob:
        await bob.memory.journal.write(lambda transaction: restore(transaction, lines))
        await bob.memory.journal.read(assert_whole)
    assert holding(tmp_path, ENGLISH) == []


async def test_names_and_other_files_are_told_of(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel(), conversation=f"about {ENGLISH}") as agent:
        memory = agent.memory
        await memory.insert(SAID)
        await memory.edit(ENGLISH, Create("", "empty"))
        (tmp_path / "logs").mkdir()
        (tmp_path / "logs" / "old.log").write_bytes(f"...{SAID}\n".encode("utf-16"))
        (tmp_path / "export.jsonl").write_text(json.dumps({"text": f"{SAID}"}), encoding="utf-8")
        found = await memory.erasable(ENGLISH)
        assert found.names == [f"block {ENGLISH}", f"conversation about {ENGLISH}"]
        assert found.files == ["export.jsonl", "logs/old.log"]
        done = await memory.erase(found, "erase")
        assert done.files == ["export.jsonl", "logs/old.log"]
        (tmp_path / "export.jsonl").unlink()
        assert (await memory.erasable("the vault's code")).files == []


async def test_a_turn_that_is_under_way_is_not_erased_from(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModel([gate, "Noted."])
    async with opened(tmp_path, model) as agent, opened(tmp_path, ScriptedModel(), conversation="side") as side:
        await side.memory.insert(SAID)
        found = await side.memory.erasable(ENGLISH)
        turn = asyncio.create_task(agent.send("Wait."))
        await gate.reached()
        with pytest.raises(HomeError, match="under way"):
            await side.memory.erase(found, "erase")
        gate.open()
        await turn
        assert await still(side) == [SAID]
        await side.memory.erase(found, "erase")
        assert holding(tmp_path, ENGLISH) == []


async def test_memory_work_that_is_under_way_stops_it(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        await agent.memory.insert(SAID)
        found = await agent.memory.erasable(ENGLISH)
        with agent.memory.locks.tried(lock_of(agent.scope.agent)) as held:
            assert held
            with pytest.raises(HomeError, match="memory work is under way"):
                await agent.memory.erase(found, "erase")
        assert await still(agent) == [SAID]


async def test_another_process_that_writes_to_the_archive_stops_it(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        await agent.memory.insert(SAID)
        found = await agent.memory.erasable(ENGLISH)
        with FileLock(tmp_path / "archive.lock"):
            with pytest.raises(ArchiveError, match="Another process is writing"):
                await agent.memory.erase(found, "erase")
            assert await still(agent) == [SAID]


async def test_a_conversation_that_is_open_elsewhere_no_longer_tells_it(tmp_path: Path) -> None:
    model = ScriptedModel(f"Noted: {SAID}", "Fine.")
    async with opened(tmp_path, model) as agent, opened(tmp_path, ScriptedModel(), conversation="side") as side:
        await side.memory.edit("human", Append(SAID))
        await agent.send(f"Remember. {SAID}")
        assert ENGLISH in words_of(agent)
        await side.memory.erase(await side.memory.erasable(ENGLISH), "erase")
        await agent.send("What did I say?")
        assert ENGLISH not in words_of(agent)
        assert ENGLISH not in json.dumps(list(model.requests[-1].messages))


async def test_arguments_and_results_of_calls_are_erased_from_as_they_are_escaped(tmp_path: Path) -> None:
    escaped = json.dumps({"note": f"{CHINESE}是密码。", "list": [{CHINESE: 1}]})
    broken = f'{{"content": "{CHINESE.encode("unicode_escape").decode()}'
    model = ScriptedModel([RequestedCall("archival_insert", broken), call("look", raw=escaped)], "Done.")

    @tool(effects="none")
    def look(raw: str) -> str:
        """Look at something."""
        return raw

    async with opened(tmp_path, model, tools=[look]) as agent:
        await agent.send("Look.")
        assert len(holding(tmp_path, CHINESE)) == 1
        await agent.memory.erase(await agent.memory.erasable(CHINESE), "erase")
        assert holding(tmp_path, CHINESE) == []
        await agent.memory.journal.read(assert_whole)


@pytest.mark.parametrize("query", ["text", "user", "main", "active", "fact", "note message", "2026-01-01"])
async def test_words_that_hold_the_journal_together_stay(tmp_path: Path, query: str) -> None:
    async with opened(tmp_path, ScriptedModel("Noted.", "Fine.")) as agent:
        await agent.send(f"I wrote {query} on the wall.")
        await agent.memory.insert(f"They wrote {query} on the wall.", tags=[query])
        await agent.memory.erase(await agent.memory.erasable(query), "erase")
        await agent.memory.journal.read(assert_whole)
        assert (await agent.send("Hello.")).reason == "done"
        await agent.memory.journal.read(assert_settled)


async def test_what_is_inside_of_a_longer_word_is_shown(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        await agent.memory.insert(f"See http://example.org/x{ENGLISH}y and be quiet.")
        found = await agent.memory.erasable(ENGLISH)
        assert [find.partial for find in found.finds] == [True]
        await agent.memory.erase(found, "erase")
        assert holding(tmp_path, ENGLISH) == []


async def test_nothing_and_everything_are_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        for query in ("everything", " ", "…"):
            with pytest.raises(UsageError):
                await agent.memory.erasable(query)
        with pytest.raises(UsageError):
            await agent.memory.erasable()
        with pytest.raises(UsageError):
            await agent.memory.erasable("x", ids=["p-1"])
        assert not await agent.memory.erasable(ENGLISH)


def test_tables_that_are_not_read_hold_no_texts() -> None:
    """A new table that belongs to no agent must be thought about: erasing reads those that have a stream."""
    rest = {table.name for table in tables.metadata.sorted_tables} - {table.name for table in TABLES}
    assert rest == {"agents", "meta", "vectors", "outbox"}
