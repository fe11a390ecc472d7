"""`pagekeeper memory sweep`: what is due is said, goes, and comes back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import add
from pagekeeper.runtime.clock import SystemClock
from pagekeeper.runtime.directory import find_agent
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal.journal import Journal
from pagekeeper.tests.cli.conftest import Say
from pagekeeper.tests.support.archives import scope

PAST = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def passages(home: Path) -> list[str]:
    """The ids of a passage that has expired and of one that has not."""
    journal = Journal.open(home, clock=SystemClock(), ids=RandomIds())
    agent = journal.read_now(lambda connection: find_agent(connection, "main")).id
    drafts = [Draft("The offer\nstands.", expires_at=PAST), Draft("The offer was made.")]
    made = journal.write_now(lambda tx: add(tx, scope(agent, "user"), drafts))
    journal.close()
    return made


def test_what_is_due_goes_and_comes_back(say: Say, passages: list[str]) -> None:
    said = say("memory", "sweep", "--dry-run")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{passages[0][:8]}  expired: The offer stands.\nWould retire 1 passage, expired.\n"
    said = say("memory", "sweep")
    assert f"{passages[0][:8]}  expired: The offer stands.\nRetired 1 passage, expired.\n" in said.out
    undo = said.out.split("`")[1].split()
    assert undo[:3] == ["pagekeeper", "memory", "undo"]
    assert f"retired {passages[0][:8]} (expired)" in say("memory", "history").out
    assert say(*undo[1:]).out == "Restored 1 thing.\n"
    found = {hit["id"] for hit in say("memory", "search", "offer", "--json").json}
    assert found == set(passages)
    assert say("memory", "sweep").err.strip().endswith("Nothing is due.")


def test_as_json_and_by_the_settings(
    say: Say, passages: list[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "config.toml").write_text("[memory]\nunused_days = 0.0000001\n")
    said = say("memory", "sweep", "--json").json
    assert [(one["reason"], [it["id"] for it in one["passages"]]) for one in said] == [
        ("expired", passages[:1]),
        ("unused", passages[1:]),
    ]
    assert all(one["event"].startswith("ev-") for one in said)
    monkeypatch.setenv("PAGEKEEPER_MEMORY_MOST", "0")
    assert "must be at least 1" in say("memory", "sweep").err


def test_what_is_hardly_trusted_is_found_by_who_asks(say: Say, home: Path) -> None:
    journal = Journal.open(home, clock=SystemClock(), ids=RandomIds())
    agent = journal.read_now(lambda connection: find_agent(connection, "main")).id
    journal.write_now(lambda tx: add(tx, scope(agent, "user"), [Draft("The offer was void.", trust=0.2)]))
    journal.close()
    assert say("memory", "search", "offer").out == ""
    assert "The offer was void." in say("memory", "search", "offer", "--untrusted").out
