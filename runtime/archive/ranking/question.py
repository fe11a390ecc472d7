"""Reading a question: its terms, whom it names, which days it speaks of, and the words that its vector is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ...when import days_in
from ..rows import micros
from ..statistics import Statistics
from ..stopwords import PARTICLES
from ..terms import spoken, terms
from .weights import Weights

_ABOUT = {
    "user": re.compile(r"\b(?:i|me|my|mine|myself|i['’]?(?:m|ve|d|ll))\b|我|俺|咱", re.IGNORECASE),
    "assistant": re.compile(r"\b(?:you|your|yours|yourself|you['’]?(?:re|ve|d|ll))\b|你|您", re.IGNORECASE),
}
"""By which words one who asks means themselves, and by which the assistant. In a log these are the speakers."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the steps see it."""

    text: str
    terms: tuple[str, ...]
    """Each once. Of Chinese without what is made of particles alone, as English terms are without stop words."""
    named: frozenset[str]
    """The speakers that it names."""
    about: frozenset[str]
    """Those of user and assistant that it speaks of as "I" and "you"."""
    spans: tuple[tuple[int, int], ...]
    """The times that it speaks of: from, and until before."""
    masked: str
    """Its words without the names and the words that are everywhere, which would drown the rest in the vector."""
    now: int
    meaning: float
    """From 0 to 1, how much its vector can be believed: an embedder for English knows nothing of Chinese words."""


def read(
    text: str,
    statistics: Statistics,
    weights: Weights,
    now: datetime,
    zone: ZoneInfo,
    english_only: bool = False,
) -> Question:
    """Read `text`, which was asked at `now`, in a scope with these `statistics`, to be embedded or not in English."""
    words = [(word, found) for word, found in spoken(text)]
    known = {name: " ".join(terms(name)) for name in statistics.speakers}
    held = {found for _, found in words}
    named = frozenset(name for name, found in known.items() if found and set(found.split()) <= held)
    names = {part for name in named for part in known[name].split()}
    most = weights.mask_share * statistics.rows if statistics.rows >= weights.mask_rows else float("inf")
    kept = [
        word
        for word, found in words
        if found not in names and not (found and " " not in found and statistics.holding(found) > most)
    ]
    asked = tuple(dict.fromkeys(terms(text)))
    return Question(
        text,
        tuple(term for term in asked if not PARTICLES.issuperset(term)) or asked,
        named,
        frozenset(role for role, own in _ABOUT.items() if own.search(text)),
        tuple((micros(start), micros(end)) for start, end in days_in(text, now, zone)),
        " ".join(kept) if any(terms(word) for word in kept) else text,
        micros(now),
        sum(word.isascii() for word in asked) / len(asked) if english_only and asked else 1.0,
    )
