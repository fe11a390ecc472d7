"""Near-duplicates: what says again, in nearly the same words, what a better result says."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_WORD = re.compile(r"\w+")

SHARE = 0.9
"""Two texts are one if they have this share of their words in common ..."""
_NEGATIONS = frozenset("not no never dont don t isn aren wasn won can cannot 不 没 没有 无 别".split())  # noqa: SIM905


def without_twins(texts: Sequence[str], limit: int, kept: Collection[int] = ()) -> list[int]:
    """The places of the first `limit` texts that say something new. Stop words count: "not" makes the difference.

    Where one of those that are `kept`, which are memories, says the same as a better text that is not, it stands in
    that one's place: what was said is in the log anyway, and a memory has an id by which it is changed and forgotten.
    """
    chosen: list[int] = []
    seen: list[set[str]] = []
    rest = set(kept)
    for place, text in enumerate(texts):
        if len(chosen) >= limit and place not in rest:
            if not rest:
                break
            continue
        rest.discard(place)
        words = _words(text)
        twin = next((number for number, others in enumerate(seen) if _alike(words, others)), None)
        if twin is not None:
            if place in kept and chosen[twin] not in kept:
                chosen[twin] = place
        elif len(chosen) < limit:
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
