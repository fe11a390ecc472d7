"""Which memories become one: those that say the same of the same, and never two that only look alike."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pagekeeper.runtime.sleeptime.consolidating import merging
from pagekeeper.runtime.sleeptime.consolidating.merging import merges
from pagekeeper.runtime.sleeptime.known import Known

DAY = datetime(2026, 3, 1, tzinfo=UTC)


def known(id: str, text: str, **details: Any) -> Known:
    return Known(id, text, **{"basis": "stated", "created_at": DAY, **details})


def taste(id: str, text: str, value: str, **details: Any) -> Known:
    return known(id, text, **{"subject": "user", "attribute": "taste", "value": value, **details})


def merged(*memories: Known) -> dict[str, list[str]]:
    return {merge.into.id: sorted(one.id for one in merge.others) for merge in merges(memories)}


def test_the_same_words_are_one_and_the_older_one_stays() -> None:
    old, new = taste("p-old", "The user likes tea.", "tea"), taste("p-new", "User likes tea", "tea")
    assert merged(replace(new, created_at=DAY + timedelta(days=1)), old) == {"p-old": ["p-new"]}


def test_what_says_more_stays_for_what_says_less() -> None:
    less, more = taste("p-1", "The user likes tea.", "tea"), taste("p-2", "The user likes green tea.", "green tea")
    assert merged(less, more) == {"p-2": ["p-1"]}


def test_the_same_value_in_similar_words_is_one() -> None:
    one = taste("p-1", "The user loves sailing at weekends.", "sailing")
    two = taste("p-2", "The user enjoys sailing at weekends.", "sailing")
    assert merged(one, two) in ({"p-1": ["p-2"]}, {"p-2": ["p-1"]})


def test_what_does_not_say_what_it_tells_is_one_by_its_words_alone() -> None:
    bare, told = known("p-1", "The user likes tea."), taste("p-2", "The user likes tea.", "tea")
    assert merged(bare, told) == {"p-2": ["p-1"]}
    assert merged(known("p-3", "The user likes green tea."), told) == {}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (taste("p-1", "The user likes tea.", "tea"), taste("p-2", "The user does not like tea.", "tea")),
        (taste("p-1", "The user has 2 cats.", "cats"), taste("p-2", "The user has 3 cats.", "cats")),
        (taste("p-1", "The user likes tea.", "tea"), taste("p-2", "The user likes coffee.", "coffee")),
        (
            known("p-1", "Ana lives in Porto.", subject="Ana", attribute="home", value="Porto"),
            known("p-2", "Bo lives in Porto.", subject="Bo", attribute="home", value="Porto"),
        ),
        (
            known("p-1", "Lives in Porto.", subject="Ana", attribute="home", value="Porto"),
            known("p-2", "Lives in Porto.", subject="Bo", attribute="home", value="Porto"),
        ),
        (known("p-1", "Lives in Porto.", subject="Ana"), known("p-2", "Lives in Porto.", subject="Bo")),
        (
            taste("p-1", "The user likes tea.", "tea"),
            taste("p-2", "The user likes tea.", "tea", valid_to=DAY + timedelta(days=9)),
        ),
        (
            known("p-1", "The user ran a marathon.", kind="episode", event_time=DAY),
            known("p-2", "The user ran a marathon.", kind="episode", event_time=DAY + timedelta(days=30)),
        ),
        (
            known("p-1", "The user ran a marathon.", kind="episode", event_time=DAY),
            known("p-2", "The user ran a marathon in Porto.", kind="episode", event_time=DAY),
        ),
        (known("p-1", "The user sails."), known("p-2", "The user sails.", kind="episode", event_time=DAY)),
        (known("p-1", "—"), known("p-2", "…")),
    ],
    ids=[
        *("negation", "number", "value", "subject", "subject with the same words", "subject without attribute"),
        *("interval", "day", "episode of more words", "kind", "no words"),
    ],
)
def test_what_differs_stays_apart(one: Known, two: Known) -> None:
    assert merged(one, two) == {}
    assert merged(two, one) == {}


def test_what_was_written_by_hand_stays_as_it_is() -> None:
    hand = taste("p-hand", "The user likes tea.", "tea", writer="user")
    assert merged(taste("p-1", "The user likes tea.", "tea"), hand) == {"p-hand": ["p-1"]}
    assert merged(taste("p-1", "The user likes green tea.", "green tea"), hand) == {}
    assert merged(hand, replace(hand, id="p-too")) == {}


def test_what_was_inferred_gives_way_to_what_was_said() -> None:
    guess = taste("p-1", "The user likes tea.", "tea", basis="inferred")
    assert merged(guess, taste("p-2", "The user likes tea.", "tea")) == {"p-2": ["p-1"]}


def test_many_are_one() -> None:
    assert merged(*(taste(f"p-{n}", "The user likes tea.", "tea") for n in range(4))) == {"p-0": ["p-1", "p-2", "p-3"]}


def test_of_many_only_those_are_compared_that_may_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    before = merging._is_one

    def count(*given: Any) -> bool:
        nonlocal compared
        compared += 1
        return before(*given)

    monkeypatch.setattr(merging, "_is_one", count)
    many = [taste(f"p-{n}", f"The user likes dish{n} with sauce{n % 50}.", f"dish{n}") for n in range(1000)]
    assert merged(*many, taste("p-last", "The user likes dish7.", "dish7")) == {"p-7": ["p-last"]}
    assert compared < 1000
