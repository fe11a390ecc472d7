"""Comparing a text or a number with what is expected of it, and saying what is closest to it where it is not so."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .source import Map, Place, Span

LONGEST = 600
"""Characters of what is there that a failure shows."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that was not met."""

    place: Place
    expected: str
    found: str
    closest: str = ""
    """What is most like what was expected, where it helps to see that."""
    accept: tuple[Span, str] | None = None
    """Where the expected text stands in its file, and what to write there to accept what was found."""
    kept: str = ""
    """Why what was found cannot be accepted in the place of a text that could otherwise be written anew."""


def text(what: str, wanted: Any, found: str, place: Place, *, acceptable: bool = False) -> list[Failure]:
    """Compare a text with what it is to hold, which is text, a list of texts or a check.

    `acceptable`: what is found may be written into the script in its place.
    """
    out: list[Failure] = []
    if not isinstance(wanted, dict):
        wanted, origin = {"contains": wanted}, None
    else:
        origin = wanted if isinstance(wanted, Map) else None

    def at(name: str) -> Place:
        return origin.at(name) if origin is not None else place

    def missed(rule: str, expected: str, near: str = "", around: str = "") -> None:
        span = origin.spans.get(rule) if origin is not None and rule == "equals" else None
        accept = (span, found) if acceptable and span else None
        kept = _KEPT[rule == "equals"].format(rule) if acceptable and not accept else ""
        out.append(Failure(at(rule), f"{what} {expected}", shown(found, around), near, accept, kept))

    for one in several(wanted.get("contains", ())):
        if one.casefold() not in found.casefold():
            missed("contains", f"holds {one!r}", closest(one, [found]))
    for one in several(wanted.get("not", ())):
        if one.casefold() in found.casefold():
            missed("not", f"does not hold {one!r}", around=one)
    if "matches" in wanted and not re.search(wanted["matches"], found):
        missed("matches", f"matches /{wanted['matches']}/")
    if "equals" in wanted and wanted["equals"].rstrip("\n") != found.rstrip("\n"):
        missed("equals", f"equals {wanted['equals']!r}", _difference(wanted["equals"], found))
    return out


_KEPT = ("only what stands in `equals` can be written anew, not `{}`", "what it equals is filled in from variables")


def several(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def shown(found: str, around: str = "") -> str:
    """A text as a failure shows it: the part of a long one that matters."""
    if not found:
        return "nothing"
    if len(found) <= LONGEST:
        return repr(found)
    middle = max(found.casefold().find(around.casefold()), 0) if around else 0
    start = max(0, middle - LONGEST // 2)
    return f"{'… ' if start else ''}{found[start : start + LONGEST]!r} … ({len(found):,} characters)"


def closest(wanted: str, texts: Iterable[str]) -> str:
    """The line that is most like `wanted`; empty where none is like it."""
    lines = [line.strip() for one in texts for line in re.split(r"\n|(?<=[.!?。！？])\s*", one) if line.strip()][:2000]
    best, ratio = "", 0.4
    for line in lines:
        matcher = difflib.SequenceMatcher(None, wanted.casefold(), line.casefold(), autojunk=False)
        if matcher.real_quick_ratio() > ratio and (own := matcher.ratio()) > ratio:
            best, ratio = line, own
    return best[:300]


def _difference(expected: str, found: str) -> str:
    """Where two texts part."""
    same = next((n for n, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), None)
    at = min(len(expected), len(found)) if same is None else same
    return f"they part at character {at + 1}: {expected[at : at + 60]!r} there, {found[at : at + 60]!r} here"


def number(what: str, wanted: Any, found: int, place: Place) -> list[Failure]:
    """Compare a number with what it is to be: a number, or bounds."""
    low, high = (wanted.get("at_least"), wanted.get("at_most")) if isinstance(wanted, dict) else (wanted, wanted)
    if (low is None or found >= low) and (high is None or found <= high):
        return []
    bounds = (
        f"{wanted:,}"
        if isinstance(wanted, int)
        else " and ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in wanted.items())
    )
    return [Failure(place, f"{what} is {bounds}", f"{found:,}")]


def is_value(wanted: Any, found: Any) -> bool:
    """Whether a value is the wanted one, or a text that passes the wanted check."""
    if isinstance(wanted, dict) and wanted.keys() <= {"contains", "not", "matches", "equals"}:
        return isinstance(found, str) and not text("", wanted, found, Place("", 0))
    return bool(wanted == found)
