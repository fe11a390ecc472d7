"""What is to be forgotten, as weighed words, and which texts carry it.

A text carries a fact if one of its sentences holds a good part of the fact's words, one of its telling ones among
them. A word tells the more, the fewer other memories hold it; common words tell little. So "peanuts" carries "Ada is
allergic to peanuts", and "Ada is allergic to cats" does not. It errs towards forgetting, which can be undone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import pairwise

from ..archive.terms import is_cjk, plain, terms
from .common import is_common

CARRIES = 0.25
"""The share of a fact's weight from which a sentence carries it."""
WHOLE = 0.6
"""The share from which a text does whose sentences hold less each."""
_TELLING = 0.7
"""The weight from which a word is telling: it is not common, and at most one other memory holds it."""
LIGHT = 0.25
"""The weight of a common word; that of another is 1."""
_ALL = 0.8
"""The share that is needed where no word is telling."""
FEW = 3
"""Sentences up to which each is a fact of its own: a longer text is about one matter, or no fact at all."""

_BREAK = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")

Fact = dict[str, float]
"""The weight of each of its terms."""


class Facts:
    """Facts that are to be forgotten."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.facts = [fact for fact in facts if fact]
        self._telling = [_telling(fact) for fact in self.facts]
        self._terms = frozenset(term for fact in self.facts for term in fact)
        self.pattern = _pattern(self._terms)
        """Found in every text, folded, that holds one of the terms; most others are ruled out by it at once."""

    @classmethod
    def of(cls, texts: Iterable[str], memories: Iterable[str] = ()) -> Facts:
        """The facts that `texts` state; `memories` are what else is remembered."""
        parts = [sentences(text) for text in texts]
        pieces = [piece for found in parts for piece in (found if len(found) <= FEW else ["\n".join(found)])]
        sets = [found for piece in pieces if (found := terms_of(piece))]
        wanted = cls([dict.fromkeys(found, 1.0) for found in sets])
        holding: Counter[str] = Counter()
        for memory in memories:
            holding.update(wanted.found(memory))
        return cls([_weighed(found, holding) for found in sets])

    def __bool__(self) -> bool:
        return bool(self.facts)

    def lighter(self, usual: Collection[str]) -> Facts:
        """The same facts, with the terms `usual` weighing as common words do."""
        return Facts(
            {term: min(it, LIGHT) if term in usual else it for term, it in fact.items()} for fact in self.facts
        )

    def found(self, text: str) -> frozenset[str]:
        """The terms of the facts that `text` holds."""
        return self._terms & terms_of(text) if self.pattern.search(flat(text)) else frozenset()

    def carried_by(self, text: str) -> bool:
        """Whether `text` carries one of the facts."""
        if not self.pattern.search(flat(text)):
            return False
        held = [self.found(sentence) for sentence in sentences(text)]
        return any(self.share(found) >= CARRIES for found in held) or (
            len(held) > 1 and self.share(frozenset().union(*held)) >= WHOLE
        )

    def hinted_at_by(self, text: str) -> bool:
        """Whether `text` holds a telling word of one of the facts."""
        return self.hinted_at(self.found(text))

    def hinted_at(self, found: frozenset[str]) -> bool:
        """Whether a telling word of one of the facts is among these terms."""
        return any(found & telling for telling in self._telling)

    def share(self, found: frozenset[str]) -> float:
        """The largest share of one fact's weight that these terms hold.

        It is 0 unless one of the fact's telling terms is among them; or nearly all of it, where no term is telling.
        """
        most = 0.0
        for fact, telling in zip(self.facts, self._telling, strict=True):
            share = sum(fact[term] for term in found & fact.keys()) / sum(fact.values())
            if found & telling if telling else share >= _ALL:
                most = max(most, share)
        return most

    def without(self, text: str) -> str:
        """`text` without the sentences that carry one of the facts."""
        ends = [0, *(match.end() for match in _BREAK.finditer(text)), len(text)]
        pieces = [text[start:end] for start, end in pairwise(ends)]
        return "".join(piece for piece in pieces if not self.carried_by(piece)).strip()


def sentences(text: str) -> list[str]:
    """The sentences of a text; a line break ends one too."""
    return [piece for piece in _BREAK.split(text) if piece.strip()]


def flat(text: str) -> str:
    """`text` as the patterns of facts search it."""
    return plain(text).replace("'", "").replace("’", "")


def terms_of(text: str) -> frozenset[str]:
    """The terms of a text. Of a run of Chinese the pairs alone: single characters are in everything."""
    found = frozenset(terms(text))
    paired = {character for term in found if len(term) == 2 and is_cjk(term) for character in term}
    return found - paired


def _weighed(found: frozenset[str], holding: Counter[str]) -> Fact:
    """The fact that these terms make; none where they are too few and too common to be one."""
    fact = {term: (LIGHT if is_common(term) else 1.0) / (1 + holding[term] / 2) for term in sorted(found)}
    return fact if len(fact) > 1 or _telling(fact) else {}


def _telling(fact: Fact) -> frozenset[str]:
    return frozenset(term for term, weight in fact.items() if weight >= _TELLING)


def _pattern(found: Iterable[str]) -> re.Pattern[str]:
    """Stems end otherwise than their words, so only beginnings are compared."""
    starts = sorted({term[:3] if len(term) > 3 else term[: max(2, len(term) - 1)] for term in found})
    latin = [re.escape(start) for start in starts if start[0].isascii()]
    others = [re.escape(start) for start in starts if not start[0].isascii()]
    return re.compile("|".join(([rf"(?<![a-z0-9])(?:{'|'.join(latin)})"] if latin else []) + others) or r"(?!)")
