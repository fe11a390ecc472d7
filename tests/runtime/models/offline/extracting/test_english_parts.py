"""The parts by which English is read: what is told by the way, in fragments or by pointing back, and the predicate."""

from __future__ import annotations

from datetime import datetime

import pytest

from pagekeeper.runtime.models.offline.extracting.answers import completed
from pagekeeper.runtime.models.offline.extracting.claim import Claim, Entry
from pagekeeper.runtime.models.offline.extracting.english_asides import apart
from pagekeeper.runtime.models.offline.extracting.english_context import in_context
from pagekeeper.runtime.models.offline.extracting.english_endings import dropped, resumed
from pagekeeper.runtime.models.offline.extracting.english_fragments import introduced, labelled
from pagekeeper.runtime.models.offline.extracting.english_predicate import predicate
from pagekeeper.runtime.models.offline.extracting.english_whole import stands
from pagekeeper.runtime.models.offline.extracting.english_wishes import keep_that, wish
from pagekeeper.runtime.models.offline.extracting.scene import Scene

ENTRY = Entry(1, "user", datetime(2026, 3, 18, 10), "")


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (
            "my neighbour Gerda, who is 88, broke her hip last week",
            ["my neighbour Gerda broke her hip last week", "My neighbour Gerda is 88"],
        ),
        ("my accountant (Ms Ruiz) needs the receipts", ["my accountant Ms Ruiz needs the receipts"]),
        (
            "my cousin Bertie, the pilot, is scared of ladders",
            ["my cousin Bertie is scared of ladders", "My cousin Bertie is the pilot"],
        ),
        ("We adopted Salt (she is deaf) from a shelter", ["We adopted Salt from a shelter", "she is deaf"]),
        ("write a poem about a man from Leeds who is lost", ["write a poem about a man from Leeds who is lost"]),
        ("I live in Ghent", ["I live in Ghent"]),
    ],
)
def test_what_is_told_by_the_way_is_a_statement_of_its_own(said: str, parts: list[str]) -> None:
    assert apart(said) == parts


@pytest.mark.parametrize(
    ("said", "statements"),
    [
        (
            "Short version of me: Priya, 34, product manager at Lumenwave, two kids, vegetarian",
            [
                "My name is Priya",
                "I am 34 years old",
                "I am a product manager at Lumenwave",
                "I have two kids",
                "I am vegetarian",
            ],
        ),
        (
            "I am Joris, structural engineer at a firm called Beam & Baker, based in Utrecht",
            ["I am Joris", "I am a structural engineer at a firm called Beam & Baker", "I am based in Utrecht"],
        ),
        ("I am Joris, what can you do", []),
        ("Two eggs, three onions, salt", []),
    ],
)
def test_who_introduces_themselves_by_fragments_tells_as_many_facts(said: str, statements: list[str]) -> None:
    assert introduced(said) == statements


@pytest.mark.parametrize(
    ("said", "statement"),
    [
        ("Allergies: penicillin, latex", "My allergies are penicillin, latex"),
        ("Blood type 0 negative", "My blood type is 0 negative"),
        ("New number from today: 555-0182", "My new number is now 555-0182"),
        ("Error: no such file", ""),
    ],
)
def test_a_label_and_its_value_are_a_statement(said: str, statement: str) -> None:
    assert labelled(said) == statement


@pytest.mark.parametrize(
    ("before", "said", "whole"),
    [
        ("How do I pronounce Llanelli", "My in-laws live there", "My in-laws live in Llanelli"),
        ("Do you know Tallinn", "My sister moved there last year", "My sister moved to Tallinn last year"),
        ("What is your favourite colour", "mine's green", "My favourite colour is green"),
        ("Who would look after a tortoise for a week", "Ours is called Gordon", "My tortoise is called Gordon"),
        ("Add an example in TypeScript", "That is what we use at work", "we use TypeScript at work"),
        ("", "My in-laws live there", "My in-laws live there"),
    ],
)
def test_what_points_back_is_said_in_so_many_words(before: str, said: str, whole: str) -> None:
    assert in_context(said, Scene(before=before)) == whole


@pytest.mark.parametrize(
    ("said", "tense", "verb", "rest", "negated"),
    [
        ("I live in Ghent", "present", "live", "in Ghent", False),
        ("I do not drive", "present", "drive", "", True),
        ("I am no longer vegan", "present", "be", "vegan", True),
        ("I have two cats", "present", "have", "two cats", False),
        ("I have never smoked", "perfect", "smoked", "", True),
        ("I have been living here for years", "perfect", "living", "here for years", False),
        ("I am learning Turkish", "doing", "learning", "Turkish", False),
        ("I am going to move", "future", "move", "", False),
        ("I cannot swim", "modal", "swim", "", True),
        ("I was made head chef", "past", "be", "made head chef", False),
    ],
)
def test_a_predicate_is_known_by_its_tense_and_verb(said: str, tense: str, verb: str, rest: str, negated: bool) -> None:
    told = predicate(said)
    assert told is not None
    assert (told.tense, told.verb, told.rest, told.negated) == (tense, verb, rest, negated)


def test_what_is_no_clause_of_the_first_person_has_no_predicate() -> None:
    assert predicate("my cat is old") is None
    assert predicate("I") is None


@pytest.mark.parametrize(
    ("said", "subject", "over"),
    [
        ("I ripped Redis out of Plover", "user", "Redis"),
        ("I have pulled out of the marathon", "user", "the marathon"),
        ("I am done with nursing", "user", "nursing"),
        ("Leipzig is history", "Leipzig", "Leipzig"),
        ("my old car is history", "old car", "old car"),
        ("I live in Leipzig", "user", ""),
    ],
)
def test_what_is_over_is_found_in_whatever_words(said: str, subject: str, over: str) -> None:
    assert dropped(Claim(said, said, "en", ENTRY, subject=subject)) == over


def test_what_was_given_up_may_be_back() -> None:
    assert resumed(Claim("sugar is back on the menu", "my sugar is back on the menu", "en", ENTRY, "sugar")) != ""
    assert resumed(Claim("I have been eating fish again", "I have been eating fish again", "en", ENTRY)) == "fish"
    assert resumed(Claim("my back is fine", "my back is fine", "en", ENTRY, "back")) == ""


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("half my family lives in Buenos Aires", True),
        ("our landlord wants the rent on the first of the month", True),
        ("the hall downstairs belongs to our choir", True),
        ("the soup was cold when I tasted it", False),
        ("your second answer suits my mother", False),
        ("this draft is what my boss asked for", False),
        ("maybe my aunt lives in Oslo", False),
        ("I agree with my boss", False),
        ("trams run every ten minutes", False),
    ],
)
def test_a_sentence_is_kept_as_it_stands_only_where_it_is_the_users_and_not_of_the_moment(
    said: str, kept: bool
) -> None:
    assert stands(said, ENTRY) is kept


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("I would rather you answered in German from now on", "I want the assistant to answer in German from now on"),
        (
            "could you stop using bullet points in every answer",
            "I want the assistant to stop using bullet points in every answer",
        ),
        (
            "When you compare trains for me: window seat, always",
            "I want, when the assistant compares trains for me: window seat, always",
        ),
        ("write it in German", None),
        ("Please make this answer shorter", None),
    ],
)
def test_a_wish_for_good_is_told_from_one_for_this_answer(said: str, wanted: str | None) -> None:
    claim = wish(said, ENTRY)
    assert (claim.text if claim else None) == wanted


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("Keep that in mind for the reports", True),
        ("write that down for me", True),
        ("Store that please, it might be important", True),
        ("Remember this please: the code is 4471", False),
        ("Keep that tone", False),
    ],
)
def test_what_asks_to_keep_the_sentence_before_is_no_fact_itself(said: str, asks: bool) -> None:
    assert keep_that(said) is asks


@pytest.mark.parametrize(
    ("question", "answer", "whole"),
    [
        (
            "Do you have children?",
            "Two girls, Ada is nine and Wren is four",
            "I have Two girls. Ada is nine and Wren is four",
        ),
        ("Do you keep quails?", "Six of them, in the back garden!", "I keep six quails, in the back garden. "),
        ("What kind of role?", "senior data analyst at a bank", "The role is senior data analyst at a bank. "),
        ("What do you want it for?", "training for a marathon", "I am training for a marathon. "),
    ],
)
def test_a_fragment_answers_what_was_asked(question: str, answer: str, whole: str) -> None:
    assert completed(question, answer) == whole
