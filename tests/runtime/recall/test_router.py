"""What is looked for before a turn, and whether anything is."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pagekeeper.runtime.recall.router import COMPLEX, SIMPLE, Route, route
from pagekeeper.runtime.recall.small_talk import is_sum, worth_looking
from pagekeeper.runtime.when.asked import when_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ZONE = ZoneInfo("UTC")


def routed(words: str) -> Route:
    found = route(words, [], NOW, ZONE)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "words",
    [
        *("hi", "Hello there!", "thanks so much", "ok", "Good morning :)", "你好", "谢谢你！", "好的", "", "?!"),
        *("How are you doing?", "12*7?", "what is 3 + 4", "What's 15% of 80?", "three plus four", "(3+4)*2 please"),
        *("3加4等于几", "三加四等于多少？", "√16", "the square root of 16", "thanks! and 12/4?", "1,000.50 - 3 = ?"),
    ],
)
def test_greetings_thanks_and_sums_are_no_reason_to_look(words: str) -> None:
    assert not worth_looking(words)
    assert route(words, [], NOW, ZONE) is None


@pytest.mark.parametrize(
    "words",
    [
        *("hi, what am I allergic to?", "peanuts", "你好，我不吃什么？", "thanks for the cake recipe", "2024-03-01?"),
        *(
            "what is 3 apples plus 4 apples",
            "flight 12",
            "who is 12",
            "十一月我在哪",
            "5 years ago",
            "3",
            "plan B or two?",
        ),
    ],
)
def test_anything_about_something_is(words: str) -> None:
    assert worth_looking(words)
    assert not is_sum(words)


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("Where did I live in March?", "2026-03-01 2026-04-01"),
        ("去年我住哪里？", "2025-01-01 2026-01-01"),
        ("Which database were we using in January?", "2026-01-01 2026-02-01"),
        ("What was my job last year?", "2025-01-01 2026-01-01"),
        ("Where was I working in 2024?", "2024-01-01 2025-01-01"),
        ("Where did I live before 2025?", "2024-12-31 2025-01-01"),
        ("两年前我在哪里工作", "2024-01-01 2025-01-01"),
        ("三月份我在哪家公司上班？", "2026-03-01 2026-04-01"),
        ("In 2024, what was my favourite editor called?", "2024-01-01 2025-01-01"),
        ("What was my address on 3 May 2026?", "2026-05-03 2026-05-04"),
    ],
)
def test_a_question_of_how_things_stood_names_its_time(words: str, span: str) -> None:
    when = when_of(words, NOW, ZONE)
    assert when.span is not None
    assert " ".join(f"{day:%Y-%m-%d}" for day in when.span) == span
    assert when.past


@pytest.mark.parametrize(
    "words",
    [
        *("What did I buy in March?", "When did I move last year?", "What was decided in March?", "去年我去了哪里？"),
        *("What did I have for lunch yesterday?", "What was I doing last week?"),
    ],
)
def test_what_happened_in_a_time_is_not_what_held_then(words: str) -> None:
    when = when_of(words, NOW, ZONE)
    assert (when.span, when.past) == (None, True)


@pytest.mark.parametrize(
    ("words", "past", "former"),
    [
        ("Where do I live?", False, False),
        ("Where do I live now, and not in 2024?", False, False),
        ("Where will I live in 2027?", False, False),
        ("What was my wifi password?", False, False),
        ("Did I ever own a dog?", True, False),
        ("Where did I use to work?", True, True),
        ("What was my previous job?", True, True),
        ("以前我住哪里", True, True),
        ("Where do I go before I eat?", False, False),
    ],
)
def test_a_question_of_the_past_is_one_of_what_was_replaced(words: str, past: bool, former: bool) -> None:
    when = when_of(words, NOW, ZONE)
    assert (when.span, when.past, when.former) == (None, past, former)


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("What did I decide about the database?", ("episode",)),
        ("When did I go to Lisbon?", ("episode",)),
        ("Who did we meet at the fair?", ("episode",)),
        ("上次我们决定了什么？", ("episode",)),
        ("How do we usually deploy?", ("skill",)),
        ("What does it say in the handbook about leave?", ("document",)),
        ("What are our rules for commits?", ("rule",)),
        ("What have you noticed about my sleep?", ("insight",)),
        ("Where did I live in March?", ()),
        ("What is my sister's name?", ()),
        ("When is my birthday?", ()),
    ],
)
def test_a_question_may_show_of_which_kind_its_answer_is(words: str, kinds: tuple[str, ...]) -> None:
    assert routed(words).kinds == kinds


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("What is my sister's name?", SIMPLE),
        ("我对什么过敏？", SIMPLE),
        ("Recommend a restaurant for tonight", COMPLEX),
        ("What is my job, and where is the office?", COMPLEX),
        ("Who is Ana? Where does she live?", COMPLEX),
        ("What do you know about Kiln", COMPLEX),
        ("列出我所有的宠物", COMPLEX),
        ("I will be travelling to Lisbon in two weeks with my family and I need to find a hotel near the river that is "
         "quiet, has parking and allows dogs", COMPLEX),
    ],
)  # fmt: skip
def test_a_complex_question_is_given_more(words: str, most: int) -> None:
    assert routed(words).most == most


def test_long_words_are_searched_by_their_beginning_and_end() -> None:
    text = routed("Kiln " + "filler " * 1000 + "Porto").text
    assert text.startswith("Kiln")
    assert text.endswith("Porto")
    assert len(text) < 1300
