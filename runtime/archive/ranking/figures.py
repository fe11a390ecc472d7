"""Figures that were given anew: of two results that give another figure for what is asked, the newer one counts.

What people say of quotas, prices and counts is rarely kept as a fact with an interval, and the log holds each of the
figures. So where two results speak of the same of the question's words, with one unit and different numbers, the older
one is marked with the id of the newer. It stays where it is: what used to be is an answer too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..terms import is_cjk, terms

FEWEST = 2
"""Words of the question that both have to speak of, beside their figures."""

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\n。！？；]+")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
_FIGURE = re.compile(
    r"(?<![A-Za-z\d.,:/-])(?P<number>[$€£¥]?\d+(?:,\d{3})*(?:\.\d+)?)(?P<unit>\s?%|\s?[^\W\d_]+)?"
    r"(?![A-Za-z\d:/]|[.,-]\d|\.[A-Za-z])"
)
_MONTH_BEFORE = re.compile(r"\b[^\W\d_]+\.?\s*$")


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number with its unit, and which of the question's words stand around it."""

    number: str
    unit: str
    about: frozenset[str]
    words: frozenset[str]
    """All words of the sentence."""


def newer(question: str, results: Sequence[tuple[str, tuple[datetime, int]]]) -> dict[int, int]:
    """By the place of each result whose figure was given anew: the place of the newest that gives another.

    `results` are texts with when they were said: the moment, and among those of one moment the place in their talk.
    """
    asked = frozenset(term for term in terms(question) if not term.isdigit())
    if len(asked) < FEWEST:
        return {}
    figures = [_figures(text, asked) for text, _ in results]
    out: dict[int, int] = {}
    by_age = sorted(range(len(results)), key=lambda place: results[place][1], reverse=True)
    for place in by_age:
        for other in by_age:
            if results[other][1] <= results[place][1]:
                break
            if _given_anew(figures[place], figures[other]):
                out[place] = other
                break
    return out


def _given_anew(old: Sequence[_Figure], new: Sequence[_Figure]) -> bool:
    """Whether `new` gives another figure for what `old` gives one for, and `old` does not give it as well."""
    pairs = [(one, other) for one in old for other in new if _of_one(one, other)]
    return bool(pairs) and all(one.number != other.number for one, other in pairs)


def _of_one(one: _Figure, other: _Figure) -> bool:
    """Whether two figures are of the same: in words of the question, and in their unit."""
    shared = one.about & other.about
    if len(shared - {one.unit, other.unit}) + (one.unit == other.unit and one.unit in shared) < FEWEST:
        return False
    if one.unit and other.unit:
        return one.unit == other.unit
    # One names what it counts, and the other says it elsewhere in its sentence.
    return (one.unit or other.unit) in (other.words if one.unit else one.words)


def _figures(text: str, asked: frozenset[str]) -> list[_Figure]:
    """The figures of the sentences that speak of what is asked; dates and versions are none."""
    found = []
    for sentence in _SENTENCE.split(text):
        words = frozenset(terms(sentence))
        about = words & asked
        if len(about) < FEWEST:
            continue
        for match in _FIGURE.finditer(sentence):
            unit = _unit(match["unit"] or "")
            before = _MONTH_BEFORE.search(sentence, 0, match.start())
            if not _is_date(before[0] if before else "", match["number"], unit):
                found.append(_Figure(match["number"].replace(",", ""), unit, about, words))
    return found


def _unit(written: str) -> str:
    """What stands behind a number, as a term; of a word that says nothing, nothing."""
    written = written.strip()
    if written == "%":
        return written
    found = terms(written)
    return (found[0] if is_cjk(found[0]) else " ".join(found)) if found else ""


def _is_date(before: str, number: str, unit: str) -> bool:
    """Whether a number is a day of a month or a year."""
    word = before.strip().rstrip(".").lower()[:3]
    if word in _MONTHS or unit[:3] in _MONTHS or unit in ("月", "年", "日", "号"):
        return True
    return len(number) == 4 and number[:2] in ("19", "20") and not unit
