"""Planning a compaction: which messages leave the window, and how those that stay are rendered.

No call is parted from its result. A plan always exists, and always ends: what stays is shortened until it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .entries import OVERHEAD, Entry
from .parts import render_parts
from .tokens import TokenCounter

_SMALLEST_CAP = 24
_SMALLEST_SUMMARY = 48


@dataclass(frozen=True, slots=True)
class Plan:
    """What a compaction is to do."""

    evicted: tuple[Entry, ...]
    """The messages that become part of the summary, oldest first."""
    first: int
    """The ordinal of the first message that stays."""
    cap: int
    """Tokens at which a part of a message that stays is shortened."""
    summary: int
    """Tokens that the summary may take."""
    present: str
    """The user's words of the present turn, if they leave; the summary must keep them."""


def groups_of(entries: Sequence[Entry]) -> list[tuple[Entry, ...]]:
    """The messages in groups that must stay together: a reply with its calls and their results, or one message."""
    starts = [index for index, entry in enumerate(entries) if entry.role != "tool" or index == 0]
    return [tuple(entries[a:b]) for a, b in pairwise([*starts, len(entries)])]


def plan_compaction(
    entries: Sequence[Entry], fixed: int, target: int, cap: int, counter: TokenCounter, turn: str | None
) -> Plan:
    """Choose what stays so that `fixed` + summary + messages is at most `target` tokens.

    `fixed` is what system text, tools and the new head take; `cap` is the largest part that may stay whole.
    """
    room = max(target - fixed, 2 * _SMALLEST_SUMMARY)
    summary = max(_SMALLEST_SUMMARY, min(target // 5, room // 3))
    room -= summary
    groups = groups_of(entries)
    cap = min(cap, max(_SMALLEST_CAP, room // 2))
    while True:
        kept: list[tuple[Entry, ...]] = []
        left = room
        for group in reversed(groups):
            left -= sum(old_size(entry, counter, cap) for entry in group)
            if left < 0 and kept:
                break
            kept.append(group)
            if left < 0:
                break
        if left >= 0 or len(kept) > 1 or cap <= _SMALLEST_CAP:
            break
        cap = max(_SMALLEST_CAP, cap // 2)
    stay = sum(len(group) for group in kept)
    evicted = tuple(entries[: len(entries) - stay])
    first = entries[len(entries) - stay].ordinal if entries else 0
    present = ""
    for entry in evicted:
        if turn is not None and entry.turn == turn and entry.role == "user":
            present = "\n".join(part["text"] for part in entry.parts if part["type"] == "text")
    return Plan(evicted, first, cap, summary, present)


def old_size(entry: Entry, counter: TokenCounter, cap: int) -> int:
    """An upper bound of the tokens that the message takes once it is older than the epoch."""
    text = render_parts(entry.parts, counter, cap, old=True, bare=True)
    calls = sum(min(counter.count(call["arguments"]), cap) + counter.count(call["name"]) + 8 for call in entry.calls)
    return counter.count(text) + calls + OVERHEAD * (1 + len(entry.calls))


def transcript(entries: Sequence[Entry], counter: TokenCounter, cap: int) -> list[dict[str, Any]]:
    """What a summary is made from: who said what, without notes, withheld parts, tool traffic and block values."""
    said = []
    for entry in entries:
        text = "\n".join(part["text"] for part in entry.parts if part["type"] == "text" and not part.get("withheld"))
        if text.strip() and entry.role != "tool":
            said.append({"role": entry.role, "at": entry.at, "text": counter.shorten(text, cap)})
    return said
