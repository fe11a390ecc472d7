"""A process that is killed with `kill -9` while it works loses nothing and does nothing twice.

The suite runs a sample. All failpoints, each time they are reached, and a hundred random points:

    .venv/bin/python -m pytest tests/e2e/test_kill.py --kill all

tests/support/killing.py says what the process does and what is looked at afterwards.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pagekeeper.tests.support.killing import Death, die, examine, rehearse

SAMPLE = 8
"""Failpoints that the suite tries, spread over the work."""
RANDOM_SAMPLE = 2
RANDOM = 100

IN_RECOVERY = [
    "journal.after_commit.call.result",
    "journal.before_commit.call.result",
    "journal.before_commit.turn.ended",
    "journal.after_commit.turn.ended",
    "journal.after_commit.turn.started",
]
"""Where the process that takes up what the first one left may die as well."""

NEEDED = {
    *(
        f"journal.{side}_commit.{type}"
        for side in ("before", "after")
        for type in (
            "agent.created",
            "conversation.created",
            "block.created",
            "input.queued",
            "turn.started",
            "epoch.started",
            "model.replied",
            "call.started",
            "call.result",
            "block.edited",
            "turn.ended",
        )
    ),
    "call.before",
    "call.after",
}
"""Where a process must at least be able to die in the work that is tried here."""


async def test_a_killed_process_loses_nothing_and_does_nothing_twice(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    everything = request.config.getoption("--kill") == "all"
    (tmp_path / "rehearsal").mkdir()
    reached, lines = rehearse(tmp_path / "rehearsal" / "home")
    assert {name.partition("@")[0] for name in reached} >= NEEDED
    chance = random.Random(len(reached))
    assert "journal.after_commit.epoch.started@2" in reached
    deaths: list[tuple[Death, ...]] = []
    deaths += [(Death(failpoint=name),) for name in (reached if everything else reached[:: len(reached) // SAMPLE])]
    moments = [chance.randrange(1, lines - 10) for _ in range(RANDOM if everything else RANDOM_SAMPLE)]
    deaths += [(Death(lines=moment),) for moment in moments]
    calls = [name for name in reached if name.startswith("call.after")]
    deaths += [
        (Death(failpoint=first), Death(failpoint=second))
        for first in (calls if everything else calls[2:3])
        for second in (IN_RECOVERY if everything else IN_RECOVERY[:1])
    ]
    failures = []
    for number, deaths_in_turn in enumerate(deaths):
        home = tmp_path / str(number) / "home"
        home.parent.mkdir()
        try:
            await examine(home, *[die(home, death) for death in deaths_in_turn])
        except Exception as error:
            failures.append(f"{', then '.join(map(str, deaths_in_turn))}: {type(error).__name__}: {error}")
    assert failures == []
