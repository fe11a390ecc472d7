"""Telling whether a piece of text says what is to be erased: surely, in part, or not at all.

It goes by the same weighed words as forgetting (runtime/forgetting/facts.py), and more strictly, since an erasure
cannot be undone: what holds less than most of a fact, or says more of other things than of it, holds it `in part`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterator
from typing import Literal

from ..archive.terms import is_cjk
from ..forgetting.common import is_common
from ..forgetting.facts import WHOLE, Fact, Facts, flat, terms_of

Verdict = Literal["whole", "part"]

_FEW = 2
"""Words of other things that a piece may hold in any case: whom it is about, say."""

_SHORT = 3
"""Letters of a word up to which it is not looked for inside of others."""

_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')


class Words:
    """What is to be erased.

    `phrase` is how it was named, `exact` are pieces that were chosen as they stand. `program` are pieces of what the
    program says to every model: that they hold a part of it means nothing.
    """

    def __init__(
        self, facts: Facts, phrase: str = "", exact: Collection[str] = (), program: Collection[str] = ()
    ) -> None:
        self.facts = facts
        self.phrase = phrase
        self.exact = frozenset(exact)
        self._program = frozenset(program)
        self._named, self._inside = _phrases(phrase)
        self._terms = frozenset(term for fact in facts.facts for term in fact)
        self._known: dict[str, Verdict | None] = {}

    def judge(self, piece: str) -> Verdict | None:
        """Whether a piece says it, in whole or in part."""
        if piece not in self._known:
            verdicts = {self._judge(reading) for reading in _readings(piece)}
            sure = piece in self.exact or "whole" in verdicts
            in_part = "part" in verdicts and piece not in self._program
            self._known[piece] = "whole" if sure else "part" if in_part else None
        return self._known[piece]

    def may(self, raw: str) -> bool:
        """Whether a text as it is stored may hold what is named inside of longer words, where no terms lead to it."""
        return self._inside.search(flat(raw)) is not None

    def states(self, fact: Fact) -> bool:
        """Whether a fact that was once forgotten has to do with it."""
        return self.facts.hinted_at(frozenset(fact)) or self.facts.share(frozenset(fact)) >= WHOLE

    def _judge(self, text: str) -> Verdict | None:
        found = self.facts.found(text)
        named = self._named.search(flat(text)) is not None
        most = self.facts.share(found) >= WHOLE
        inside = self._inside.search(flat(text)) is not None
        if not (inside or most or self.facts.hinted_at(found) or self.facts.carried_by(text)):
            return None
        own = {term for term in terms_of(text) if not is_common(term)}
        beside = len(own - self._terms)
        return "whole" if (named or most) and beside <= max(_FEW, len(own) // 2) else "part"


def _readings(piece: str) -> Iterator[str]:
    """A piece as it stands, and as it reads where it holds the escapes of JSON or of our markers."""
    yield piece
    if "\\" in piece:
        yield _ESCAPE.sub(_unescaped, piece)
    if "&" in piece:
        yield html.unescape(piece)


def _unescaped(match: re.Match[str]) -> str:
    return str(json.loads(f'"{match[0]}"'))


def _phrases(phrase: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The phrase as it stands by itself, where words end by spaces, and the phrase anywhere."""
    wanted = flat(phrase).strip()
    if not wanted or all(is_common(term) for term in terms_of(wanted)):
        return re.compile(r"(?!)"), re.compile(r"(?!)")
    before = r"(?<!\w)" if wanted[0].isalnum() and not is_cjk(wanted[0]) else ""
    after = r"(?!\w)" if wanted[-1].isalnum() and not is_cjk(wanted[-1]) else ""
    # A short word is in too many others.
    inside = re.escape(wanted) if not before or len(wanted) > _SHORT else f"{before}{re.escape(wanted)}"
    return re.compile(before + re.escape(wanted) + after), re.compile(inside)
