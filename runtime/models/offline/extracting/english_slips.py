"""Mends what a user put wrong in one message and right in the next: "train to Leeds is the 18th", "sorry, 19th"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .claim import Entry

_SLIP = re.compile(
    r"^(?:oh |ah |wait |no |ok )*(?:sorry|oops|whoops|wait|no|correction|make that|I mean|I"
    r" meant)[,.!-]* (?:it is |it's |its |the )?"
    r"(?P<new>\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b[,.!]?\s*",
    re.I,
)
_SHAPES = (
    re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.I),
    re.compile(r"\b\d{1,2}[:.]\d\d\b"),
    re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.I),
)


def without_slips(entries: list[Entry]) -> Iterator[Entry]:
    """The entries, where "sorry, 19th" after "train to Leeds is the 18th" says the sentence again as it was meant."""
    before: int | None = None
    mended = list(entries)
    for at, entry in enumerate(entries):
        if entry.speaker != "user":
            continue
        slip = _SLIP.match(entry.text)
        shape = next((one for one in _SHAPES if slip and one.fullmatch(slip["new"])), None)
        if slip and shape and before is not None:
            sentences = re.split(r"(?<=[.!?,;])\s+", mended[before].text)
            meant = [sentence for sentence in sentences if shape.search(sentence)]
            if len(meant) == 1:
                rest = " ".join(sentence for sentence in sentences if sentence is not meant[0])
                again = shape.sub(slip["new"], meant[0]).rstrip(".!?,; ")
                mended[before] = replace(mended[before], text=rest)
                mended[at] = replace(entry, text=f"{again}. {entry.text[slip.end() :]}")
        before = at
    yield from mended
