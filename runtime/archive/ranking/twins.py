"""Near-duplicates: what says again, in nearly the same words, what a better result says."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")

SHARE = 0.9
"""Two texts are one if they have this share of their words in common ..."""
_NEGATIONS = frozenset("not no never dont don t isn aren wasn won can cannot 不 没 没有 无 别".split())  # noqa: SIM905


def without_twins(texts: Sequence[str], limit: int) -> list[int]:
    """The places of the first `limit` texts that say something new. Stop words count: "not" makes the difference."""
    chosen: list[int] = []
    seen: list[set[str]] = []
    for place, text in enumerate(texts):
        if len(chosen) == limit:
            break
        words = _words(text)
        if not any(_alike(words, others) for others in seen):
            chosen.append(place)
            seen.append(words)
    return chosen


def alike(a: str, b: str) -> bool:
    """Whether two texts say the same in nearly the same words, so that a search shows but one of them."""
    return _alike(_words(a), _words(b))


def _words(text: str) -> set[str]:
    found = _WORD.findall(text.casefold())
    # A run without spaces (Chinese) is compared by its pairs of characters.
    return {pair for word in found for pair in (_pairs(word) if not word.isascii() else (word,))} or {text}


def _pairs(word: str) -> list[str]:
    return [word[i : i + 2] for i in range(len(word) - 1)] or [word]


def _alike(a: set[str], b: set[str]) -> bool:
    if (a ^ b) & _NEGATIONS or any(pair[0] in "不没无别" for pair in a ^ b):
        return False
    return len(a & b) >= SHARE * len(a | b)
