"""Near-duplicates: one is shown first or alone, and a memory rather than a message that says the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.ranking.twins import Told, without_twins
from pagekeeper.tests.support.archives import Home, put, scope

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SAYS = "The deploy key is in the blue bowl"


@pytest.mark.parametrize(
    ("texts", "limit", "kept", "places"),
    [
        (["a b", "a b.", "c"], 3, [], [0, 2]),
        (["a b", "a b.", "c"], 1, [], [0]),
        (["a b", "c", "A b!"], 3, [2], [2, 1]),
        (["a b", "c", "A b!"], 1, [2], [2]),  # also where it comes after the last that is shown
        (["a b", "c", "d", "A b!"], 2, [3], [3, 1]),
        (["a b", "A b!", "a, b"], 3, [1, 2], [1]),  # the better of two memories
        (["a b", "A b!"], 2, [0], [0]),
        (["a b", "not a b"], 2, [1], [0, 1]),
        (["我住在柏林", "我住在柏林。"], 2, [1], [1]),
        (["我喜欢茶", "我不喜欢茶"], 2, [1], [0, 1]),
        ([], 2, [], []),
    ],
)
def test_which_of_several_that_say_the_same(texts: list[str], limit: int, kept: list[int], places: list[int]) -> None:
    ones = [Told(text, -float(place), None, place in kept) for place, text in enumerate(texts)]
    assert without_twins(ones, limit, 1.0) == [(place, False) for place in places]


def test_a_twin_that_is_a_fact_is_left_out() -> None:
    ones = [
        Told("Ada likes tea.", 5.0, None),
        Told("ada likes tea", 4.0, None),
        Told("Ada does not like tea.", 3.0, None),
    ]
    assert without_twins(ones, 10, 1.0) == [(0, False), (2, False)]


def test_a_twin_of_another_time_loses_and_may_fall_behind_the_cut() -> None:
    later = NOON + timedelta(days=1)
    ones = [
        Told("We ran.", 5.0, NOON),
        Told("We ran.", 4.5, later),
        Told("We swam.", 4.0, NOON),
        Told("We ran.", 3.9, later),
    ]
    assert without_twins(ones, 10, 1.0) == [(0, False), (2, False), (1, True)]
    assert without_twins(ones, 10, 0.0) == [(0, False), (1, True), (2, False)]
    assert without_twins(ones, 2, 1.0) == [(0, False), (2, False)]
    assert without_twins(ones, 0, 1.0) == []


def test_a_memory_stands_for_the_messages_that_say_the_same() -> None:
    later = NOON + timedelta(days=1)
    ones = [
        Told("Ada ran.", 5.0, NOON),
        Told("Ada ran.", 4.9, later),
        Told("Bob swam.", 3.0, NOON),
        Told("Ada ran!", 2.0, None, kept=True),
        Told("Ada ran.", 1.0, later),
    ]
    assert without_twins(ones, 10, 1.0) == [(3, False), (2, False)]
    assert without_twins(ones, 1, 1.0) == [(3, False)]


@pytest.mark.parametrize("limit", [2, 10])
async def test_a_memory_is_shown_rather_than_the_message_it_comes_from(tmp_path: Path, limit: int) -> None:
    home = Home(tmp_path / "home")
    async with home.archive() as archive:
        (kept,) = await put(archive, scope(), [f"{SAYS}."])
        await put(archive, scope(), ["The red car was bought from a neighbour.", "A bowl of soup."])
        await home.say(scope(), SAYS, "Noted.", f"{SAYS}!", "What is for lunch?")
        found = await archive.search(Query(scope(), "deploy key", limit=limit))
        assert [hit.id for hit in found if hit.text.startswith(SAYS)] == [kept]
        assert found[0].id == kept
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        said = await archive.search(Query(scope(), "deploy key", tables=("message",), limit=limit))
        assert [hit.text.startswith(SAYS) for hit in said].count(True) == 1
    home.journal.close()
