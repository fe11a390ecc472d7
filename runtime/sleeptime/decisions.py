"""What is proposed to memory, and what may be decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from .known import about
from .operations import Operation


@dataclass(frozen=True, slots=True)
class Proposal:
    """An operation with its times made certain."""

    operation: Operation
    said_at: datetime
    """When the user said it."""
    starts: datetime | None = None
    """From when on it holds, where that was said."""
    ends: datetime | None = None
    sources: tuple[str, ...] = ()
    """The ids of the messages that say it."""
    turns: frozenset[str] = frozenset()
    """The turns that those belong to."""

    @property
    def about(self) -> tuple[str, str] | None:
        return about(self.operation.subject, self.operation.attribute)

    @property
    def basis(self) -> str:
        return "stated" if self.operation.explicit else "inferred"


@dataclass(frozen=True, slots=True)
class Add:
    """Keep it, from `starts` until `ends` where they are known. With `past` it is over, and that memory came after it;
    with `disputes` it waits for the user's decision between the two."""

    starts: datetime | None = None
    ends: datetime | None = None
    past: str | None = None
    disputes: str | None = None


@dataclass(frozen=True, slots=True)
class Replace:
    """Keep it in the place of `old`, which held until `ended`; None where it says the same, only better."""

    old: str
    ended: datetime | None = None
    starts: datetime | None = None
    text: str | None = None
    """What it is to say, where that is not the operation's own text."""


@dataclass(frozen=True, slots=True)
class Reword:
    """`old`, which the agent wrote down when the user said it, says the same in other words: the new memory stands for
    both."""

    old: str


@dataclass(frozen=True, slots=True)
class Annotate:
    """It is known as `old`; let that one know what it says of whom."""

    old: str


@dataclass(frozen=True, slots=True)
class End:
    """`old` held until `at`, and nothing took its place."""

    old: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Retire:
    """`old` was wrong."""

    old: str


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing is done, and why."""

    why: Literal["known", "less", "unknown", "by hand", "lower standing", "instruction"]
    old: str | None = None


Decision = Add | Replace | Reword | Annotate | End | Retire | Skip
