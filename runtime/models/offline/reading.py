"""What a remembered sentence tells of whom, as memory work reads it: "Marit is at the Loom now" tells her workplace.

A question is asked in other words than a memory has, and a note may say a thing in words that only its reader sorts.
So what answers, and what takes another's place, is decided by the same reading by which memories are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from .extracting.chinese import ChineseReader
from .extracting.claim import USER, Claim, Entry
from .extracting.english import EnglishReader
from .extracting.judging import Meaning, judge
from .extracting.scene import Scene
from .facts import fact
from .person import to_first
from .stems import is_cjk

_AT = datetime(2000, 1, 1, 12)
"""A day must be given to read by; no date is taken from what is read here."""
LONGEST = 400
"""Characters up to which a sentence is read; what is longer tells more than one thing."""
_VAGUE = frozenset(("trait", "event", "plan", "habit", "has", "hobby", "taste", "decision", "rule", "note", "family"))
"""What many different things are kept as, so that it says little of what is told."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing that a sentence tells."""

    subject: str
    """In lower case, without what it is to the user: "marit", "user", "storage room"."""
    attribute: str
    value: str
    single: bool
    """There is one value at a time, so that another one ends it."""


@lru_cache(maxsize=4096)
def read(line: str) -> tuple[Reading, ...]:
    """What a remembered line, or words of the user, tell; nothing where that is nothing in particular."""
    text = fact(line).text
    if len(text) > LONGEST:
        return ()
    first = to_first(text)
    reader = (ChineseReader if is_cjk(first) else EnglishReader)(Scene())
    found = ((claim, judge(claim)) for claim in reader.read(first, Entry(1, "user", _AT, first)))
    return tuple(_reading(claim, meaning) for claim, meaning in found if meaning and meaning.attribute not in _VAGUE)


def _reading(claim: Claim, meaning: Meaning) -> Reading:
    someone = claim.someone
    subject = someone.name if someone and someone.name and someone.name in claim.subject else claim.subject
    return Reading(USER if subject == USER else subject.lower(), meaning.attribute, meaning.value, meaning.single)
