"""An exported agent is the same agent after its import, and a broken file imports nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.edit import Append, Author, Create, apply_edit
from pagekeeper.runtime.directory import create_agent, list_agents
from pagekeeper.runtime.errors import AlreadyExists, UsageError
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Journal, Transaction
from pagekeeper.runtime.journal.refold import STATE, differences
from pagekeeper.runtime.journal.transfer import export, restore

OpenHome = Callable[[str], Journal]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[OpenHome]:
    opened: list[Journal] = []

    def open_home(name: str) -> Journal:
        (tmp_path / name).mkdir()
        opened.append(Journal.open(tmp_path / name, clock=ManualClock(), ids=RandomIds()))
        return opened[-1]

    yield open_home
    for journal in opened:
        journal.close()


def lines_of(journal: Journal) -> list[str]:
    """An export of an agent with a block that was edited."""

    def live(transaction: Transaction) -> str:
        agent = create_agent(transaction, "小林")
        apply_edit(transaction, agent, "me", "notes", Create("", "one\r\n\ttwo"), Author("user"))
        apply_edit(transaction, agent, "me", "notes", Append("</block> \u2028 三"), Author("user"))
        return agent

    agent = journal.write_now(live)
    return journal.read_now(lambda connection: list(export(connection, agent)))


def test_an_import_has_the_same_events_and_state(home: OpenHome) -> None:
    here, there = home("here"), home("there")
    lines = lines_of(here)
    assert all("\n" not in line for line in lines)
    assert there.write_now(partial(restore, lines=lines)) == ("小林", 3)
    for table in (tables.events, *STATE):
        columns = [column for column in table.c if column.name != "row"]
        same = [journal.read_now(lambda it, c=columns: it.execute(select(*c)).all()) for journal in (here, there)]  # type: ignore[misc]
        assert same[0] == same[1], table.name
    assert there.read_now(differences) == {}
    agent = json.loads(lines[0])["agent"]
    assert there.read_now(lambda connection: list(export(connection, agent))) == lines


def test_an_agent_is_imported_once(home: OpenHome) -> None:
    here = home("here")
    lines = lines_of(here)
    with pytest.raises(AlreadyExists, match="in this home already"):
        here.write_now(partial(restore, lines=lines))


def test_a_taken_name_needs_another(home: OpenHome) -> None:
    here, there = home("here"), home("there")
    lines = lines_of(here)
    there.write_now(partial(create_agent, name="小林"))
    with pytest.raises(AlreadyExists, match="--as"):
        there.write_now(partial(restore, lines=lines))
    assert there.write_now(partial(restore, lines=lines, name="lin")) == ("lin", 3)
    assert {entry.name for entry in there.read_now(list_agents)} == {"lin", "小林"}


def test_a_broken_file_imports_nothing(home: OpenHome) -> None:
    here, there = home("here"), home("there")
    lines = lines_of(here)
    created = json.loads(lines[1])
    strange = json.dumps(created | {"type": "agent.sang"})
    odd = json.dumps(json.loads(lines[2]) | {"payload": {"label": ["x"]}})
    broken: list[tuple[list[str], str]] = [
        ([], "Line 1 of the export is broken: it is not JSON"),
        (["{}"], "no export of an agent"),
        ([lines[0].replace('"version":1', '"version":9')], "format version 9"),
        (lines[:-1], "cut short"),
        ([lines[0], lines[1], lines[3], lines[-1]], "Line 3 .*event 2 was expected"),
        ([lines[0], strange, *lines[2:]], "Line 2 .*does not know"),
        ([*lines[:2], "[]", *lines[3:]], "Line 3 .*no JSON object"),
        ([*lines[:2], "[" * 100_000, *lines[3:]], "Line 3 .*not JSON"),
        ([*lines[:2], odd, *lines[3:]], "Line 3 .*does not fit"),
        ([*lines[:2], '{"events": 7}'], "says that there are 7 events, and there are 1"),
    ]
    for given, words in broken:
        with pytest.raises(UsageError, match=words):
            there.write_now(partial(restore, lines=given))
        assert there.read_now(list_agents) == []
