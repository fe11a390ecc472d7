"""A home with an agent, and the command line run on it within this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import main
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.edit import Append, Author, Create, apply_edit
from pagekeeper.runtime.directory import create_agent
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal.journal import Journal, Transaction


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


Say = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the agent `main`, whose block `notes` was edited once."""
    folder = tmp_path / "home"
    folder.mkdir()
    journal = Journal.open(folder, clock=ManualClock(), ids=CountingIds())

    def live(transaction: Transaction) -> None:
        agent = create_agent(transaction, "main")
        apply_edit(transaction, agent, "me", "notes", Create("what matters", "one\ntwo"), Author("user"))
        apply_edit(transaction, agent, "me", "notes", Append("三"), Author("agent"))
        apply_edit(transaction, agent, "you", "secret", Create("", "yours", per_user=True), Author("user"))

    journal.write_now(live)
    journal.close()
    return folder


@pytest.fixture
def say(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run `pagekeeper ARGUMENTS` on that home."""
    monkeypatch.setenv("PAGEKEEPER_HOME", str(home))

    def run(*arguments: str) -> Said:
        capsys.readouterr()
        try:
            status = main(arguments)
        except SystemExit as exit:
            status = int(exit.code or 0)
        printed = capsys.readouterr()
        return Said(status, printed.out, printed.err)

    return run
