"""Recall before a turn: what stands in the note, and when there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.recall import Recall, RecalledNote, worth_looking
from pagekeeper.tests.support.archives import Home, put, scope


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


@pytest.mark.parametrize(
    "words",
    [
        "hi",
        "Hello there!",
        "thanks so much",
        "ok",
        "Good morning :)",
        "你好",
        "谢谢你！",
        "好的",
        "",
        "?!",
        "How are you doing?",
    ],
)
def test_greetings_and_thanks_are_no_reason_to_look(words: str) -> None:
    assert not worth_looking(words)


@pytest.mark.parametrize(
    "words", ["hi, what am I allergic to?", "peanuts", "你好，我不吃什么？", "thanks for the cake recipe"]
)
def test_anything_about_something_is(words: str) -> None:
    assert worth_looking(words)


async def test_the_note_holds_what_was_archived_and_said(home: Home) -> None:
    async with home.archive() as archive:
        (passage,) = await put(archive, scope(), ["Ada is allergic to peanuts."])
        await put(archive, scope(), ["The car is red."])
        (message,) = await home.say(scope(), "No peanuts for me, please.\nReally.")
        await archive.embed_messages()
        note = await Recall(archive).note(scope(), "Which peanuts may I eat?", [], 500, TokenCounter())
        assert note is not None
        assert set(note.text.splitlines()) == {
            f"- [{passage}] 2026-01-01 fact: Ada is allergic to peanuts.",
            f"- [{message}] 2026-01-01 user: No peanuts for me, please. Really.",
        }
        assert set(note.ids) == {passage, message}


async def test_what_is_in_view_or_has_nothing_to_do_with_it_is_not_recalled(home: Home) -> None:
    async with home.archive() as archive:
        (passage,) = await put(archive, scope(), ["Ada is allergic to peanuts."])
        recall = Recall(archive)
        counter = TokenCounter()
        assert await recall.note(scope(), "peanuts?", [passage], 500, counter) is None
        assert await recall.note(scope(), "Explain quantum chromodynamics", [], 500, counter) is None
        assert await recall.note(scope(user="someone"), "peanuts?", [], 500, counter) is None


async def test_the_note_stays_within_its_budget(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), [f"Ada's peanuts, story {number}: {'word ' * 30}" for number in range(20)])
        counter = TokenCounter()
        note = await Recall(archive).note(scope(), "peanuts", [], 150, counter)
        assert isinstance(note, RecalledNote)
        assert 50 < counter.count(note.text) <= 150
        assert await Recall(archive).note(scope(), "peanuts", [], 0, counter) is None


async def test_a_long_memory_is_shown_where_it_is_about_the_question(home: Home) -> None:
    async with home.archive() as archive:
        await home.say(scope(), "filler words " * 500 + "the peanuts are in the cellar " + "more filler " * 500)
        note = await Recall(archive).note(scope(), "Where are the peanuts?", [], 2000, TokenCounter())
        assert note is not None
        assert "peanuts are in the cellar" in note.text
        assert len(note.text) < 800


async def test_an_empty_archive_is_not_embedded_for(home: Home) -> None:
    async with home.archive() as archive:
        assert await Recall(archive).note(scope(), "What am I allergic to?", [], 500, TokenCounter()) is None
        assert home.embedder.texts == []
