"""Near-duplicates: what says again, in nearly the same words, what a better result says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_WORD = re.compile(r"\w+")

SHARE = 0.9
"""Two texts are one if they have this share of their words in common ..."""
_NEGATIONS = frozenset("not no never dont don t isn aren wasn won can cannot 不 没 没有 无 别".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Told:
    """A candidate with what it says."""

    text: str
    total: float
    """What it is ranked by."""
    moment: datetime | None
    """When it was said or happened; None for what just holds, and then says nothing new by being said again."""
    kept: bool = False
    """It is a memory among messages."""


@dataclass(slots=True, eq=False)
class _Chosen:
    place: int
    told: Told
    words: set[str]
    total: float
    twin: bool


def without_twins(ones: Sequence[Told], limit: int, loss: float) -> list[tuple[int, bool]]:
    """The best `limit` of `ones`, which come best first: the place of each, and whether it is a twin.

    What a better one says is left out; but what was said or happened again, at another time, loses `loss` and may come
    after what is new. Stop words count: "not" makes the difference.

    Where one that is `kept` says the same as a better one that is not, it stands in that one's place: what was said is
    in the log anyway, and a memory has an id by which it is changed and forgotten.
    """
    chosen: list[_Chosen] = []
    last = max((place for place, one in enumerate(ones) if one.kept), default=-1)
    for place, one in enumerate(ones):
        full = sum(other.total >= one.total for other in chosen) >= limit
        if full and place > last:
            break
        if full and not one.kept:
            continue
        words = _words(one.text)
        same = [other for other in chosen if _alike(words, other.words)]
        kept = any(other.told.kept for other in same)
        if one.kept and same and not kept:
            same[0].place, same[0].told = place, one
            chosen = [other for other in chosen if other not in same[1:]]
        elif not full and (not same or (one.kept == kept and _again(one, same))):
            chosen.append(_Chosen(place, one, words, one.total - loss if same else one.total, bool(same)))
    chosen.sort(key=lambda other: -other.total)
    return [(other.place, other.twin) for other in chosen[:limit]]


def _again(one: Told, same: Sequence[_Chosen]) -> bool:
    """Whether it is another time that it was said or happened."""
    return one.moment is not None and all(other.told.moment not in (None, one.moment) for other in same)


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
    if min(len(a), len(b)) < SHARE * max(len(a), len(b)):
        return False  # at once: most are of another length
    if (a ^ b) & _NEGATIONS or any(pair[0] in "不没无别" for pair in a ^ b):
        return False
    return len(a & b) >= SHARE * len(a | b)
