"""Which of the memories that were found stand in the note, and in which order they get its tokens.

The order: hard constraints, preferences, what is recent, and then what fits the words best. So where the budget ends,
an allergy is told before a taste, and a taste before a story.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import IntEnum

from ..archive.query import Hit
from ..archive.ranking.twins import alike

RECENT = timedelta(days=7)


class Standing(IntEnum):
    """What a memory is to the user, first that which must not be missed."""

    CONSTRAINT = 0
    PREFERENCE = 1
    RECENT = 2
    REST = 3


_CONSTRAINTS = frozenset(("allergy", "diet", "health", "rule"))
_PREFERENCES = frozenset(("taste", "dislike"))
_FORBIDS = re.compile(
    r"\ballerg(?:y|ies|ic)\b|\bintoleran(?:t|ce)\b|\b(?:must|may|can|should|shall) ?(?:not|n['’]t)\b|\bcannot\b|"
    r"\bnever\b|\bforbid(?:s|den)?\b|\b(?:not|n['’]t|no longer) (?:eat|drink|touch)s?\b|"
    r"过敏|不耐受|不能|不可以|不许|禁止|忌口|千万别|绝不|从不|必须",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"\b(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rites?|fond of|rather)\b|"
    r"喜欢|偏好|偏爱|讨厌|最爱|宁愿",
    re.IGNORECASE,
)


def standing(hit: Hit, now: datetime) -> Standing:
    """The standing of a memory. What was said and never kept as a memory has none but its age."""
    if hit.table == "passage" and hit.label != "document":
        if hit.label == "rule" or hit.attribute in _CONSTRAINTS or _FORBIDS.search(hit.text):
            return Standing.CONSTRAINT
        if hit.attribute in _PREFERENCES or _LIKES.search(hit.text):
            return Standing.PREFERENCE
    return Standing.RECENT if now - hit.at <= RECENT else Standing.REST


def holds(hit: Hit, now: datetime) -> bool:
    """Whether what a memory says holds now."""
    return (
        hit.status != "superseded"
        and (hit.valid_from is None or hit.valid_from <= now)
        and (hit.valid_to is None or hit.valid_to > now)
    )


def best(hits: Sequence[Hit], most: int, now: datetime) -> list[Hit]:
    """At most `most` of `hits`, which come best first: constraints among them are never left out for something else."""
    chosen, rest = list(hits[:most]), list(hits[most:])
    for hit in rest:
        if standing(hit, now) is Standing.CONSTRAINT:
            # The best one stays: it is the answer. What fits least makes room.
            spare = [one for one in chosen[1:] if standing(one, now) is not Standing.CONSTRAINT]
            if not spare:
                break
            chosen.remove(spare[-1])
            chosen.append(hit)
    return chosen


def in_order(hits: Sequence[Hit], now: datetime) -> list[Hit]:
    """`hits`, which come best first, in the order in which they get the tokens of a note."""
    return sorted(hits, key=lambda hit: standing(hit, now))


def without_repetitions(hits: Sequence[Hit]) -> list[Hit]:
    """`hits` without those that say what one before them says."""
    out: list[Hit] = []
    for hit in hits:
        if not any(alike(hit.text, other.text) and _same_standing(hit, other) for other in out):
            out.append(hit)
    return out


def _same_standing(hit: Hit, other: Hit) -> bool:
    """Whether two that say the same say it of the same time, and neither disputes the other."""
    return (hit.status, hit.valid_from, hit.valid_to) == (other.status, other.valid_from, other.valid_to) or (
        "passage" not in (hit.table, other.table) or hit.table != other.table
    )
