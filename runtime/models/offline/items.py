"""What is remembered, as notes and the results of searches list it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...text import unescape
from .marks import GAP

_ITEM = re.compile(
    r"- \[(?P<ref>[^\]\s]+)\](?: (?P<date>\d{4}-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d)?)?)?"
    r"(?: \((?:(?P<weak>weak)(?:, )?)?(?:score (?P<score>[\d.]+))?[^)]*\))?"
    r"(?: (?P<kind>\w[\w -]*?)(?: from [^:]*?)?(?P<marks>(?:, [\w -]+)*):)?(?: (?P<text>.*))?",
)
OVER = frozenset(("superseded", "retired"))
"""The marks of a memory that does not hold any more."""
_HELD = re.compile(
    r"since (?P<since>[\d-]+)|until (?P<until>[\d-]+)|(?P<start>[\d-]+) to (?P<end>[\d-]+)",
)


Source = Literal["block", "passage", "message", "summary"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is remembered, as the request shows it."""

    source: Source
    ref: str
    """The block's label, or the id of the passage or message."""
    text: str
    date: str = ""
    kind: str = ""
    """fact, episode ... for a passage; user or assistant for a message."""
    weak: bool = False
    score: float = 0.0
    over: bool = False
    """It is marked as superseded: it tells what used to be."""
    since: str = ""
    """The day since which it held, and the day until which, where they are told: 2026-01-31."""
    until: str = ""

    def held(self, day: str) -> bool:
        """Whether it held on a day, as far as it is told; what does not say since when is taken to hold since ever."""
        return (not self.since or self.since <= day) and (not self.until or day < self.until)


def items(text: str) -> list[Item]:
    """The items of a note or of a search's result. A line that is no item goes on from the item before it, unless
    something was left out between them."""
    found: list[Item] = []
    gap = False
    for line in text.split("\n"):
        match = _ITEM.fullmatch(line)
        gap = match is None and (gap or GAP.match(line) is not None)
        if match is None:
            if found and line.strip() and not line.startswith("<") and not gap:
                last = found[-1]
                found[-1] = replace(last, text=f"{last.text} {line.strip()}")
            continue
        ref = match["ref"]
        source: Source = "passage" if ref.startswith("p-") else "message" if ref.startswith("m-") else "block"
        score = float(match["score"] or 0)
        words = unescape(match["text"] or "").strip()
        marks = (match["marks"] or "").split(", ")
        date, kind = match["date"] or "", match["kind"] or ""
        over = not OVER.isdisjoint(marks)
        since, until = _interval(marks)
        found.append(Item(source, ref, words, date, kind, bool(match["weak"]), score, over, since, until))
    return found


def _interval(marks: Sequence[str]) -> tuple[str, str]:
    """The days between which a memory held, of `2024-03 to 2026-01-17`, `until 2026-01-17` or `since 2024-03`."""
    for mark in marks:
        if found := _HELD.fullmatch(mark):
            return _day(found["since"] or found["start"]), _day(found["until"] or found["end"])
    return "", ""


def _day(bound: str | None) -> str:
    """A month stands for its first day."""
    return f"{bound}-01" if bound and len(bound) == 7 else bound or ""
