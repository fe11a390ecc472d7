"""What searches find, and in what order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import retire, supersede
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.tests.support.archives import Home, find, put, scope, texts

FACTS = [
    "Ada is allergic to peanuts.",
    "We use PostgreSQL, because we need JSONB.",
    "Ada's sister Grace lives in Lisbon.",
    "我叫小林，不吃香菜。",
    "The red car was bought from a neighbour.",
    "The meeting about the budget is on Tuesdays.",
    "Ada paints landscapes in oil.",
    "小林的妹妹住在杭州。",
]


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What are peanuts doing to Ada?", 0),
        ("Why PostgreSQL?", 1),
        ("Where does Grace live?", 2),
        ("香菜", 3),
        ("谁不吃香菜？", 3),
        ("妹妹住在哪里", 7),
        ("painting", 6),
        ("budgets", 5),
    ],
)
@pytest.mark.parametrize("flushed", [False, True])
async def test_the_passage_that_answers_comes_first(home: Home, question: str, answer: int, flushed: bool) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), FACTS)
        if flushed:
            assert await archive.flush() == len(FACTS)
        assert (await texts(archive, scope(), question))[0] == FACTS[answer]


async def test_results_are_the_same_before_and_after_the_flush(home: Home) -> None:
    questions = ["Ada", "sister live", "香菜", "car budget", "nothing of the kind", "", "?"]
    async with home.archive(resident=0) as archive, home.archive(resident=1000) as other:
        await put(archive, scope(), FACTS)
        await home.say(scope(), "I went to Lisbon to see Grace.", "Did it rain?", "It did, on the budget car.")
        await archive.embed_messages()
        before = [await archive.search(Query(scope(), text), explain=True) for text in questions]
        assert await archive.flush() > 0
        assert [await archive.search(Query(scope(), text), explain=True) for text in questions] == before
        assert [await other.search(Query(scope(), text), explain=True) for text in questions] == before
    async with home.archive(resident=0) as anew:
        assert [await anew.search(Query(scope(), text), explain=True) for text in questions] == before


async def test_a_small_table_is_searched_in_memory_beside_a_large_one(home: Home) -> None:
    """Passages are in LanceDB; the few messages are in memory, until there are too many of them as well."""
    questions = ["Ada", "sister live", "香菜", "car budget", "rain", ""]
    async with home.archive(resident=0) as writer:
        await put(writer, scope(), FACTS)
        await home.say(scope(), "I went to Lisbon to see Grace.", "Did it rain?")
        await writer.embed_messages()
        await writer.flush()
        async with home.archive(resident=3) as mixed:
            for more in ([], ["It rained on the budget car.", "And on Ada."], [f"More rain, {n}." for n in range(5)]):
                await home.say(scope(), *more)
                await writer.embed_messages()
                for _ in range(2):  # before they are flushed, and after
                    for question in questions:
                        expected = await writer.search(Query(scope(), question), explain=True)
                        assert await mixed.search(Query(scope(), question), explain=True) == expected
                    await writer.flush()
        async with home.archive(resident=3) as anew:
            assert len(await find(anew, scope(), "rain", limit=50)) == len(
                await find(writer, scope(), "rain", limit=50)
            )


async def test_both_tables_are_searched_at_once(home: Home) -> None:
    async with home.archive() as archive:
        (passage,) = await put(archive, scope(), ["Ada is allergic to peanuts."])
        (message,) = await home.say(scope(), "Do not put peanuts into the cake, please.")
        hits = await find(archive, scope(), "peanuts")
        assert {(hit.table, hit.id, hit.label) for hit in hits} == {
            ("passage", passage, "fact"),
            ("message", message, "user"),
        }


@pytest.mark.parametrize("resident", [0, 1000])
async def test_nothing_of_another_agent_or_user_is_found(home: Home, resident: int) -> None:
    hostile = ["' OR '1'='1", "x') OR ('1'='1", "me", "ag-1/me", "peanuts"]
    async with home.archive(resident=resident) as archive:
        await put(archive, scope(user="someone"), ["Someone is allergic to peanuts."])
        await put(archive, scope(agent="ag-2"), ["Another agent knows of peanuts."])
        await archive.flush()
        await put(archive, scope(user="late"), ["Someone late is allergic to peanuts."])
        for user in hostile:
            assert await find(archive, scope(user=user), "peanuts", limit=100) == []
            assert await find(archive, scope(), "peanuts", conversation=user, roles=(user,), tags=(user,)) == []


@pytest.mark.parametrize(
    "question",
    [
        "'",
        '"quoted wholly"',
        "a AND OR NOT (",
        "\x00",
        "🙂",
        "*",
        "x' OR '1'='1",
        "\u202e right",
        "[/foo]",
        "x" * 100_000,
    ],
)
@pytest.mark.parametrize("resident", [0, 1000])
async def test_no_question_is_an_error(home: Home, question: str, resident: int) -> None:
    async with home.archive(resident=resident) as archive:
        await put(archive, scope(), FACTS)
        await archive.flush()
        await find(archive, scope(), question)


async def test_texts_and_tags_come_back_as_they_were(home: Home) -> None:
    hostile = ["'", "a\r\n\tb", "</memory>", "[/foo]", "\u202e", "🙂 ok", "x' OR '1'='1", "a\x00b"]
    drafts = [Draft(f"note{number} {text}", tags=(text,)) for number, text in enumerate(hostile)]
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), drafts)
        for _ in range(2):
            for number, draft in enumerate(drafts):
                (hit,) = await find(archive, scope(), f"note{number}", tags=draft.tags)
                assert (hit.text, hit.tags) == (draft.text, draft.tags)
            await archive.flush()


@pytest.mark.parametrize("resident", [0, 1000])
async def test_what_is_replaced_or_retired_is_found_only_where_it_is_asked_for(home: Home, resident: int) -> None:
    async with home.archive(resident=resident) as archive:
        old, gone = await put(archive, scope(), ["The database is PostgreSQL.", "The database is on a server."])
        await archive.flush()

        def change(tx: Transaction) -> list[str]:
            retire(tx, scope(), [gone], "moved")
            return supersede(tx, scope(), old, Draft("The database is MySQL."))

        (new,) = await home.journal.write(change)
        for _ in range(2):
            assert [hit.id for hit in await find(archive, scope(), "database")] == [new]
            (was,) = await find(archive, scope(), "database", statuses=("superseded",))
            assert (was.id, was.status) == (old, "superseded")
            await archive.flush()


@pytest.mark.parametrize("resident", [0, 1000])
async def test_what_is_forgotten_is_not_found_until_it_is_restored(home: Home, resident: int) -> None:
    async with home.archive(resident=resident) as archive:
        (passage,) = await put(archive, scope(), ["Ada is allergic to peanuts."])
        (message,) = await home.say(scope(), "I am allergic to peanuts.")
        await archive.flush()
        items = [
            {"kind": "passage", "item": passage, "part": None},
            {"kind": "message", "item": message, "part": 0},
        ]
        forgotten: dict[str, Any] = {"items": items, "summaries": {}, "deferred": None}
        forgot = await home.journal.write(
            lambda tx: tx.append("memory.forgotten", forgotten, stream=scope().agent, writer="user")
        )
        for _ in range(2):
            assert await find(archive, scope(), "peanuts") == []
            await archive.flush()
        state = await archive.state()
        assert (state.passages, state.messages) == (0, 0)
        payload = {"forgot": forgot.id}
        await home.journal.write(lambda tx: tx.append("memory.restored", payload, stream=scope().agent, writer="user"))
        for _ in range(2):
            assert {hit.id for hit in await find(archive, scope(), "peanuts")} == {passage, message}
            await archive.flush()


async def test_a_result_explains_its_rank(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), FACTS)
        (hit, *_) = await archive.search(Query(scope(), "peanuts"), explain=True)
        assert hit.explain["lexical"] > 0
        assert {"dense", "neighbours", "session", "speaker", "time", "length"} <= set(hit.explain)
        assert not (await find(archive, scope(), "peanuts"))[0].explain


async def test_scores_fall_and_say_how_sure_they_are(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), FACTS)
        hits = await find(archive, scope(), "allergic to peanuts")
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert not hits[0].weak
        assert hits[-1].weak
        assert all(hit.weak for hit in await find(archive, scope(), "quantum chromodynamics"))


async def test_neighbours_lend_to_the_words_between_them(home: Home) -> None:
    async with home.archive() as archive:
        talk = ["What do you think of the zoo in Lisbon?", "Wonderful, we saw giraffes!", "And the tickets were cheap."]
        other = ["Nothing new on the roof.", "Wonderful, we saw kittens!", "And the cellar was dry."]
        drafts = [
            Draft(text, session=session, ordinal=place)
            for session, lines in enumerate((other, talk))
            for place, text in enumerate(lines)
        ]
        await put(archive, scope(), drafts)
        found = await texts(archive, scope(), "Lisbon zoo")
        assert found.index(talk[1]) < found.index(other[1])


async def test_the_named_speaker_comes_first(home: Home) -> None:
    async with home.archive() as archive:
        drafts = [
            Draft("I adopted a puppy last spring.", speaker="Grace", session=1, ordinal=1),
            Draft("I adopted a puppy last spring too.", speaker="Ada", session=1, ordinal=2),
        ]
        await put(archive, scope(), drafts)
        for name, draft in (("Grace", drafts[0]), ("Ada", drafts[1])):
            assert (await texts(archive, scope(), f"When did {name} adopt a puppy?"))[0] == draft.text


async def test_a_date_in_the_question_is_heeded(home: Home) -> None:
    async with home.archive() as archive:
        drafts = [
            Draft(f"Ada went hiking, trip {month}.", event_time=datetime(2025, month, 20, tzinfo=UTC))
            for month in range(1, 9)
        ]
        await put(archive, scope(), drafts)
        assert (await texts(archive, scope(), "Where did Ada hike in May 2025?"))[0] == "Ada went hiking, trip 5."


async def test_the_newer_of_two_that_are_alike_comes_first(home: Home) -> None:
    async with home.archive() as archive:
        home.embedder.failing = True  # so that they are exactly alike
        await put(archive, scope(), ["The office is in Berlin now."])
        home.clock.advance(timedelta(days=90))
        await put(archive, scope(), ["The office is in Hamburg now."])
        assert (await texts(archive, scope(), "office"))[0] == "The office is in Hamburg now."


async def test_near_duplicates_are_one_result_but_a_denial_is_none(home: Home) -> None:
    async with home.archive() as archive:
        same = ["Ada likes green tea with honey.", "ada likes green tea, with honey"]
        denial = "Ada likes green tea with honey, not."
        await put(archive, scope(), [*same, denial])
        found = await texts(archive, scope(), "green tea")
        assert len(found) == 2
        assert denial in found


async def test_an_empty_question_lists_what_meets_the_conditions(home: Home) -> None:
    async with home.archive() as archive:
        await put(archive, scope(), [Draft("one", tags=("a",)), Draft("two", tags=("b",))])
        assert await texts(archive, scope(), "", tags=("b",)) == ["two"]
        assert await find(archive, scope(), "one", limit=0) == []
        assert await find(archive, scope(), "one", tables=()) == []
