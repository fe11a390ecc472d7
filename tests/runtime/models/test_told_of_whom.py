"""The offline model tells what is known of whom it is asked about, and of several memories the one that holds now."""

from __future__ import annotations

import pytest

from pagekeeper.runtime.models.offline.subjects import fits
from pagekeeper.tests.runtime.models.test_as_of import asked


def notes(*texts: str) -> str:
    """The memories as a search lists them, each told a day after the one before it."""
    return "\n".join(f"- [p-{n}] 2026-04-{n:02} (score 0.6) fact: {text}" for n, text in enumerate(texts, 1))


def says(words: str, *texts: str) -> str:
    return str(asked(words, notes(*texts))[-1]["says"])


def last_word(text: str) -> str:
    """The value that a memory of these ends with."""
    plain = text.rstrip(".。了").removesuffix(" now")
    return plain.rpartition(" ")[2] if plain.isascii() else plain[-2:]


@pytest.mark.parametrize(
    ("words", "of_it", "of_another"),
    [
        ("Where do I live?", "The user lives in Porto.", "Rufus lives in Ghent."),
        ("Where do I live?", "The user lives in Porto.", "Rufus lives by the sea, so we meet in Ghent."),
        ("Where does Rufus live?", "Rufus lives in Ghent.", "The user's aunt Olga lives in Porto."),
        ("Where does Olga live?", "The user's aunt Olga lives in Porto.", "The user lives in Ghent."),
        ("What does Olga do for a living?", "The user's aunt Olga is a plumber.", "Olga's husband Pim is a dentist."),
        ("What does Pim do for a living?", "Olga's husband Pim is a dentist.", "The user's aunt Olga is a plumber."),
        ("Which database does Heron use?", "Heron's database is Redis.", "Wren's database is MySQL."),
        ("小马住在哪里？", "用户表哥小马住在青岛。", "用户表姐小周住在昆明。"),
        ("我住在哪里？", "用户住在青岛。", "小周住在昆明。"),
    ],
)
def test_a_memory_of_whom_is_asked_about_is_told_and_not_one_of_another(
    words: str, of_it: str, of_another: str
) -> None:
    for texts in ((of_it, of_another), (of_another, of_it)):
        said = says(words, *texts)
        assert last_word(of_it) in said
        assert last_word(of_another) not in said


def test_whose_a_thing_is_counts_as_well() -> None:
    assert fits("Who is Rex's vet?", "Rex's vet is Dr Lund.") > fits("Who is Rex's vet?", "Tom's vet is Dr Berg.")
    assert fits("Where does Olga work?", "Olga works at Kiln.") > fits("Where does Olga work?", "Olga's son Jan works.")


@pytest.mark.parametrize(
    ("words", "before", "now"),
    [
        ("Which shifts does Pim work?", "The user's uncle Pim works shifts, by night.", "Pim is on shifts by day now."),
        ("What does Heron keep its data in?", "Heron keeps its data in Redis.", "Heron keeps its data in MySQL now."),
        ("When is the sales call?", "The sales call is on Monday at nine.", "The sales call is on Friday at ten."),
        ("Where does Olga live?", "The user's aunt Olga lives in Porto.", "News from Olga: she moved to Ghent."),
        ("When is the fair planned for?", "The fair is planned for 3 June.", "We have put off the fair to 9 July."),
        ("小马住在哪里？", "小马住在青岛。", "小马搬到昆明了。"),
        ("例会是几点？", "例会是每周一上午九点。", "例会改到周三下午四点。"),
    ],
)
def test_what_a_later_memory_took_the_place_of_is_not_told_beside_it(words: str, before: str, now: str) -> None:
    said = says(words, before, now)
    assert last_word(now) in said
    assert last_word(before) not in said


def test_a_line_in_view_is_not_told_where_a_later_memory_says_that_it_is_over() -> None:
    line = "The user's aunt Olga lives in Porto."
    known = notes("News from Olga: she moved to Ghent.")
    assert "Porto" in asked("Where does Olga live?", "", line)[-1]["says"]
    assert "Porto" not in asked("Where does Olga live?", known, line)[-1]["says"]
    note = f'<memory at="2026-05-01T09:00:00Z">\n{notes("The user has moved to Ghent now.")}\n</memory>\n'
    mine = "The user lives in Porto."
    assert "Porto" in asked("Where do I live?", "", mine)[-1]["says"]
    assert "Porto" not in asked(f"{note}Where do I live?", "", mine)[-1]["says"]


def test_what_one_may_have_several_of_is_all_told() -> None:
    said = says("What am I allergic to?", "The user is allergic to walnuts.", "The user is allergic to cats.")
    assert "walnuts" in said
    assert "cats" in said
    both = says("我对什么过敏？", "用户对核桃过敏。", "用户对猫过敏。")
    assert "核桃" in both
    assert "猫" in both


def test_what_changed_for_somebody_else_ends_nothing() -> None:
    said = says("Where does Olga live?", "The user's aunt Olga lives in Porto.", "Rufus has moved to Ghent now.")
    assert "Porto" in said
    assert "Ghent" not in said


def test_what_changed_and_does_not_name_somebody_ends_nothing_of_that_one() -> None:
    known = ("Olga is a mother. Her daughter Jana was born in May.", "We have dropped the rule of names now.")
    assert "Jana" in says("What is the name of Olga's daughter?", *known)


def test_that_something_else_was_dropped_gives_no_other_value() -> None:
    known = (
        "The release of Heron is planned for 3 June.",
        "We have dropped the Monday rule, Heron may go live any day.",
    )
    assert "3 June" in says("When is the release of Heron planned for?", *known)


def test_a_call_is_a_thing_and_to_be_called_asks_for_a_name() -> None:
    said = says("When is the Heron call?", "The Heron release is on 3 June.", "The Heron call is on Tuesdays at six.")
    assert "Tuesdays" in said
    assert "June" not in said
    assert "Rex" in says("What is my dog called?", "The user's dog is called Rex.", "The call is on Friday.")
