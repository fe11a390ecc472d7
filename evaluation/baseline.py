"""BM25 alone, to compare with: over words in their lower case, and over Chinese characters and their pairs.

It knows nothing of stems, stop words, speakers, sessions or times, and shares no code with the archive's search.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

K1, B = 0.9, 0.4
"""The values that Anserini takes, which suit short texts better than the older 1.5 and .75."""

_TOKEN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def tokens(text: str) -> list[str]:
    """The words of `text`, and of its runs of Chinese the characters and the pairs of them."""
    out: list[str] = []
    for run in _TOKEN.findall(text.lower()):
        if "\u3400" <= run[0] <= "\u9fff" or "\uf900" <= run[0] <= "\ufaff":
            out += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
        else:
            out.append(run)
    return out


class BM25:
    """The texts of one store, ready to be asked."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(tokens(text)) for text in texts]
        self._lengths = [counts.total() for counts in self._counts]
        self._mean = sum(self._lengths) / max(len(texts), 1) or 1.0
        self._holding = Counter(token for counts in self._counts for token in counts)

    def best(self, question: str, limit: int) -> list[int]:
        """The places of the best texts, best first; of equally good ones the earlier comes first."""
        asked = {token: self._rarity(token) for token in tokens(question) if token in self._holding}
        scores = [self._score(asked, place) for place in range(len(self._counts))]
        return sorted(range(len(scores)), key=lambda place: -scores[place])[:limit]

    def _score(self, asked: dict[str, float], place: int) -> float:
        counts, norm = self._counts[place], K1 * (1 - B + B * self._lengths[place] / self._mean)
        held = (token for token in asked if token in counts)
        return sum(asked[token] * counts[token] * (K1 + 1) / (counts[token] + norm) for token in held)

    def _rarity(self, token: str) -> float:
        holding = self._holding[token]
        return math.log(1 + (len(self._counts) - holding + 0.5) / (holding + 0.5))
