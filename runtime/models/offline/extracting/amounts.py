"""The numbers in a text with their units: 900 articles, 250ms, 1,000 calls per day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..data import load
from ..stems import word_set

_TABLE: dict[str, str] = load("figures_en.toml")
_STOP, _JOINS = word_set(_TABLE["stop"]), word_set(_TABLE["joins"])
KINDS = {word: kind for kind, line in enumerate(_TABLE["measures"].strip().split("\n")) for word in line.split()}
"""The units of measure, and which of them are of one kind."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text, with its unit."""

    number: str
    unit: str
    """As it is written: "open tickets", "ms", "%"; empty for none."""
    per: str
    """The period of a rate: "day"."""
    start: int
    end: int
    value: str
    """As it is written, with all of it."""

    @property
    def measured(self) -> bool:
        """Its unit is one of measure, or it has none, so that it does not say what is counted."""
        return not self.unit or self.unit.split()[0].lower() in KINDS


def amounts(text: str) -> Iterator[Amount]:
    """The numbers in a text that are no days, years, versions or times of day."""
    for found in _NUMBER.finditer(text):
        unit, rest = _unit(text, found.end())
        if re.match(r" ?(?:[ap]\.?m\b|o'clock)|(?: ?-)? [A-Z][a-z]", text[found.end() :]):
            continue
        year = re.fullmatch(r"(?:19|20)\d\d", found[0]) is not None and not unit
        if year or _MONTH.search(text[: found.start()].rstrip()) or _MONTH.match(unit):
            continue
        per = _PER.match(text, rest)
        end = per.end() if per else rest
        yield Amount(found[0], unit, per["period"] if per else "", found.start(), end, text[found.start() : end])


_NUMBER = re.compile(
    r"(?<![\w.,:/#+-])[$€£¥]?\d+(?:,\d{3})*(?:\.\d+)?(?!\d|[.,:/-]\d|(?:st|nd|rd|th)\b)(?![A-Za-z]*\d)"
)
_PER = re.compile(rf" ?(?:/|\b(?:per|an?|each|every)\b) ?(?P<period>{'|'.join(_TABLE['periods'].split())})\b")
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|ober)?\.?(?: the)?$",
    re.I,
)


def _unit(text: str, start: int) -> tuple[str, int]:
    """The unit that begins there, and where it ends: of "42 open tickets on the board" the open tickets."""
    if close := re.compile(r" ?%|[A-Za-z]+\b").match(text, start):
        return close[0].strip(), close.end()
    end = start
    for count, word in enumerate(re.compile(r" ([A-Za-z][\w-]*)").finditer(text, start)):
        if word.start() != end or count == 3 or word[1].lower() in _STOP | _JOINS or (count and word[1].endswith("ed")):
            break
        end = word.end()
        if word[1].lower() in KINDS:
            break
    return text[start:end].strip(), end
