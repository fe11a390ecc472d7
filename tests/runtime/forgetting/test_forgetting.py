"""Forgetting: what leaves every later request, search and recall; what stays; and how it comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import func, select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.context.parts import FORGOTTEN
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.core.edit import Append, Create, Rethink
from pagekeeper.runtime.errors import NotFound, UsageError
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel, call
from pagekeeper.runtime.timeline import changes
from pagekeeper.tests.support.agents import assert_paired
from pagekeeper.tests.support.forgetting import all_of, conversation_of, forgets, found, listed, opened, request_of

SECRET = "peanut"
ASKED = ("peanuts", "What am I allergic to?", "food that is dangerous for me")
TOLD = "I'm allergic to peanuts."


@dataclass
class Life:
    """An agent whose user has told a secret in many places."""

    home: Path
    main: Agent
    model: ScriptedModel
    side: Agent
    """The same user in another conversation, as another process has it open."""
    side_model: ScriptedModel

    async def forget(self, *words: str) -> None:
        """Have the model forget it, by the user's wish."""
        self.model.enqueue(*forgets("allergic to peanuts", *words))
        ended = await self.main.send(f"Forget that {TOLD}")
        assert ended.reason == "done", ended


@pytest_asyncio.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        model, side_model = ScriptedModel(), ScriptedModel()
        main = await enter(opened(tmp_path, model))
        side = await enter(opened(tmp_path, side_model, conversation="side"))
        model.enqueue(
            [call("core_memory_append", label="human", content="Ada is allergic to peanuts.")],
            [call("archival_insert", content="Ada is allergic to peanuts.")],
            [call("archival_insert", content="Ada plays the cello.")],
            "I'll remember that you can't have peanuts.",
        )
        await main.send(f"Hi, I'm Ada. {TOLD}")
        model.enqueue("It is raining in Lyon.")
        await main.send("How is the weather in Lyon?")
        model.enqueue([call("core_memory_append", label="human", content="Has a sister, Mia.")], "Noted.")
        await main.send("My sister is called Mia.")
        # The other conversation is told of it by recall, by its head, and by what it searches.
        side_model.enqueue(
            [call("archival_search", query="peanuts"), call("conversation_search", query="peanuts")], "No peanuts."
        )
        await side.send("What am I allergic to?")
        assert SECRET in all_of(side_model.requests[-1])
        yield Life(tmp_path, main, model, side, side_model)


async def nothing_left(life: Life) -> None:
    """What must hold after the turn that forgets, wherever one looks."""
    for agent, model in ((life.main, life.model), (life.side, life.side_model)):
        told = await request_of(agent, model)
        assert SECRET not in told.lower()
        assert FORGOTTEN in conversation_of(model.requests[-1])
        assert not [text for text in await found(agent, ASKED) if SECRET in text.lower()]
        assert_paired(model.requests)
    fresh = ScriptedModel()
    async with opened(life.home, fresh, conversation="new") as agent:
        assert SECRET not in (await request_of(agent, fresh, "What am I allergic to?")).lower()
        assert not [text for text in await found(agent, ASKED) if SECRET in text.lower()]


async def test_no_later_request_and_no_search_says_it(life: Life) -> None:
    await life.forget()
    await nothing_left(life)
    assert await life.main.memory.journal.read(differences) == {}


async def test_the_turn_itself_still_knows_what_it_was_asked(life: Life) -> None:
    before = len(life.model.requests)
    await life.forget()
    asked = life.model.requests[before:]
    assert len(asked) == 3
    assert all(TOLD in all_of(request) for request in asked)
    assert "Forgotten: 1 passage, 1 line of blocks" in asked[-1].messages[-1]["content"]


async def test_the_messages_that_are_counted_are_those_that_the_history_lists(life: Life) -> None:
    """Calls, results of searches and notes are withheld as well, and nobody calls those messages."""
    memory = life.main.memory
    done = await memory.forget([one.id for one in await memory.candidates("allergic to peanuts")])
    history = await memory.journal.read(lambda connection: changes(connection, life.main.scope.agent, "user"))
    listed = [line.strip() for line in history[-2].text.split("\n") + history[-1].text.split("\n")]
    shown = [line for line in listed if line.startswith("m-")]
    # What told it, the answer to it, and the answer in the other conversation.
    assert done.messages == len(shown) == 3
    query = select(func.count()).select_from(tables.withheld).where(tables.withheld.c.kind == "message")
    assert await memory.journal.read(lambda connection: connection.execute(query).scalar_one()) > done.messages
    assert await memory.restore(done.event.id) == done.passages + done.lines + done.messages


async def test_neighbours_stay(life: Life) -> None:
    await life.forget()
    told = await request_of(life.main, life.model, "Which instrument do I play?")
    for words in ("Ada plays the cello.", "My sister is called Mia.", "It is raining in Lyon.", "Has a sister, Mia."):
        assert words in told
    assert "Ada plays the cello." in await found(life.side, ["cello"])
    assert "How is the weather in Lyon?" in await found(life.side, ["weather in Lyon"])


async def test_it_holds_after_a_flush_a_reopening_and_a_rebuild(life: Life, tmp_path: Path) -> None:
    archive = life.main.memory.archive
    await archive.embed_messages()
    await archive.flush()
    await life.forget()
    await nothing_left(life)
    await archive.flush()
    await nothing_left(life)
    generation = await archive.tables()
    assert generation is not None
    for kind in ("passage", "message"):
        texts = (await generation.table(kind).query().select(["text"]).to_arrow())["text"].to_pylist()
        assert texts
        assert not [text for text in texts if SECRET in text.lower()]
    await archive.rebuild()
    await nothing_left(life)


async def test_it_holds_where_the_archive_is_not_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Archive.open.__func__.__kwdefaults__, "resident", 0)  # type: ignore[attr-defined]
    model = ScriptedModel()
    async with opened(tmp_path, model) as agent:
        model.enqueue("Noted.")
        await agent.send(TOLD)
        await agent.memory.insert("Ada is allergic to peanuts.")
        await agent.memory.archive.flush()
        async with opened(tmp_path, ScriptedModel()) as other:
            assert await found(other, ASKED)
            ids = [one.id for one in await agent.memory.candidates("peanuts")]
            await agent.memory.forget(ids)
            assert set(await found(other, ASKED)) == {"Noted."}
            await agent.memory.archive.flush()
            assert set(await found(other, ASKED)) == {"Noted."}


async def test_all_that_was_superseded_goes_with_it(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with opened(tmp_path, model) as agent:
        (first,) = await agent.memory.insert("Ada can't eat peanuts.")
        model.enqueue([call("archival_update", id=first, content="Ada is allergic to peanuts, badly.")], "Noted.")
        await agent.send("It is worse than I thought.")
        (second,) = [hit.id for hit in await agent.memory.search("peanuts", tables=("passage",))]
        assert second != first
        done = await agent.memory.forget([second], "asked")
        assert done.passages == 2
        assert not [text for text in await found(agent, ASKED) if SECRET in text]


async def test_twins_that_a_search_does_not_show_go_too(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel()) as agent:
        await agent.memory.insert("Ada is allergic to peanuts.")
        (twin,) = await agent.memory.insert("Ada is allergic to peanuts!")
        assert len(await agent.memory.search("peanuts")) == 1
        assert (await agent.memory.forget([twin])).passages == 2
        assert await found(agent, ASKED) == []


async def test_a_line_that_says_what_a_passage_says_goes_with_it(tmp_path: Path) -> None:
    """Memory work copies a passage into a block; other words named the passage."""
    model, fact = ScriptedModel(), "Ada was prescribed sertraline in March."
    async with opened(tmp_path, model) as agent:
        model.enqueue(
            [call("archival_insert", content=fact)],
            [call("core_memory_append", label="human", content=fact)],
            [call("core_memory_append", label="human", content="Ada plays the cello.")],
            "Noted.",
        )
        await agent.send("The doctor put me on sertraline in March. I play the cello.")
        (passage,) = (hit.id for hit in await agent.memory.search("sertraline", tables=("passage",)))
        model.enqueue([call("memory_forget", ids=[passage], reason="asked to")], "Done.")
        await agent.send("Forget the medicine.")
        human = await agent.memory.block("human")
        assert human is not None
        assert human.value.split("\n")[1:] == ["Ada plays the cello."]
        assert "sertraline" not in await request_of(agent, model)


async def test_a_description_in_the_page_table_is_forgotten(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with opened(tmp_path, model, core_budget=200) as agent:
        await agent.memory.edit("diet", Create("All about the peanut allergy", "Rice is fine. " * 60))
        assert "All about the peanut allergy" in await request_of(agent, model)
        (candidate,) = await agent.memory.candidates("peanuts")
        assert candidate.label == "description of block diet"
        done = await agent.memory.forget([candidate.id])
        assert SECRET not in await request_of(agent, model)
        assert await agent.memory.restore(done.event.id) >= 1
        assert (await agent.memory.block("diet")).description == "All about the peanut allergy"


async def test_the_summary_loses_the_sentence(tmp_path: Path) -> None:
    summary = "Ada plays the cello. She is allergic to peanuts. She lives in Lyon."
    model = ScriptedModel(window=9000, summaries=[summary])
    async with opened(tmp_path, model) as agent:
        model.enqueue(*["word " * 900] * 8)
        await agent.send(TOLD)
        for _ in range(6):
            await agent.send("Tell me more. " * 20)
        assert summary in all_of(model.requests[-1])
        model._replies["turn"].clear()
        await agent.memory.forget([one.id for one in await agent.memory.candidates("peanuts")])
        told = await request_of(agent, model)
        assert SECRET not in told
        assert "Ada plays the cello. She lives in Lyon." in told


async def test_a_summary_that_is_being_made_meanwhile_loses_it_too(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModel(window=9000, summaries=[[gate, "Ada plays the cello. She is allergic to peanuts."]])
    async with opened(tmp_path, model) as agent, opened(tmp_path, ScriptedModel(), conversation="side") as other:
        model.enqueue(*["word " * 900] * 8)
        await agent.send(TOLD)
        turns = asyncio.create_task(_talk(agent, 6))
        await gate.reached()
        await other.memory.forget([one.id for one in await other.memory.candidates("peanuts")])
        gate.open()
        await turns
        model._replies["turn"].clear()
        told = await request_of(agent, model)
        assert "Ada plays the cello." in told
        assert SECRET not in told


async def _talk(agent: Agent, turns: int) -> None:
    for _ in range(turns):
        await agent.send("Tell me more. " * 20)


async def test_what_a_model_says_that_read_it_before_goes_when_its_turn_ends(life: Life) -> None:
    gate = Gate()
    life.side_model.enqueue([gate, "You can't eat peanuts."])
    turn = asyncio.create_task(life.side.send("What must I not eat?"))
    await gate.reached()
    await life.forget()
    gate.open()
    assert (await turn).reason == "done"
    await nothing_left(life)


async def test_a_cancelled_turn_forgets_all_the_same(life: Life) -> None:
    gate = Gate()
    life.model.enqueue(*forgets("allergic to peanuts")[:2], [gate, "Done."])
    turn = asyncio.create_task(life.main.send(f"Forget that {TOLD}"))
    await gate.reached()
    life.main.cancel()
    gate.open()
    assert (await turn).reason == "cancelled"
    await nothing_left(life)


async def test_other_users_and_other_agents_keep_theirs(life: Life) -> None:
    bob, other = ScriptedModel(), ScriptedModel()
    async with (
        opened(life.home, bob, user="bob") as of_bob,
        opened(life.home, other, "eve") as of_eve,
    ):
        for agent, model in ((of_bob, bob), (of_eve, other)):
            model.enqueue([call("core_memory_append", label="human", content=TOLD)], "No peanuts.")
            await agent.send(TOLD)
            await agent.memory.insert("Allergic to peanuts.")
        await life.forget()
        for agent, model in ((of_bob, bob), (of_eve, other)):
            told = await request_of(agent, model)
            assert told.count("I'm allergic to peanuts") == 3  # what was said, the call, and its result or the head
            assert FORGOTTEN not in conversation_of(model.requests[-1])
            assert {TOLD, "No peanuts.", "Allergic to peanuts."} <= set(await found(agent, ["peanuts"]))


async def test_ids_of_others_are_refused_and_nothing_is_changed(life: Life) -> None:
    async with opened(life.home, ScriptedModel(), user="bob") as bob:
        (mine,) = await bob.memory.insert("Bob hates the cello.")
        theirs = [one.id for one in await life.main.memory.candidates("allergic to peanuts")]
        assert {one[:2] for one in theirs} == {"p-", "m-", "hu"}
        for one in theirs:
            with pytest.raises((NotFound, UsageError)):
                await bob.memory.forget([mine, one])
        assert await found(bob, ["cello"])
        done = await life.main.memory.forget(theirs)
        with pytest.raises(NotFound):
            await bob.memory.restore(done.event.id)
    for wrong in (
        "p-none",
        "m-none",
        "",
        "x' OR '1'='1",
        "human:1@" + "9" * 5000,
        "none:1@1",
        "\0",
        "m-" + "x" * 10**6,
    ):
        with pytest.raises((NotFound, UsageError)):
            await life.main.memory.forget([wrong])
    with pytest.raises(UsageError):
        await life.main.memory.forget([])


async def test_a_line_that_has_moved_is_refused(life: Life) -> None:
    (line,) = [one for one in await life.main.memory.candidates("peanuts") if one.id.startswith("human:")]
    await life.main.memory.edit("human", Append("Likes tea."))
    before = await life.main.memory.block("human")
    with pytest.raises(UsageError, match="may name another line"):
        await life.main.memory.forget([line.id])
    assert await life.main.memory.block("human") == before


async def test_history_shows_it_and_restoring_brings_it_back(life: Life) -> None:
    memory = life.main.memory
    told = await request_of(life.side, life.side_model, "What am I allergic to again?")
    before = sorted(await found(life.main, ASKED))
    lines = set((await memory.block("human")).value.split("\n"))
    await life.forget()
    history = await memory.journal.read(lambda connection: changes(connection, life.main.scope.agent, "user"))
    text = "\n".join(change.text for change in history)
    for words in (TOLD, "-Ada is allergic to peanuts.", "I'll remember that you can't have peanuts."):
        assert words in text
    events = [change.event for change in history if change.event.type == "memory.forgotten"]
    assert await memory.restore(events[0].id) > 5
    assert set((await memory.block("human")).value.split("\n")) == lines
    after = await found(life.main, ASKED)
    assert set(before) <= set(after)
    again = await request_of(life.side, life.side_model, "And what did I say?")
    assert TOLD in again
    assert told.count(SECRET) <= again.count(SECRET)
    assert FORGOTTEN not in conversation_of(life.side_model.requests[-1])
    with pytest.raises(NotFound):
        await memory.restore(events[0].id)
    assert await memory.journal.read(differences) == {}


async def test_forgetting_twice(life: Life) -> None:
    memory = life.main.memory
    ids = [one.id for one in await memory.candidates("peanuts")]
    first = await memory.forget(ids)
    with pytest.raises((NotFound, UsageError)):
        await memory.forget(ids)
    # It is told once more, and forgotten once more. Taking the first back brings the first alone.
    life.model.enqueue("Noted: peanuts.")
    await life.main.send(TOLD)
    (again,) = await memory.insert("Ada is allergic to peanuts.")
    second = await memory.forget([again])
    assert second.messages == 2
    await nothing_left(life)
    await memory.restore(first.event.id)
    assert SECRET not in "".join(await found(life.main, ASKED)).lower()
    await memory.restore(second.event.id)
    assert SECRET in "".join(await found(life.main, ASKED)).lower()


async def test_what_is_told_anew_afterwards_stays(life: Life) -> None:
    await life.forget()
    life.model.enqueue([call("core_memory_append", label="human", content="Allergic to peanuts after all.")], "OK.")
    await life.main.send("Actually, do remember that I'm allergic to peanuts.")
    told = await request_of(life.main, life.model)
    assert "Actually, do remember that I'm allergic to peanuts." in told
    assert "Allergic to peanuts after all." in told


async def test_a_sentence_in_a_long_message_takes_the_message_along(tmp_path: Path) -> None:
    model = ScriptedModel()
    long = "The cello needs new strings. " * 300
    async with opened(tmp_path, model) as agent:
        model.enqueue("Fine.", "Fine.")
        await agent.send(f"{long} By the way, I'm allergic to peanuts. {long}")
        await agent.send(long)
        (mine,) = await agent.memory.insert("Ada is allergic to peanuts.")
        assert (await agent.memory.forget([mine])).messages == 1
        told = await request_of(agent, model)
        assert SECRET not in told
        assert "The cello needs new strings." in told


async def test_words_that_are_spelt_otherwise(tmp_path: Path) -> None:
    """Accents, apostrophes, wide letters, and JSON escapes within a call's arguments."""
    model = ScriptedModel()
    texts = ["Zoë O’Neil is my therapist.", "ZOE O'NEIL called.", "Ｚｏｅ Ｏ’Ｎｅｉｌ"]
    async with opened(tmp_path, model) as agent:
        for text in texts:
            model.enqueue("Fine.")
            await agent.send(text)
        model.enqueue(
            [call("core_memory_list", query="therapy\nZoe O'Neil")],
            [call("no_such_tool", name="Zoe\nO'Neil")],
            "Fine.",
        )
        await agent.send("Look it up.")
        (mine,) = await agent.memory.insert("Her therapist is Zoe O'Neil.")
        await agent.memory.forget([mine])
        told = (await request_of(agent, model)).casefold()
        for word in ("zoe", "zoë", "neil", "ｚ"):
            assert word not in told


async def test_chinese(tmp_path: Path) -> None:
    model, side = ScriptedModel(), ScriptedModel()
    async with opened(tmp_path, model) as agent, opened(tmp_path, side, conversation="side") as other:
        model.enqueue(
            [
                call("core_memory_append", label="human", content="不吃香菜"),
                call("archival_insert", content="小林不吃香菜。"),
            ],
            "记住了：你不吃香菜。",
            "晴天。",
            "豆豆很可爱。",
        )
        await agent.send("我叫小林，不吃香菜。")
        await agent.send("今天天气怎么样？")
        await agent.send("我养了一只猫，叫豆豆。")
        side.enqueue("香菜。")
        await other.send("我不吃什么？")
        assert "香菜" in all_of(side.requests[-1])
        model.enqueue(*forgets("不吃香菜", "好的。"))
        await agent.send("忘掉我不吃香菜这件事。")
        for one, its in ((agent, model), (other, side)):
            told = await request_of(one, its, "我不吃什么？")
            assert "香菜" not in told
            assert not [text for text in await found(one, ["香菜", "我不吃什么？"]) if "香菜" in text]
        for words in ("我养了一只猫，叫豆豆。", "今天天气怎么样？"):
            assert words in all_of(model.requests[-1])


async def test_messages_alone_can_be_forgotten(life: Life) -> None:
    (mia,) = [one for one in await life.main.memory.candidates("sister called Mia") if one.id.startswith("m-")]
    await life.main.memory.forget([mia.id])
    told = await request_of(life.main, life.model)
    assert "My sister is called Mia." not in told
    assert TOLD in told


async def test_common_words_carry_nothing(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with opened(tmp_path, model) as agent:
        model.enqueue("Hi.", "OK.", "OK.")
        await agent.send("Hi! Thanks.")
        await agent.send("I like the house a lot.")
        await agent.send("I like work.")
        hello = [one.id for one in await agent.memory.candidates("Hi! Thanks.")]
        rows = await agent.history()
        assert (await agent.memory.forget([rows[0].id])).messages == 1
        (liked,) = await agent.memory.insert("Likes the house.")
        assert (await agent.memory.forget([liked])).messages == 1
        told = await request_of(agent, model)
        assert "I like work." in told
        assert "house" not in told
        assert hello == [rows[0].id]


async def test_a_tool_result_loses_its_part_and_keeps_the_rest(life: Life) -> None:
    """Only what says it goes: a note of recall, not the words beside it."""
    await life.forget()
    await request_of(life.side, life.side_model)
    first = next(m for m in life.side_model.requests[-1].messages if m["role"] == "user")
    assert FORGOTTEN in first["content"]
    assert "What am I allergic to?" in first["content"] or "allergic" not in first["content"]


async def test_a_block_rewritten_by_hand_keeps_what_was_not_forgotten(life: Life) -> None:
    """An undo does not bring a forgotten line back, and keeps the lines that were let stand."""
    memory = life.main.memory
    await memory.edit("human", Rethink("Allergic to peanuts.\nAllergic to cats.\nLikes tea."))
    (line,) = [one.id for one in await memory.candidates("allergic to peanuts") if one.id.startswith("human:")]
    await memory.forget([line])
    assert (await memory.block("human")).value == "Allergic to cats.\nLikes tea."
    await memory.edit("human", Append("Plays the cello."))
    await memory.undo("human")
    assert (await memory.block("human")).value == "Allergic to cats.\nLikes tea."


async def test_the_tool_says_what_is_wrong(life: Life) -> None:
    life.model.enqueue(
        [call("memory_forget", reason="asked")],
        [call("memory_forget", ids=["p-none"], reason="asked")],
        [call("memory_forget", query="submarines", reason="asked")],
        "Sorry.",
    )
    await life.main.send("Forget it all.")
    results = [message["content"] for message in life.model.requests[-1].messages if message["role"] == "tool"][-3:]
    assert results[0].startswith("Error: Neither query nor ids are given.")
    assert results[1].startswith("Error: There is no passage 'p-none'.")
    assert results[2] == "No results."
    assert listed(life.model.requests[-1]) == []


@pytest.mark.parametrize(
    ("word", "text"), [("peanuts", "The user is allergic to peanuts."), ("花生", "用户对花生过敏。")]
)
async def test_one_word_finds_what_carries_it_also_where_several_memories_do(
    tmp_path: Path, word: str, text: str
) -> None:
    block = BlockSpec("human", text, "The user.", pinned=True, per_user=True)
    async with opened(tmp_path, ScriptedModel(), blocks=[block]) as agent:
        await agent.memory.insert(text)
        await agent.memory.insert(f"{text} 2")
        some = await agent.memory.candidates(word)
        assert [one.label for one in some if "block" in one.label] == ["line of block human"]
        assert len(some) == 3
