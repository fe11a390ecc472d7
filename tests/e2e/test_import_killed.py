"""An import that is killed: what it had committed stays, and the same command again does the rest."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pagekeeper.runtime.clock import SystemClock
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal.journal import Journal
from pagekeeper.tests.support.checks import assert_whole
from pagekeeper.tests.support.importing import guide, passages, write
from pagekeeper.tests.support.processes import Shell

CHAPTERS = 200
KILLED = -9


@pytest.mark.parametrize(
    ("failpoint", "committed"),
    [
        ("journal.before_commit.passage.added", 0),
        ("journal.after_commit.passage.added@2", 128),
        ("journal.before_commit.passage.added@3", 128),
        ("journal.after_commit.passage.added@7", 401),
    ],
)
def test_what_was_committed_stays_and_the_rest_follows(tmp_path: Path, failpoint: str, committed: int) -> None:
    docs = write(tmp_path / "docs", a__md=guide(CHAPTERS), b__md=guide(CHAPTERS).replace("word", "other"), c__txt="end")
    shell = Shell(tmp_path / "home")
    dying = Shell(shell.home, {"PAGEKEEPER_FAILPOINT": failpoint})
    assert dying.run("memory", "import", str(docs)).status == KILLED
    done = shell.run("memory", "import", str(docs), "--json").lines[0]
    whole = 2 * CHAPTERS + 1
    assert (done["added"], done["present"], done["left_out"]) == (whole - committed, committed, 0)
    journal = Journal.open(shell.home, clock=SystemClock(), ids=RandomIds())
    rows = passages(journal)
    journal.read_now(assert_whole)
    journal.close()
    assert max(Counter(row.text for row in rows).values()) == 1
    assert len(rows) == whole
    for name in ("file:a.md", "file:b.md"):
        mine = [row for row in rows if row.tags == [name]]
        assert len({row.document for row in mine}) == 1
        assert [row.chunk for row in mine] == list(range(CHAPTERS))
    found = json.loads(shell.run("memory", "search", "other7", "--json").out)
    assert found[0]["text"].startswith("Chapter 7\nother7 ")
