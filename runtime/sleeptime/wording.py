"""Whether two memories say the same, or one says it in more detail: by their words in order, and by nothing softer.

Numbers, negation and order count: "has 2 cats" is not "has 3 cats", "eats meat" is not "does not eat meat", and "Ana
manages Bo" is not "Bo manages Ana". What is put in other words altogether is not recognised here, but by what it says
of whom (`reconcile`); so nothing is lost by a likeness that was none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from ..archive.stemming import stem
from ..archive.terms import plain

Likeness = Literal["same", "more", "less", "other"]

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# What stands in brackets at a line's end tells what the line replaced, not what it says.
_HISTORY = re.compile(r"\s*[(（](?:Before: |以前：).*[)）]\s*$", re.DOTALL)
_LIGHT = frozenset(
    """a an the user users i he she they it is are was were am be been being has have had do does did that this of to in
    at on for with and also now currently their his her its my really very just who which""".split()  # noqa: SIM905
)
_LIGHT_CHARACTERS = frozenset("的了是在有着和与用户我他她们也现正就很")
_NEGATIONS = frozenset("not no never none without cannot nobody nothing neither nor longer stopped quit".split())  # noqa: SIM905
_NEGATION_CHARACTERS = frozenset("不没无别未勿戒")


def compare(new: str, old: str) -> Likeness:
    """What `new` is to `old`: the same, more of it, less of it, or something else."""
    mine, theirs = words(new), words(old)
    if negated(new) != negated(old) or not (mine and theirs):
        return "other"
    if mine == theirs:
        return "same"
    if within(theirs, mine):
        return "more"
    return "less" if within(mine, theirs) else "other"


def words(text: str) -> list[str]:
    """The words of a memory that carry something, in order; of a script without spaces its characters."""
    return list(_words(text))


@lru_cache(4096)
def _words(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for token in _TOKEN.findall(plain(_HISTORY.sub("", text))):
        if _UNSPACED.match(token):
            found += [character for character in token if character not in _LIGHT_CHARACTERS]
        elif token not in _LIGHT:
            found.append(token if token[0].isdigit() else stem(token.removesuffix("'s").removesuffix("’s")))
    return tuple(found)


def negated(text: str) -> bool:
    """Whether a memory denies something."""
    text = plain(_HISTORY.sub("", text))
    if any(character in _NEGATION_CHARACTERS for character in text):
        return True
    return any(token in _NEGATIONS or token.endswith(("n't", "n’t")) for token in _TOKEN.findall(text))


def likeness(one: str, other: str) -> float:
    """The share of the words of both that they have in common in the same order, from 0 to 1."""
    mine, theirs = words(one), words(other)
    if not (mine and theirs):
        return 0.0
    row = [0] * (len(theirs) + 1)
    for word in mine:
        before = 0
        for place, their in enumerate(theirs, 1):
            before, row[place] = row[place], before + 1 if word == their else max(row[place], row[place - 1])
    return 2 * row[-1] / (len(mine) + len(theirs))


def same_words(one: str | None, other: str | None) -> bool:
    """Whether two values or names are one, case, marks and articles aside."""
    if one is None or other is None:
        return False
    return plain(one).strip() == plain(other).strip() or (words(one) == words(other) != [])


def within(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether `few` stand in `many` in their order, perhaps with others between."""
    rest = iter(many)
    return all(word in rest for word in few)
