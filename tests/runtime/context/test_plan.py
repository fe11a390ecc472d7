"""What a compaction keeps: as many of the newest messages as fit, and the request that is being worked on."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.context.compaction import groups_of, plan_compaction
from pagekeeper.runtime.context.entries import Entry, make_entry, resize
from pagekeeper.runtime.context.parts import Manner, block_part, note_part, text_part
from pagekeeper.runtime.context.tokens import TokenCounter

COUNTER = TokenCounter()
PART = 1_400


@dataclass
class Row:
    """A row of the table `messages`, as far as an entry needs it."""

    ordinal: int
    role: str
    turn: str
    parts: list[dict[str, Any]]
    calls: list[dict[str, str]] = field(default_factory=list)
    call_id: str | None = None
    at: str = "2026-01-01T09:00:00.000000+00:00"

    @property
    def id(self) -> str:
        return f"m-{self.ordinal}"


sizes = st.sampled_from([1, 5, 40, 300, 3_000])


@st.composite
def windows(draw: Any) -> list[Entry]:
    """The messages of a window in the middle of a turn, with calls and results of all sizes."""
    ordinals, entries = count(draw(st.integers(1, 50))), []

    def add(role: str, turn: str, parts: list[dict[str, Any]], **more: Any) -> None:
        row: Any = Row(next(ordinals), role, turn, parts, **more)
        entries.append(make_entry(row, set(), COUNTER, Manner(PART)))

    for number in range(draw(st.integers(1, 4))):
        turn = f"t{number}"
        notes = [note_part("memory", "now", [text_part("known " * draw(sizes))])] if draw(st.booleans()) else []
        add("user", turn, [*notes, text_part("asked " * draw(sizes))])
        for step in range(draw(st.integers(0, 3))):
            width = draw(st.integers(1, 5))
            calls = [
                {"id": f"c{number}{step}{n}", "name": "read", "arguments": f'{{"a": "{"x " * draw(sizes)}"}}'}
                for n in range(width)
            ]
            add("assistant", turn, [text_part("I look.")], calls=calls)
            for call in calls:
                add("tool", turn, [text_part("found " * draw(sizes)), block_part("b", 1, "v")], call_id=call["id"])
        if draw(st.booleans()):
            add("assistant", turn, [text_part("said " * draw(sizes))])
    return entries


@given(windows(), st.integers(0, 2_500), st.integers(500, 4_000))
def test_a_plan_fits_and_keeps_what_must_stay(entries: list[Entry], fixed: int, target: int) -> None:
    turn = entries[-1].turn
    plan = plan_compaction(entries, fixed, target, PART, COUNTER, turn)
    stay = [entry for entry in entries if entry.ordinal >= plan.first or entry.ordinal == plan.lead]
    assert [entry for entry in entries if entry not in stay] == list(plan.evicted)
    size = sum(resize(entry, COUNTER, Manner(plan.cap, old=True, bare=entry.ordinal < plan.bare)) for entry in stay)
    # Where there is room for the least of it, it ends within the target.
    if target - fixed >= 250:
        assert fixed + plan.summary + size <= target
    # What is worked on stays, and comes first of its turn; nothing is parted.
    asked = next(entry for entry in entries if entry.role == "user" and entry.turn == turn)
    assert asked in stay
    assert stay[0].role == "user"
    for group in groups_of(entries):
        assert len({entry in stay for entry in group}) == 1
    # The newest stay: whatever leaves is older than whatever stays, the request aside.
    rest = [entry.ordinal for entry in stay if entry is not asked]
    assert not rest or all(entry.ordinal < min(rest) for entry in plan.evicted)
