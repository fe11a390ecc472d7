"""Near-duplicates: one of them is shown, and a memory rather than a message that says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.ranking.twins import without_twins
from pagekeeper.tests.support.archives import Home, put, scope

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
    assert without_twins(texts, limit, kept) == places


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
