"""Which lines of the block `human` change, given the facts: what is out of date, what it lacks, and what stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.core.edit import Append, Replace
from pagekeeper.runtime.sleeptime.consolidating.human import Fact, Update, update
from pagekeeper.runtime.sleeptime.consolidating.lines import Line, Written, applied, change_line
from pagekeeper.runtime.sleeptime.known import Known

DAY = datetime(2026, 3, 1, tzinfo=UTC)
HEAD = "What I know about the user:"


def fact(text: str, attribute: str, value: str, **details: Any) -> Fact:
    """A fact that holds, since the event 10."""
    own = {name: details.pop(name) for name in ("subject",) if name in details}
    known = Known(
        f"p-{value}", text, **{"subject": "user", **own}, attribute=attribute, value=value, created_at=DAY, version=10
    )
    return Fact(known, **{"holds": True, "worth": 0.5, **details})


PORTO = fact("The user lives in Porto.", "home", "Porto")
LISBON = fact("The user lives in Lisbon.", "home", "Lisbon")
MOVED = replace(PORTO, holds=False, over=True, by=LISBON.known)
ENDED = replace(PORTO, holds=False, over=True)


def made(lines: list[str], *facts: Fact, writer: str = "agent", seq: int = 5, limit: int = 5000, **details: Any) -> Any:
    """What becomes of a block with these lines, and the counts."""
    value = "\n".join(lines)
    written = Written([Line(line, writer, seq) for line in lines], details.get("former", frozenset()))
    found: Update = update(value, limit, written, facts)
    for edit in found.edits:
        if isinstance(edit, Replace):
            assert value.count(edit.old) == 1
        value = applied(value, edit)
    return value.split("\n"), dict(found.counts)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The user lives in Porto.", "The user lives in Lisbon."),
        ("- Lives in Porto", "- The user lives in Lisbon."),
        ("Ada lives in Porto.", "The user lives in Lisbon."),
        ("Lives in Porto with Ana.", "Lives in Lisbon with Ana."),
        ("住在 Porto，喜欢喝茶", "住在 Lisbon，喜欢喝茶"),
        ("Works at Kiln, lives in Porto, sails", "Works at Kiln, lives in Lisbon, sails"),
    ],
)
def test_what_superseded_a_fact_replaces_its_line(before: str, after: str) -> None:
    name = fact("The user's name is Ada.", "name", "Ada")
    moved = replace(MOVED, known=replace(PORTO.known, text="用户住在 Porto。")) if before.startswith("住") else MOVED
    assert made([HEAD, before, "Sails."], moved, LISBON, name) == ([HEAD, after, "Sails."], {"replaced in human": 1})


def test_a_line_whose_fact_ended_goes() -> None:
    assert made([HEAD, "Lives in Porto.", "Sails."], ENDED) == ([HEAD, "Sails."], {"removed from human": 1})


def test_a_line_goes_where_what_superseded_it_stands_already() -> None:
    lines = ["Lives in Porto.", "The user lives in Lisbon."]
    assert made(lines, MOVED, LISBON) == (["The user lives in Lisbon."], {"removed from human": 1})


def test_what_the_user_wrote_stays_and_is_counted() -> None:
    lines = ["Lives in Porto."]
    assert made(lines, MOVED, LISBON, writer="user") == (lines, {"left in human: by hand": 1})


def test_a_line_that_came_after_the_fact_had_changed_is_newer_than_it() -> None:
    lines = ["Lives in Porto."]
    assert made(lines, MOVED, LISBON, seq=11) == (lines, {})


def test_a_state_that_has_returned_stands() -> None:
    again = replace(PORTO, known=replace(PORTO.known, id="p-again"))
    assert made(["Lives in Porto."], ENDED, again) == (["Lives in Porto."], {})


@pytest.mark.parametrize(
    "line",
    [
        "Ana lives in Porto.",
        "Does not live in Porto.",
        "Ana lives in Braga and the office is in Porto.",
        "Porto",
        "Likes Porto and port wine.",
        HEAD,
        "",
    ],
)
def test_a_line_that_says_something_else_stays(line: str) -> None:
    assert made([line], ENDED) == ([line], {})
    assert made([line], MOVED, LISBON) == ([line], {})


def test_a_longer_name_is_not_cut() -> None:
    lines = ["Lives in Porto Alegre with Ana."]
    assert made(lines, MOVED, LISBON) == (lines, {"left in human: holds more": 1})


def test_a_line_that_holds_more_is_not_removed_but_counted() -> None:
    lines = ["Lives in Porto with Ana."]
    assert made(lines, ENDED) == (lines, {"left in human: holds more": 1})


def test_a_fact_that_matters_is_added() -> None:
    allergy = fact("The user is allergic to peanuts.", "allergy", "peanuts", worth=0.9)
    assert made([HEAD], allergy) == ([HEAD, "The user is allergic to peanuts."], {"added to human": 1})


@pytest.mark.parametrize(
    ("lines", "former"),
    [
        ([HEAD, "Allergic to peanuts!"], ()),
        ([HEAD, "No peanuts for Ada"], ()),
        ([HEAD], ("The user is allergic to peanuts.",)),
        ([HEAD], ("- allergic to peanuts, and cats",)),
    ],
    ids=["there", "in other words", "removed", "removed with more"],
)
def test_what_stands_there_or_was_removed_is_not_added(lines: list[str], former: tuple[str, ...]) -> None:
    allergy = fact("The user is allergic to peanuts.", "allergy", "peanuts", worth=0.9)
    assert made(lines, allergy, former=frozenset(former)) == (lines, {})


@pytest.mark.parametrize(
    "changes",
    [
        {"worth": 0.6},
        {"sure": False},
        {"holds": False},
        {"known": replace(PORTO.known, subject="Ana")},
        {"known": replace(PORTO.known, attribute="plan")},
        {"known": replace(PORTO.known, text="The user lives in Porto.\n- and rules the agent")},
    ],
    ids=["unimportant", "unsure", "past", "of another", "of a passing kind", "several lines"],
)
def test_other_facts_are_not_added(changes: dict[str, Any]) -> None:
    assert made([HEAD], replace(replace(PORTO, worth=0.9), **changes)) == ([HEAD], {})


def test_it_is_added_only_where_it_fits_and_the_weightiest_come_first() -> None:
    allergy = fact("The user is allergic to peanuts.", "allergy", "peanuts", worth=1.0)
    home = replace(PORTO, worth=0.8)
    room = len(HEAD) + 1 + len(allergy.known.text)
    lines, counts = made([HEAD], home, allergy, limit=room * 10 // 9 + 1)
    assert (lines, counts) == ([HEAD, allergy.known.text], {"added to human": 1, "no room in human": 1})


def test_only_a_few_are_added_at_once() -> None:
    many = [fact(f"The user likes dish {n}.", "taste", f"dish {n}", worth=0.8) for n in range(9)]
    assert made([HEAD], *many)[1] == {"added to human": 5}


def test_a_replacement_that_does_not_fit_is_dropped_visibly() -> None:
    long = fact("The user lives in Lisbon, near the river.", "home", "Lisbon")
    lines = ["Lives in Porto."]
    assert made(lines, replace(MOVED, by=long.known), long, limit=20) == (lines, {"no room in human": 1})


def test_an_edit_of_an_empty_block_is_a_line() -> None:
    found = update("", 5000, Written([], frozenset()), [replace(PORTO, worth=0.9)])
    assert found.edits == [Append("The user lives in Porto.")]


LINE = st.sampled_from(["", "a", "aa", "b", "a b", "- a"])


@given(st.lists(LINE, min_size=1, max_size=8), st.data())
def test_the_edit_of_a_line_changes_that_line_alone(lines: list[str], data: st.DataObject) -> None:
    value, place = "\n".join(lines), data.draw(st.integers(0, len(lines) - 1))
    new = data.draw(st.none() | LINE)
    edit = change_line(value, place, new)
    wanted = "\n".join([*lines[:place], *([] if new is None else [new]), *lines[place + 1 :]])
    assert applied(value, edit) == wanted
    if edit.old:
        assert sum(value.startswith(edit.old, at) for at in range(len(value))) == 1
