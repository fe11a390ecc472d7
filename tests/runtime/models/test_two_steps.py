"""The offline model finds first whom or what a question describes, and asks again with the name."""

from __future__ import annotations

from typing import Any

import pytest

from pagekeeper.runtime.models.offline.acts import Asked
from pagekeeper.runtime.models.offline.described import description
from pagekeeper.tests.runtime.models.test_as_of import asked
from pagekeeper.tests.runtime.models.test_told_of_whom import notes


@pytest.mark.parametrize(
    ("words", "described"),
    [
        ("Where does the neighbour with whom I sail live?", "the neighbour with whom I sail"),
        ("What is the son of my friend from the judo club called?", "my friend from the judo club"),
        ("When is the birthday of the plumber I share a flat with?", "the plumber I share a flat with"),
        ("What does the mother of Pim do for a living?", "the mother of Pim"),
        ("Which language is used for the tests of my bird atlas?", "my bird atlas"),
        ("Where does my aunt live?", None),
        ("Where do I live?", None),
        ("What is my phone number?", None),
        ("跟我一起划船的朋友住在哪里？", "跟我一起划船的朋友"),
        ("我住在哪里？", None),
    ],
)
def test_what_describes_somebody_is_found_in_a_question(words: str, described: str | None) -> None:
    found = description(Asked(words.rstrip("?？"), "en" if words.isascii() else "zh"))
    assert (found and found.text) == described


@pytest.mark.parametrize(
    ("words", "known", "answer", "wrong"),
    [
        (
            "Where does the neighbour with whom I sail live?",
            ("The user sails with the user's neighbour Bram.", "Bram lives in Ghent.", "Olga lives in Porto."),
            "Ghent",
            "Porto",
        ),
        (
            "When is the birthday of the plumber I share a flat with?",
            ("The user's flatmate Olga is a plumber.", "Olga's birthday is on 9 June.", "Bram's birthday is on 2 May."),
            "9 June",
            "2 May",
        ),
        (
            "What does the mother of Pim do for a living?",
            ("Olga is a mother. Her son Pim was born in March.", "Olga is a plumber.", "Bram is a dentist."),
            "plumber",
            "dentist",
        ),
        (
            "Which database does my bird atlas use?",
            ("The user builds a bird atlas called Heron.", "Heron uses Redis.", "Wren uses MySQL."),
            "Redis",
            "MySQL",
        ),
        (
            "跟我一起划船的朋友住在哪里？",
            ("用户跟朋友小马一起划船。", "小马住在青岛。", "小周住在昆明。"),
            "青岛",
            "昆明",
        ),
    ],
)
def test_it_asks_again_with_the_name(words: str, known: tuple[str, ...], answer: str, wrong: str) -> None:
    for texts in (known, known[::-1]):
        said = asked(words, notes(*texts))[-1]["says"]
        assert answer in said
        assert wrong not in said


def test_the_second_step_is_of_the_day_that_the_question_names() -> None:
    known = "- [p-1] 2026-04-02 (score 0.5) fact: The user sails with the user's neighbour Bram."
    before = "- [p-2] 2026-04-02 (score 0.5) fact, superseded, until 2026-04-18: Bram lives in Ghent."
    now = "- [p-3] 2026-04-18 (score 0.5) fact, since 2026-04-18: Bram lives in Porto."
    calls: list[dict[str, Any]]
    *calls, last = asked("Where did the neighbour with whom I sail live, as of 10 April?", f"{known}\n{before}\n{now}")
    assert ("Where did Bram live", "2026-04-10") in [(call["query"], call.get("as_of")) for call in calls]
    assert "Ghent" in last["says"]
    assert "Porto" not in last["says"]


def test_where_two_fit_the_description_no_name_is_taken() -> None:
    known = notes("The user sails with the user's neighbour Bram.", "The user sails with the user's neighbour Olga.")
    *calls, _ = asked("Where does the neighbour with whom I sail live?", known)
    assert not [call for call in calls if "Bram" in call["query"] or "Olga" in call["query"]]


def test_what_is_told_of_ones_partner_does_not_answer_for_oneself() -> None:
    known = ("The user's aunt Olga lives in Ghent.", "The user's aunt Olga's husband Pim works at Kiln.")
    said = asked("Where does my aunt work?", notes(*known, "Olga has a new job: she works at the Loom."))[-1]["says"]
    assert "Loom" in said
    assert "Kiln" not in said
