"""What a question leaves to the messages before it is added to it."""

from __future__ import annotations

import pytest

from pagekeeper.runtime.recall.people import names, people
from pagekeeper.runtime.recall.rewriting import Said, rewritten


def talk(*texts: str) -> list[Said]:
    """Messages of the user and the assistant in turn."""
    return [Said("assistant" if place % 2 else "user", text) for place, text in enumerate(texts)]


SISTER = talk("My sister Ana moved to Rome.", "Noted.")
BIRTHDAY = talk("My sister Ana has a birthday in May.", "Noted.", "When is my birthday?", "On 3 June.")
HOME = talk("Where do I live?", "You live in Porto.")
XIAOMEI = talk("我的姐姐叫小美，她住在上海", "记住了", "我的生日是什么时候？", "六月三日")


@pytest.mark.parametrize(
    ("words", "before", "whole"),
    [
        ("What is her job?", SISTER, "What is her job?\nsister Ana"),
        ("Where does he work?", talk("I met Bob yesterday", "Nice"), "Where does he work?\nBob"),
        ("How old is he?", talk("My dog Rex is ill.", "Sorry."), "How old is he?\ndog Rex"),
        ("When did they marry?", talk("My parents live in Faro.", "Noted."), "When did they marry?\nparent"),
        ("她住在哪里？", talk("我的姐姐叫小美", "记住了"), "她住在哪里？\n姐姐 小美"),
        (
            "Does he like fish?",
            talk("My sister Ana moved to Rome, my brother Tom stayed.", "Noted."),
            "Does he like fish?\nbrother Tom",
        ),
    ],
)
def test_a_pronoun_means_of_whom_was_spoken(words: str, before: list[Said], whole: str) -> None:
    assert rewritten(words, before) == whole


@pytest.mark.parametrize(
    ("words", "before", "whole"),
    [
        ("And before that?", HOME, "Where do I live?\nAnd before that?"),
        ("在那之前呢？", talk("我住在哪里？", "上海"), "我住在哪里？\n在那之前呢？"),
        ("Why?", talk("We chose PostgreSQL for Kiln.", "Noted."), "We chose PostgreSQL for Kiln.\nWhy?"),
        ("What about hers?", BIRTHDAY, "When is my birthday?\nWhat about hers?\nsister Ana"),
        ("那她呢？", XIAOMEI, "我的生日是什么时候？\n那她呢？\n姐姐 小美"),
        ("What about Ana?", talk("Where does Bob live?", "Braga"), "Where does live?\nWhat about Ana?"),
        ("And my brother?", talk("Where does my sister live?", "Rome"), "Where does my live?\nAnd my brother?"),
        (
            "And before that?",
            [*HOME, *talk("And before that?", "Braga.")],
            "Where do I live?\nAnd before that?\nAnd before that?",
        ),
    ],
)
def test_a_question_that_goes_on_takes_the_one_before_it_along(words: str, before: list[Said], whole: str) -> None:
    assert rewritten(words, before) == whole


def test_it_is_what_was_spoken_of() -> None:
    before = talk("We chose PostgreSQL for Kiln.", "Noted.")
    assert (
        rewritten("Which version of it do we use?", before) == "Which version of it do we use?\nchose PostgreSQL Kiln"
    )


@pytest.mark.parametrize(
    "words",
    [
        "What am I allergic to?",
        "Is it raining in my home town?",
        "My mother likes her job, what is it?",
        "我对什么过敏？",
        "It has been a long day, and " + "the project goes on and on " * 20,
    ],
)
def test_what_stands_by_itself_stays_as_it_is(words: str) -> None:
    assert rewritten(words, SISTER) == words
    assert rewritten(words, []) == words


def test_people_and_names_are_told_from_other_words() -> None:
    assert people("My sister, Ana, and my uncles met my boss called Grace Hopper.") == [
        *("sister Ana", "uncle", "boss Grace Hopper")
    ]
    assert names("Yesterday Bob and Mary-Jane O'Neill called. Nothing else. Dinner was at Kiln.") == [
        *("Bob", "Mary-Jane O'Neill", "Kiln")
    ]
    assert names("On Monday I was tired. What did I do?") == []
