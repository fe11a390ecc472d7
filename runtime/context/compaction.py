"""Planning a compaction: which messages leave the window, and how those that stay are rendered.

The request that is being worked on stays, and comes first: some providers take no other beginning. No call is parted
from its result. A plan always exists, and always ends: what stays is shortened until it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .entries import Entry, resize
from .parts import Manner
from .tokens import TokenCounter

_SMALLEST_CAP = 48
"""A result that is cut shorter than that tells less than the summary will."""
_SMALLEST_SUMMARY = 48


@dataclass(frozen=True, slots=True)
class Plan:
    """What a compaction is to do."""

    evicted: tuple[Entry, ...]
    """The messages that become part of the summary, oldest first."""
    first: int
    """The ordinal from which on all messages stay."""
    lead: int
    """The ordinal of the user's message that stays although some after it leave; 0 if there is none."""
    cap: int
    """Tokens at which a text in a message that stays is shortened."""
    bare: int
    """The ordinal before which messages lose their notes of recall; the present turn keeps its own if there is room."""
    summary: int
    """Tokens that the summary may take."""


def groups_of(entries: Sequence[Entry]) -> list[tuple[Entry, ...]]:
    """The messages in groups that must stay together: a reply with its calls and their results, or one message."""
    starts = [index for index, entry in enumerate(entries) if entry.role != "tool" or index == 0]
    return [tuple(entries[a:b]) for a, b in pairwise([*starts, len(entries)])]


def plan_compaction(
    entries: Sequence[Entry], fixed: int, target: int, cap: int, counter: TokenCounter, turn: str | None
) -> Plan:
    """Choose what stays so that `fixed` + summary + messages is at most `target` tokens.

    `fixed` is what system text, tools and the new head take; `cap` is the largest text that may stay whole; `turn` is
    the one under way.
    """
    room = max(target - fixed, 2 * _SMALLEST_SUMMARY)
    summary = max(_SMALLEST_SUMMARY, min(target // 5, room // 3))
    room -= summary
    lead, end = _lead(entries, turn), entries[-1].ordinal + 1 if entries else 0
    groups = [group for group in groups_of(entries) if group[0] is not lead]
    sizes = _Sizes(counter, min(cap, max(_SMALLEST_CAP, room // 2)), lead.ordinal if lead is not None else end)
    while True:
        if lead is not None and sizes.of(lead) > room * 3 // 4:
            sizes.bare = end
        kept = _newest(groups, room - (sizes.of(lead) if lead is not None else 0), sizes)
        if kept or not groups or sizes.cap <= _SMALLEST_CAP:
            break
        sizes.cap = max(_SMALLEST_CAP, sizes.cap // 2)
    while kept and lead is not None and kept[0][0].ordinal < lead.ordinal and kept[0][0].role != "user":
        kept.pop(0)  # the window is to begin with something that a user said
    stay = {entry.ordinal for group in kept for entry in group}
    first = min(stay, default=end)
    leads = lead.ordinal if lead is not None and lead.ordinal < first else 0
    evicted = tuple(entry for entry in entries if entry.ordinal not in stay and entry is not lead)
    return Plan(evicted, first, leads, sizes.cap, sizes.bare, summary)


@dataclass(slots=True)
class _Sizes:
    """The tokens that messages take once they have been through the compaction."""

    counter: TokenCounter
    cap: int
    bare: int

    def of(self, *entries: Entry) -> int:
        return sum(
            resize(entry, self.counter, Manner(self.cap, old=True, bare=entry.ordinal < self.bare)) for entry in entries
        )


def _lead(entries: Sequence[Entry], turn: str | None) -> Entry | None:
    """What the user said last, in the turn under way where there is one."""
    said = [entry for entry in entries if entry.role == "user"]
    return next((entry for entry in said if entry.turn == turn), said[-1] if said else None)


def _newest(groups: list[tuple[Entry, ...]], left: int, sizes: _Sizes) -> list[tuple[Entry, ...]]:
    """As many of the newest groups as fit, oldest first."""
    kept: list[tuple[Entry, ...]] = []
    for group in reversed(groups):
        left -= sizes.of(*group)
        if left < 0:
            break
        kept.insert(0, group)
    return kept


def transcript(entries: Sequence[Entry], counter: TokenCounter, cap: int) -> list[dict[str, Any]]:
    """What a summary is made from: who said what, and what tools returned, without notes, withheld parts and blocks.

    Of what tools returned, each part is cut to a quarter of `cap`, the tokens that a text may take.
    """
    said = []
    for entry in entries:
        text = "\n".join(part["text"] for part in entry.parts if part["type"] == "text" and not part.get("withheld"))
        if text.strip():
            most = cap // 4 if entry.role == "tool" else cap
            said.append({"role": entry.role, "at": entry.at, "text": counter.shorten(text, most)})
    return said
