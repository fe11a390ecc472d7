"""What a list of results is worth, given the turns that hold the answer. All figures run from 0 to 1.

`found` is what the search returned, best first, as keys of turns. One that comes again counts once, where it came
first.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

CUTS = (1, 5, 10, 20)
"""The numbers of results that are looked at."""


def recall(found: Sequence[str], evidence: Collection[str], k: int) -> float:
    """The share of the evidence among the first `k`."""
    wanted = set(evidence)
    return len(wanted.intersection(found[:k])) / len(wanted)


def hit(found: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if any evidence is among the first `k`."""
    return float(any(key in evidence for key in found[:k]))


def reciprocal_rank(found: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 divided by the place of the first evidence among the first `k`; 0 without any."""
    return next((1 / place for place, key in enumerate(found[:k], 1) if key in evidence), 0.0)


def gain(found: Sequence[str], evidence: Collection[str], k: int) -> float:
    """The discounted gain, as a share of what it would be with all evidence in front (not just with what was found)."""
    wanted, total = set(evidence), 0.0
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(wanted)) + 1))
    for place, key in enumerate(found[:k], 1):
        if key in wanted:
            wanted.remove(key)
            total += 1 / math.log2(place + 1)
    return total / ideal


def all_sides(found: Sequence[str], sides: Sequence[Collection[str]], k: int) -> float:
    """1 if something of every side of the answer is among the first `k`."""
    return float(all(hit(found, side, k) for side in sides))


METRICS = {"recall": recall, "hit": hit, "mrr": reciprocal_rank, "ndcg": gain}
