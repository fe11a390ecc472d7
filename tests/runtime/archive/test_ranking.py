"""The steps of the ranking: what each is there for, with and without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.ranking.weights import DEFAULT
from pagekeeper.runtime.archive.state import _size
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.recall.note import Recall
from pagekeeper.tests.support.archives import Home, put, scope, texts

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    made.embedder.failing = True  # the words alone decide
    yield made
    made.journal.close()


async def test_chinese_particles_are_not_asked_for(home: Home) -> None:
    async with home.archive() as archive:
        chatter, answer = "你的那个是什么啊，我的这个又是在哪儿的呢？在那的吗？", "张伟生日：九月三号"
        await put(archive, scope(), [chatter, answer])
        assert (await texts(archive, scope(), "那个叫张伟的人，他的生日是在什么时候啊？"))[0] == answer
        # A question of particles alone asks for them all the same.
        assert chatter in await texts(archive, scope(), "那是什么？")


async def test_a_pair_of_characters_says_more_than_two_single_ones(home: Home) -> None:
    scattered, together = "学会花艺的人办了大展，学生来看生花", "学生会"
    for flushed in (False, True):
        async with home.archive(resident=0) as archive:
            if not flushed:
                await put(archive, scope(), [scattered, together])
            else:
                home.embedder.failing = False
                await archive.embed_messages()
                await archive.flush()
                home.embedder.failing = True
            assert (await texts(archive, scope(), "学生会"))[0] == together


async def test_a_question_of_mine_is_about_what_i_said(home: Home) -> None:
    said = {
        "user": "The deadline of the sprint could be Friday.",
        "assistant": "The deadline of the sprint should be Monday.",
    }
    drafts = [Draft(text, speaker=speaker) for speaker, text in said.items()]
    questions = {
        "When is the deadline of my sprint?": "user",
        "我的 sprint deadline 是什么时候？": "user",
        "Which deadline of the sprint did you propose?": "assistant",
    }
    async with home.archive() as archive:
        await put(archive, scope(), drafts)
        for question, speaker in questions.items():
            assert (await texts(archive, scope(), question))[0] == said[speaker], question
    async with home.archive(weights=replace(DEFAULT, voice=0)) as archive:
        found = {(await texts(archive, scope(), question))[0] for question in questions}
        assert len(found) == 1


async def test_who_says_much_before_asking_has_told_something(home: Home) -> None:
    short, told = "What about the quota?", "The quota is nine hundred."
    long = f"{told} " * 20 + "Can you help me?"
    async with home.archive() as archive:
        await put(archive, scope(), [short, long, told])
        found = await archive.search(Query(scope(), "the quota"), explain=True)
    asks = {hit.text: hit.explain["asks"] for hit in found}
    assert asks[told] == 0
    assert asks[short] < 0
    assert asks[long] == pytest.approx(asks[short] * DEFAULT.asks_words / (20 * 5 + 4), abs=1e-3)


async def test_one_long_text_does_not_take_all_places(home: Home) -> None:
    long = "\n\n".join(
        f"The lighthouse, chapter {number}. " + "The lamp of the lighthouse. " * 38 for number in range(8)
    )
    short = [f"Ada saw a lighthouse near {place}." for place in ("Ghent", "Lisbon", "Oslo")]
    async with home.archive() as archive:
        rest = [f"Nothing of the kind, number {number}." for number in range(150)]
        assert len(await put(archive, scope(), [long, *short, *rest])) == 11 + len(rest)
        found = await texts(archive, scope(), "the lamp of the lighthouse", limit=7)
        assert set(short) <= set(found)
        assert found[0].startswith("The lighthouse, chapter")
    async with home.archive(weights=replace(DEFAULT, more=0)) as archive:
        assert not set(short) & set(await texts(archive, scope(), "the lamp of the lighthouse", limit=7))


async def test_what_happened_again_is_shown_after_what_is_new(home: Home) -> None:
    run = [
        Draft("Ada ran along the river.", kind="episode", event_time=NOON + timedelta(days=day)) for day in (0, 9, 9)
    ]
    other = Draft(
        "Bob ran along the river in the rain with a heavy coat and two dogs.", kind="episode", event_time=NOON
    )
    async with home.archive() as archive:
        await put(archive, scope(), [*run, other])
        found = await archive.search(Query(scope(), "who ran along the river"), explain=True)
        assert [hit.text for hit in found].count(run[0].text) == 2  # the third is of the same moment as the second
        assert [hit.explain.get("twin", 0) for hit in found if hit.text == run[0].text] == [0, DEFAULT.twin]
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True)
        # Recall has a budget: it says it once.
        note = await Recall(archive).note(scope(), "Who ran along the river?", [], 500, TokenCounter())
        assert note is not None
        assert note.text.count("Ada ran along the river.") == 1


async def test_in_a_small_scope_a_word_for_a_time_does_not_drown_the_rest(home: Home) -> None:
    home.embedder.english_only = True
    async with home.archive() as archive:
        vet = Draft("根特的兽医叫鲍威尔斯。", event_time=NOON - timedelta(days=60))
        rest = [Draft(f"第{number}张购物单：根特的牛奶和面包。", event_time=NOON) for number in range(6)]
        await put(archive, scope(), [vet, *rest])
        assert (await texts(archive, scope(), "今天真忙！根特的兽医叫什么？"))[0] == vet.text
    async with home.archive(weights=replace(DEFAULT, cue_scale=1.0)) as archive:
        assert (await texts(archive, scope(), "今天真忙！根特的兽医叫什么？"))[0] != vet.text


def test_the_size_of_a_folder_is_told_while_files_leave_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").write_bytes(b"12345")
    (tmp_path / "gone").symlink_to("nowhere")
    monkeypatch.setattr(Path, "is_file", lambda self: True)  # as it was a moment ago
    assert _size(tmp_path) == 5
