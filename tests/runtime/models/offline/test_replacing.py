"""Whose place something that is told takes: never that of what is about another, or holds until then."""

from __future__ import annotations

import pytest

from pagekeeper.runtime.models.offline.acts import Told
from pagekeeper.runtime.models.offline.hearing import hear
from pagekeeper.runtime.models.offline.items import Item
from pagekeeper.runtime.models.offline.replacing import replaced
from pagekeeper.runtime.models.offline.view import View


def taken(said: str, *known: str) -> str | None:
    """Which of the lines in a block what was said takes the place of, on 10 June 2026."""
    (told,) = (act for act in hear(said) if isinstance(act, Told))
    found = replaced(told, View(today="2026-06-10"), [Item("block", "human", line) for line in known])
    return found.text if found else None


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Theo works for a glazier in Arles now.", "The user is a nurse at the Elm Clinic."),
        ("We moved Heron's repository to Codeberg.", "The user moved to Helix this week."),
        ("I've moved to Helix.", "The user is moving to Arles on 18 June."),
        ("We moved Heron's repository to Codeberg.", "The user lives in Nice."),
        ("Ms Ortiz has retired, sadly.", "Ben has cello lessons with Ms Ortiz on Fridays."),
        ("We're moving to Arles on 1 July.", "The user lives in Nice."),
    ],
)
def test_what_is_of_another_or_holds_till_then_stays(said: str, known: str) -> None:
    assert taken(said, known) is None


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I moved to Arles last week.", "The user lives in Nice."),
        ("We've switched Heron's database to MySQL.", "Heron's database is SQLite."),
        ("We switched from SQLite to MySQL.", "We decided to use SQLite."),
        ("Theo works at the Gild Museum now.", "The user's partner Theo works at the Loom Archive."),
    ],
)
def test_what_is_of_the_same_gives_way(said: str, known: str) -> None:
    assert taken(said, "The user's sister is called Olga.", known) == known


def test_a_negated_rest_is_no_new_value() -> None:
    assert not [act for act in hear("nah, won't send it") if isinstance(act, Told)]


def test_who_moved_is_not_the_place() -> None:
    said = "My sister Olga moved to Arles last week."
    assert [act.text for act in hear(said) if isinstance(act, Told)] == [said.rstrip(".")]
