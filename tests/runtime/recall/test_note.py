"""Recall before a turn: what stands in the note, in which order, and when there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import add, retire, supersede
from pagekeeper.runtime.clock import stamp
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.recall.note import WHOLE, Recall
from pagekeeper.runtime.recall.rewriting import Said
from pagekeeper.tests.support.archives import Home, put, scope

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home", start=NOW)
    made.embedder.failing = True  # the words alone decide
    yield made
    made.journal.close()


async def lines(
    archive: Archive, words: str, *, budget: int = 500, in_view: tuple[str, ...] = (), **more: Any
) -> list[str]:
    """The lines of the note, without their ids."""
    note = await Recall(archive).note(scope(), words, in_view, budget, TokenCounter(), **more)
    return [line.partition("] ")[2] for line in note.text.splitlines()] if note else []


def said(found: list[str]) -> list[str]:
    """The texts of the lines."""
    return [line.partition(": ")[2] for line in found]


async def large(archive: Archive) -> None:
    """So much of something else that the store is no small one."""
    await put(archive, scope(), [f"Invoice {n} of shop {n * 7} was filed in folder {n * 3}." for n in range(WHOLE + 5)])


# -- what is told ---------------------------------------------------------------------------------------------------


async def test_the_note_holds_what_was_archived_and_said(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        (passage,) = await put(archive, scope(), ["Ada is allergic to peanuts."])
        (message,) = await home.say(scope(), "No peanuts for me, please.\nReally.")
        await archive.embed_messages()
        note = await Recall(archive).note(scope(), "Which peanuts may I eat?", [], 500, TokenCounter())
        assert note is not None
        assert note.text.splitlines() == [
            f"- [{passage[:8]}] 2026-06-01 fact: Ada is allergic to peanuts.",
            f"- [{message[:8]}] 2026-06-01 user: No peanuts for me, please. Really.",
        ]
        assert note.ids == (passage, message)


async def test_a_small_store_is_told_whole_where_anything_of_it_is_asked_for(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts.", "The car is red.", "Miso is a cat."])
        await put(archive, scope(user="eve"), ["Eve sails."])
        whole = ["Ada is allergic to peanuts.", "Miso is a cat.", "The car is red."]
        assert sorted(said(await lines(archive, "Which peanuts may I eat?"))) == whole
        assert await lines(archive, "Explain quantum chromodynamics") == []
        assert await lines(archive, "hello, thanks!") == []
        # Where the budget has no room for all of it, the best of it is told.
        assert said(await lines(archive, "Which peanuts may I eat?", budget=40)) == whole[:1]


async def test_a_small_store_is_told_whole_from_the_tables_as_well(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts.", "The car is red."])
        await archive.flush()
        assert len(await lines(archive, "Which peanuts may I eat?")) == 2
        await large(archive)
        await archive.flush()
        assert said(await lines(archive, "Which peanuts may I eat?")) == ["Ada is allergic to peanuts."]


async def test_of_a_large_store_a_simple_question_is_given_few_and_a_complex_one_more(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        colours = "red blue green white black brown grey pink gold teal".split()  # noqa: SIM905
        await put(archive, scope(), [f"The {colour} kayak leaks at seam {n}." for n, colour in enumerate(colours)])
        assert len(await lines(archive, "Which kayak leaks?")) == 3
        assert len(await lines(archive, "List each kayak that leaks")) == 8


async def test_what_is_in_view_or_has_nothing_to_do_with_it_is_not_recalled(home: Home) -> None:
    async with home.archive() as archive:
        (passage,) = await put(archive, scope(), ["Ada is allergic to peanuts."])
        assert await lines(archive, "peanuts?", in_view=(passage,)) == []
        recall = Recall(archive)
        assert await recall.note(scope(user="someone"), "peanuts?", [], 500, TokenCounter()) is None


@pytest.mark.parametrize(
    ("block", "known"),
    [
        ("- The user is allergic to peanuts. (Before: nothing.)", True),
        ("Name: Ada; is allergic to peanuts", True),
        ("The user is not allergic to peanuts.", False),
        ("The user's sister Ana is allergic to peanuts.", False),
        ("The user is allergic.", False),
    ],
)
async def test_what_a_block_in_view_says_is_not_said_again(home: Home, block: str, known: bool) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), ["The user is allergic to peanuts.", "The peanuts are in the cellar."])
        found = said(await lines(archive, "Where are the peanuts?", known=[block]))
        assert ("The user is allergic to peanuts." in found) is not known
        assert "The peanuts are in the cellar." in found


async def test_constraints_come_first_then_preferences_then_the_recent_then_the_rest(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        old = NOW - timedelta(days=90)
        rest = Draft("Supper with fish was had in a harbour.", kind="episode", event_time=old)
        recent = Draft("Supper with fish was had in Faro.", kind="episode", event_time=NOW - timedelta(days=2))
        taste = Draft("The user prefers supper with fish.", event_time=old)
        rule = Draft("The user is allergic to fish for supper.", event_time=old)
        await put(archive, scope(), [rest, recent, taste, rule])
        found = said(await lines(archive, "Suggest a supper with fish"))
        assert found == [rule.text, taste.text, recent.text, rest.text]
        # A constraint is not left out for what fits better, nor where the budget ends.
        assert rule.text in said(await lines(archive, "Supper with fish was had in a harbour in Faro?"))
        assert said(await lines(archive, "Suggest a supper with fish", budget=40)) == [rule.text]


async def test_the_note_stays_within_its_budget(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), [f"Ada's peanuts, story {number}: {'word ' * 30}" for number in range(20)])
        counter = TokenCounter()
        note = await Recall(archive).note(scope(), "All stories of Ada's peanuts", [], 150, counter)
        assert note is not None
        assert 50 < counter.count(note.text) <= 150
        assert await Recall(archive).note(scope(), "peanuts", [], 0, counter) is None


async def test_a_long_memory_is_shown_where_it_is_about_the_question(home: Home) -> None:
    async with home.archive() as archive:
        await home.say(scope(), "filler words " * 500 + "the peanuts are in the cellar " + "more filler " * 500)
        (found,) = await lines(archive, "Where are the peanuts?", budget=2000)
        assert "peanuts are in the cellar" in found
        assert len(found) < 800


async def test_an_empty_archive_is_not_embedded_for(home: Home) -> None:
    home.embedder.failing = False
    async with home.archive() as archive:
        assert await Recall(archive).note(scope(), "What am I allergic to?", [], 500, TokenCounter()) is None
        assert home.embedder.texts == []


# -- of which kind, and of whom -------------------------------------------------------------------------------------


async def test_the_kind_that_a_question_asks_for_is_looked_for_first_and_then_any(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        facts = [f"The database of project {n} runs on machine {n}." for n in range(4)]
        decided = [f"The user decided on a database for the part {n}." for n in range(3)]
        await put(archive, scope(), [*facts, *(Draft(text, kind="episode") for text in decided[:2])])
        some = said(await lines(archive, "What did I decide about the database?"))
        assert set(some) > set(decided[:2])
        assert len(some) == 3
        await put(archive, scope(), [Draft(decided[2], kind="episode")])
        assert set(said(await lines(archive, "What did I decide about the database?"))) == set(decided)


async def test_a_question_is_looked_for_with_what_it_leaves_to_the_messages_before_it(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        await put(archive, scope(), ["Ana is a nurse at the harbour clinic."])
        before = [Said("user", "My sister Ana came over."), Said("assistant", "How nice.")]
        assert await lines(archive, "What does she do?") == []
        assert said(await lines(archive, "What does she do?", before=before)) == [
            "Ana is a nurse at the harbour clinic."
        ]


# -- of which time --------------------------------------------------------------------------------------------------


async def move(home: Home, archive: Archive) -> None:
    """The user lived in Braga, then in Porto, and then in Rome."""
    await large(archive)
    days = [datetime(2024, 3, 1, tzinfo=UTC), datetime(2026, 1, 17, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)]
    (last,) = await put(archive, scope(), [Draft("The user's home is Braga.", valid_from=days[0])])
    for start, town in zip(days[1:], ("Porto", "Rome"), strict=True):
        draft = Draft(f"The user's home is {town}.", valid_from=start)
        [last] = await home.journal.write(
            lambda tx, old=last, draft=draft, start=start: supersede(tx, scope(), old, draft, ended=stamp(start))  # type: ignore[misc]
        )


@pytest.mark.parametrize("resident", [2000, 0])
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Where is my home?", ["2026-06-01 fact, since 2026-04: The user's home is Rome."]),
        ("Where is my home now?", ["2026-06-01 fact, since 2026-04: The user's home is Rome."]),
        (
            "Where was my home in February?",
            ["2026-06-01 fact, superseded, 2026-01-17 to 2026-04: The user's home is Porto."],
        ),
        (
            "Where was my home last year?",
            ["2026-06-01 fact, superseded, 2024-03 to 2026-01-17: The user's home is Braga."],
        ),
        ("Where was my home in 2020?", []),
    ],
)
async def test_the_interval_answers_where_it_is_asked_how_things_stood(
    home: Home, words: str, found: list[str], resident: int
) -> None:
    async with home.archive(resident=resident) as archive:
        await move(home, archive)
        if not resident:
            await archive.flush()
        assert await lines(archive, words) == found


async def test_a_stretch_of_time_may_hold_two_states_and_what_is_over_comes_first_where_that_is_asked(
    home: Home,
) -> None:
    async with home.archive() as archive:
        await move(home, archive)
        towns = [text.split()[-1] for text in said(await lines(archive, "Where was my home in January 2026?"))]
        assert sorted(towns) == ["Braga.", "Porto."]
        before = [Said("user", "Where is my home?"), Said("assistant", "In Rome.")]
        found = await lines(archive, "And before that?", before=before)
        assert [text.split()[-1] for text in said(found)][-1] == "Rome."
        assert len(found) == 3


async def test_what_holds_now_comes_before_what_is_over(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        over = Draft("The user's desk is desk 4.", valid_to=NOW - timedelta(days=40), event_time=NOW)
        await put(
            archive, scope(), [over, Draft("The user's desk is by the window, at the far end of the third floor.")]
        )
        assert await lines(archive, "Which desk is my desk?") == [
            "2026-06-01 fact: The user's desk is by the window, at the far end of the third floor.",
            "2026-06-01 fact, until 2026-04-22: The user's desk is desk 4.",
        ]


async def test_what_is_disputed_is_told_with_the_other_side(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        (one,) = await put(archive, scope(), ["The boiler code is 4711."])
        (other,) = await put(archive, scope(), [Draft("Its number is 1207.", status="disputed", disputes=one)])
        assert await lines(archive, "What is the boiler code?") == [
            f"2026-06-01 fact, disputed by {other[:8]}: The boiler code is 4711.",
            f"2026-06-01 fact, disputed, disputes {one[:8]}: Its number is 1207.",
        ]


async def test_an_episode_comes_with_its_neighbours(home: Home) -> None:
    async with home.archive() as archive:
        await large(archive)
        texts = ["Ada packed a tent.", "Ada hiked to Zamora.", "A storm came up.", "The rest of the week was dull."]
        drafts = [
            Draft(text, kind="episode", session=session, ordinal=ordinal)
            for text, (session, ordinal) in zip(texts, [(1, 1), (1, 2), (1, 3), (2, 1)], strict=True)
        ]
        ids = [(await home.journal.write(lambda tx, one=one: add(tx, scope(), [one])))[0] for one in drafts]  # type: ignore[misc]
        await home.journal.write(lambda tx: add(tx, scope(user="eve"), drafts))
        assert said(await lines(archive, "Where is Zamora, and who hiked there?")) == [texts[1], texts[0], texts[2]]
        assert said(await lines(archive, "Where is Zamora, and who hiked there?", in_view=(ids[0],))) == [
            texts[1],
            texts[2],
        ]
        await home.journal.write(lambda tx: retire(tx, scope(), [ids[2]], "wrong"))
        assert said(await lines(archive, "Where is Zamora, and who hiked there?")) == [texts[1], texts[0]]
