"""What answers is decided by what a memory tells of whom, and by what was told last, in whatever words it stands."""

from __future__ import annotations

import pytest

from pagekeeper.runtime.models.offline.acts import Asked
from pagekeeper.runtime.models.offline.as_of import as_of, in_present
from pagekeeper.runtime.models.offline.hearing import hear
from pagekeeper.runtime.models.offline.items import Item
from pagekeeper.runtime.models.offline.latest import standing_now, told_last
from pagekeeper.runtime.models.offline.reading import Reading, read
from pagekeeper.runtime.models.offline.recall import ENOUGH, rank
from pagekeeper.runtime.models.offline.view import View


def asked(question: str) -> Asked:
    (act,) = hear(question)
    assert isinstance(act, Asked)
    return act


def answers(question: str, *memories: tuple[str, str], today: str = "2026-06-10") -> list[str]:
    """What of some memories, each with the day on which it was told, answers a question about now."""
    items = [Item("passage", f"p-{n}", text, day) for n, (day, text) in enumerate(memories)]
    hits = [hit for hit in rank(asked(question), items) if hit.fit >= ENOUGH]
    return [hit.text for hit in told_last(asked(question), standing_now(asked(question), hits, today))]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("The user starts at Tern Charts on 3 June, as a surveyor.", ("user", "workplace", "Tern Charts")),
        ("Olga is at the Loom Archive now.", ("olga", "workplace", "Loom Archive")),
        ("The user's partner Theo works night shifts.", ("theo", "shift", "night shifts")),
        ("The code of the user's bike shed is 1187.", ("bike shed", "code", "1187")),
    ],
)
def test_a_line_is_read_as_memory_work_reads_it(line: str, told: tuple[str, str, str]) -> None:
    assert read(line)[:1] == (Reading(*told, single=True),)


def test_what_tells_many_things_is_read_as_nothing() -> None:
    assert read("The castle walk was steep.") == ()
    assert read("Olga has got a new post.") == ()
    assert read("x " * 400) == ()


@pytest.mark.parametrize(
    ("question", "right", "beside"),
    [
        (
            "Which company do I work for?",
            "The user starts at Tern Charts on 3 June, as a surveyor.",
            "They gave the user a tablet for work.",
        ),
        ("What is my job?", "The user is a surveyor now.", "The user is learning Danish, for the new job."),
        ("What is my job?", "The user is a surveyor now.", "The user doesn't judge."),
        ("Where does Olga work?", "Olga is at the Loom Archive now.", "Olga has got a new post."),
        ("In which town is Bean's groomer?", "Bean's groomer is Ms Ortiz, in Arles.", "The user lives in Nice."),
        (
            "When is the Heron launch planned for?",
            "The Heron launch was put off to 9 July.",
            "The Friday rule was dropped, Heron may be deployed on any day.",
        ),
    ],
)
def test_what_tells_it_answers_and_what_only_mentions_it_does_not(question: str, right: str, beside: str) -> None:
    assert answers(question, ("2026-06-02", right), ("2026-06-01", beside))[:1] == [right]


def test_of_two_that_tell_one_thing_the_later_is_told() -> None:
    assert answers(
        "Where does Olga work?",
        ("2026-06-01", "Olga works at the Gild Museum."),
        ("2026-06-05", "Olga is at the Loom Archive now."),
    ) == ["Olga is at the Loom Archive now."]


def test_how_it_will_be_is_not_how_it_is() -> None:
    now, then = "The user lives in Nice.", "The user is moving to Arles on 1 July 2026."
    memories = (("2026-06-01", now), ("2026-06-08", then))
    assert answers("Where do I live at the moment?", *memories) == [now]
    assert answers("When am I moving to Arles?", *memories)[:1] == [then]


@pytest.mark.parametrize(
    ("past", "present"),
    [
        ("Where did I live?", "Where do I live"),
        ("What was my diet", "What is my diet"),
        ("What could I not eat?", "What can I not eat"),
        ("Which pets did I have", "Which pets do I have"),
    ],
)
def test_a_question_about_a_day_is_put_as_one_about_now(past: str, present: str) -> None:
    assert in_present(past) == present


@pytest.mark.parametrize("question", ["6月3号的时候，我住在哪里？", "6月3日时，外婆打算什么时候来？"])
def test_a_day_with_its_time_word_asks_how_things_stood_then(question: str) -> None:
    found = as_of(asked(question), View(today="2026-06-10"))
    assert found is not None
    assert found[1] == "2026-06-03"
