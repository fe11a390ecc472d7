"""Which memories say the same, so that one of them can stand for all: plain code, which writes nothing.

Two are one only if they tell the same attribute of the same subject, or the very same in words where one of them does
not say what it tells. Numbers, negation and the time at which they hold count as differences.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...archive.terms import plain
from ..known import Known
from ..names import USER
from ..reconcile import SIMILAR
from ..wording import compare, likeness, negated, same_words, words

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Merge:
    """`others` say nothing that `into` does not say."""

    into: Known
    others: list[Known] = field(default_factory=list)


def merges(known: Sequence[Known]) -> list[Merge]:
    """What of these memories, which are all in force, is to become one. What was written by hand always stays."""
    shelf = _Shelf()
    for one in sorted(known, key=_first):
        home = next((merge for merge in shelf.near(one) if one.standing < 3 and _is_one(one, merge.into)), None)
        if home is None:
            shelf.put(one)
        else:
            home.others.append(one)
    return [merge for merge in shelf.made if merge.others]


class _Shelf:
    """Those that stay, where those are found quickly that may say all that another one says."""

    def __init__(self) -> None:
        self.made: list[Merge] = []
        self._places: dict[tuple[object, ...], list[Merge]] = defaultdict(list)

    def put(self, one: Known) -> None:
        new, said = Merge(one), words(one.text)
        self.made.append(new)
        self._places["same", tuple(said)].append(new)
        if one.about is not None:
            for word in set(said):
                self._places["word", one.about, word].append(new)
            self._places["value", one.about, _value(one)].append(new)

    def near(self, one: Known) -> list[Merge]:
        """Who says it too has all of its words, or the same value."""
        said = words(one.text)
        if not said:
            return []
        found = list(self._places.get(("same", tuple(said)), ()))
        if one.about is not None:
            holding = [self._places.get(("word", one.about, word), []) for word in said]
            fewest: list[Merge] = min(holding, key=len)
            found += fewest
            found += self._places.get(("value", one.about, _value(one)), ()) if _value(one) else ()
        return found


def _value(one: Known) -> tuple[str, ...]:
    return tuple(words(one.value or ""))


def _first(one: Known) -> tuple[int, int, int, str, str]:
    """The order in which memories stay: what is better known, what says more, what tells of whom, what is older."""
    created = one.created_at.isoformat() if one.created_at else ""
    return (-one.standing, -len(words(one.text)), int(one.about is None), created, one.id)


def _is_one(one: Known, into: Known) -> bool:
    """Whether `into` says all that `one` says."""
    if one.kind != into.kind or not _same_subject(one, into) or not _same_time(one, into):
        return False
    alike = compare(one.text, into.text)
    if one.kind == "episode" or one.about is None or into.about is None:
        return alike == "same"
    if one.about != into.about:
        return False
    if alike in ("same", "less"):
        return one.value is None or into.value is None or _within(one.value, into.value)
    return (
        alike == "other"
        and same_words(one.value, into.value)
        and negated(one.text) == negated(into.text)
        and _numbers(one.text) <= _numbers(into.text)
        and likeness(one.text, into.text) >= SIMILAR
    )


def _same_subject(one: Known, into: Known) -> bool:
    """They do not speak of two: one that names nobody may be about anybody."""
    if one.about is not None and into.about is not None:
        return one.about == into.about
    named = {plain(subject).strip() for subject in (one.subject, into.subject) if subject}
    return len(named) < 2 or named == {USER, "the user"}


def _same_time(one: Known, into: Known) -> bool:
    if one.kind == "episode":
        return _day(one) == _day(into)
    return one.valid_to == into.valid_to


def _day(one: Known) -> object:
    return one.event_time.date() if one.event_time is not None else None


def _within(value: str, other: str) -> bool:
    return same_words(value, other) or compare(value, other) in ("same", "less")


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))
