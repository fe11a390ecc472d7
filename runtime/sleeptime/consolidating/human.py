"""What of the block `human` is out of date, and what it lacks, by the facts that are archived: plain code, pure.

A line is changed only where it says what an archived fact said that has been superseded, has ended or was wrong, and
where it stood there before the fact changed. What the user wrote into the block by hand stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.edit import Append, Replace
from ..known import Known
from ..names import USER
from ..wording import compare, negated, same_words, within, words
from .lines import Line, Written, applied, change_line

HUMAN = "human"
IMPORTANT = 0.7
"""From this importance on a fact about the user belongs into the block, if it is of one of these attributes:"""
ABOUT = frozenset(
    """name age birthday origin home workplace job family partner child pet language diet allergy health taste dislike
    rule contact""".split()  # noqa: SIM905
)
FULL = 0.9
"""The share of the block's limit up to which facts are added: the rest is the agent's own."""
MOST_NEW = 5
"""Lines that are added at once."""

_BULLET = re.compile(r"\A\s*(?:[-*•·]\s+|\d+[.)]\s+)?")
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")
_CLAUSE = re.compile(r"\s*(?:[,;，；、]|\band\b)\s*")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about the user, as the block is compared with it."""

    known: Known
    holds: bool
    """It is true now, as far as is known."""
    over: bool = False
    """It was true, or was taken to be, and is not any more."""
    by: Known | None = None
    """What holds in its place."""
    worth: float = 0.5
    """Its importance."""
    sure: bool = True
    """It was stated, or written by hand, and not often corrected."""


@dataclass(slots=True)
class Update:
    """The edits that bring a block up to date, in the order in which they are made, and what became of the lines."""

    edits: list[Append | Replace] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def update(value: str, limit: int, written: Written, facts: Sequence[Fact]) -> Update:
    """The edits for a block that holds `value`, whose lines are `written`."""
    planner = _Planner(value, limit, written, facts)
    planner.renew()
    planner.add()
    return planner.update


class _Planner:
    def __init__(self, value: str, limit: int, written: Written, facts: Sequence[Fact]) -> None:
        self.update = Update()
        self._value = value
        self._limit = limit
        self._written = written
        self._facts = facts
        self._words: dict[str, list[str]] = {}
        named = [it.known.value for it in facts if it.holds and it.known.about == (USER, "name") and it.known.value]
        self._names = [words(name) for name in named if words(name)]

    def renew(self) -> None:
        """Replace or remove the lines that are out of date, from the last one up, so that places stay."""
        over = [fact for fact in self._facts if fact.over]
        for place, line in reversed(list(enumerate(self._written.lines))):
            said = [fact for fact in over if line.seq <= fact.known.version and self._said_by(fact.known, line.text)]
            newest = max((one for one in said if not self._told_again(one)), key=_age, default=None)
            if newest is None:
                continue
            if line.writer == "user":
                self.update.counts["left in human: by hand"] += 1
            else:
                self._renew_line(place, line, newest)

    def _renew_line(self, place: int, line: Line, fact: Fact) -> None:
        whole = self._whole(fact.known, line.text)
        new: str | None
        if fact.by is None:
            if not whole:
                self.update.counts["left in human: holds more"] += 1
                return
            new = None
        else:
            bullet = _BULLET.match(line.text)
            new = f"{bullet[0] if bullet else ''}{fact.by.text}" if whole else _swapped(line.text, fact.known, fact.by)
            if new is None:
                self.update.counts["left in human: holds more"] += 1
                return
            if whole and self._stands(fact.by, but=place):
                new = None
        edit = change_line(self._value, place, new)
        after = applied(self._value, edit)
        if len(after) > self._limit and len(after) > len(self._value):
            self.update.counts["no room in human"] += 1
            return
        self._do(edit, after, "removed from human" if new is None else "replaced in human")

    def add(self) -> None:
        """Add what matters about the user, and stands neither there nor stood there before."""
        wanted = [fact for fact in self._facts if self._belongs(fact)]
        former = [line for line in self._written.former if line.strip()]
        for fact in sorted(wanted, key=lambda it: (-it.worth, str(it.known.created_at), it.known.id)):
            known = fact.known
            if self._stands(known) or any(self._tells(known, line) for line in former):
                continue
            if self.update.counts["added to human"] == MOST_NEW:
                break
            edit = Append(known.text)
            after = applied(self._value, edit)
            if len(after) > FULL * self._limit:
                self.update.counts["no room in human"] += 1
                continue
            self._do(edit, after, "added to human")

    def _do(self, edit: Append | Replace, after: str, what: str) -> None:
        self.update.edits.append(edit)
        self.update.counts[what] += 1
        self._value = after

    def _belongs(self, fact: Fact) -> bool:
        about = fact.known.about
        return (
            fact.holds
            and fact.sure
            and fact.worth >= IMPORTANT
            and about is not None
            and about[0] == USER
            and about[1] in ABOUT
            and "\n" not in fact.known.text
        )

    def _told_again(self, fact: Fact) -> bool:
        """Whether something that holds says the same: the state has returned, or it was known twice."""
        old = fact.known
        return any(
            other.holds
            and (
                compare(other.known.text, old.text) in ("same", "more")
                if old.about is None or old.about != other.known.about
                else same_words(other.known.value, old.value) and negated(other.known.text) == negated(old.text)
            )
            for other in self._facts
            if other.known.about == old.about or other.known.about is None or old.about is None
        )

    def _said_by(self, known: Known, line: str) -> bool:
        """Whether a line, or a clause of it, says what a fact says."""
        own = self._of(known.text)
        if len(own) < 2 or set(own).isdisjoint(self._of(line)):
            return False
        return self._whole(known, line) or any(
            self._said(clause)[: len(own)] == own and negated(clause) == negated(known.text)
            for clause in _CLAUSE.split(_bare(line))
        )

    def _whole(self, known: Known, line: str) -> bool:
        """Whether a line says nothing but what the fact says."""
        said = self._said(_bare(line))
        if len(said) < 2 or not within(said, self._of(known.text)) or negated(line) != negated(known.text):
            return False
        return set(self._of(known.value or "")) <= set(said)

    def _said(self, text: str) -> list[str]:
        """The words of a line, without the user's name before them."""
        said = self._of(text)
        name = next((name for name in self._names if said[: len(name)] == name), [])
        return said[len(name) :]

    def _stands(self, known: Known, but: int | None = None) -> bool:
        lines = self._value.split("\n")
        return any(self._tells(known, line) for place, line in enumerate(lines) if place != but)

    def _tells(self, known: Known, line: str) -> bool:
        """Whether a line tells a fact, generously: what is there in other words is not added again."""
        said, own, value = self._of(_bare(line)), self._of(known.text), self._of(known.value or "")
        if value and any(said[at : at + len(value)] == value for at in range(len(said))):
            return True
        return bool(own) and own[0] in said and within(own, said) and negated(line) == negated(known.text)

    def _of(self, text: str) -> list[str]:
        if text not in self._words:
            self._words[text] = words(text)
        return self._words[text]


def _age(fact: Fact) -> int:
    return fact.known.version


def _bare(line: str) -> str:
    return _BULLET.sub("", line, count=1)


def _swapped(line: str, old: Known, new: Known) -> str | None:
    """A line that says more than a fact, with the fact's new value in it; None where it cannot be told apart."""
    if not old.value or not new.value or old.about != new.about or line.count(old.value) != 1:
        return None
    _, after = line.split(old.value)
    # Porto Alegre is not Porto.
    return (
        None
        if re.match(r"[\w'’-]|\s+[^\W\d_a-z]\w", after) and not _UNSPACED.match(after)
        else line.replace(old.value, new.value)
    )


def successor(known: Mapping[str, Known], by: Mapping[str, str], first: str, holding: Collection[str]) -> Known | None:
    """What holds in the place of the fact `first` now, along what superseded what; None where nothing does."""
    seen = {first}
    at = by.get(first)
    while at is not None and at not in seen:
        if at in holding:
            return known[at]
        seen.add(at)
        at = by.get(at)
    return None
