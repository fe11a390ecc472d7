"""BM25 to compare with."""

from __future__ import annotations

import math

import pytest

from pagekeeper.evaluation.baseline import BM25, K1, B, tokens


def test_tokens_are_words_and_chinese_characters_with_their_pairs() -> None:
    assert tokens("The GPT-4 书法展, ok") == ["the", "gpt", "4", "书", "法", "展", "书法", "法展", "ok"]


def test_a_score_is_as_the_formula_has_it() -> None:
    index = BM25(["red red blue", "green"])
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    norm = K1 * (1 - B + B * 3 / 2)
    assert index._score({"red": rarity}, 0) == pytest.approx(rarity * 2 * (K1 + 1) / (2 + norm))


def test_the_best_come_first_and_the_earlier_of_equals() -> None:
    index = BM25(["a blue boat", "a red boat", "a blue boat", "nothing"])
    assert index.best("blue boat", 10) == [0, 2, 1, 3]
    assert index.best("blue boat", 2) == [0, 2]
    assert BM25([]).best("blue", 3) == []
