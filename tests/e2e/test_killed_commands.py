"""A command that changes much at once and is killed: all of it is done or nothing, and it can be given again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from pagekeeper.runtime.directory import list_agents
from pagekeeper.runtime.journal.refold import check, differences
from pagekeeper.tests.support.moments import Moment, moment
from pagekeeper.tests.support.processes import Shell

ALLERGY = "I'm allergic to peanuts."

COMMANDS = {
    "agent.rewound": ["agents", "rewind", "main", "--turns", "1", "--yes"],
    "rows.copied": ["agents", "fork", "main", "copy"],
    "memory.forgotten": ["memory", "forget", "peanuts", "--yes"],
    "memory.restored": ["memory", "undo"],
}
"""By a type of event among those that the command commits."""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has been told something, one thing of which it has forgotten."""
    shell = Shell(tmp_path_factory.mktemp("lived") / "home")
    for words in (ALLERGY, "We decided to use PostgreSQL because we need JSONB.", "My sister is called Mia."):
        assert shell.run("ask", words).status == 0
    [done] = shell.run("memory", "forget", "sister Mia", "--yes", "--json").lines
    COMMANDS["memory.restored"] = ["memory", "undo", done["event"]]
    return shell.home


def state(home: Path) -> Any:
    """What each agent of a home knows, without ids, which differ from run to run."""
    with create_engine(f"sqlite:///{home}/journal.sqlite").connect() as connection:
        assert check(connection) == []
        assert differences(connection) == {}
        return [(one.name, _known(moment(connection, one.id))) for one in list_agents(connection)]


def _known(now: Moment) -> list[Any]:
    said = sorted(message["text"] for thread in now.messages.values() for message in thread)
    archived = sorted((passage["text"], passage["status"]) for passage in now.passages.values())
    withheld = sorted((kind, part is None) for kind, _item, part, _event in now.withheld)
    return [sorted(block["value"] for block in now.blocks.values()), said, archived, withheld]


@pytest.mark.parametrize("type", COMMANDS)
def test_a_killed_command_did_all_or_nothing(tmp_path: Path, lived: Path, type: str) -> None:
    shells = {}
    for name in ("whole", "before", "after"):
        shells[name] = Shell(Path(shutil.copytree(lived, tmp_path / name)))
    command = COMMANDS[type]
    untouched = state(lived)
    assert shells["whole"].run(*command).status == 0
    whole = state(shells["whole"].home)
    assert whole != untouched
    for side in ("before", "after"):
        shell = shells[side]
        shell.environment["PAGEKEEPER_FAILPOINT"] = f"journal.{side}_commit.{type}"
        assert shell.run(*command).status == -9
        del shell.environment["PAGEKEEPER_FAILPOINT"]
        assert state(shell.home) == (untouched if side == "before" else whole)
    assert shells["before"].run(*command).status == 0
    assert state(shells["before"].home) == whole
