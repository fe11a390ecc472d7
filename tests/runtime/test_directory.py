"""The agents of a home, by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.directory import create_agent, delete_agent, find_agent, list_agents
from pagekeeper.runtime.errors import AlreadyExists, InvalidName, NotFound
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal.open(tmp_path, clock=ManualClock(), ids=CountingIds())
    yield journal
    journal.close()


def test_agents_are_listed_found_and_deleted(journal: Journal) -> None:
    for name in ("小林", "ada"):
        journal.write_now(partial(create_agent, name=name))
    listed = journal.read_now(list_agents)
    assert [(entry.name, entry.conversations, entry.messages, entry.seq) for entry in listed] == [
        ("ada", 0, 0, 1),
        ("小林", 0, 0, 1),
    ]
    journal.write_now(lambda tx: delete_agent(tx, "ada"))
    assert [entry.name for entry in journal.read_now(list_agents)] == ["小林"]
    journal.write_now(lambda tx: create_agent(tx, "ada"))
    assert journal.read_now(lambda connection: find_agent(connection, "ada")).id != listed[0].id


def test_a_name_is_taken_once(journal: Journal) -> None:
    journal.write_now(lambda tx: create_agent(tx, "ada"))
    with pytest.raises(AlreadyExists):
        journal.write_now(lambda tx: create_agent(tx, "ada"))


def test_an_unknown_agent_is_answered_with_the_closest(journal: Journal) -> None:
    journal.write_now(lambda tx: create_agent(tx, "ada"))
    with pytest.raises(NotFound, match="Did you mean 'ada'"):
        journal.read_now(lambda connection: find_agent(connection, "adda"))


@pytest.mark.parametrize("name", ["", "../../x", "a\0", "\ud800", "x" * 65, "[/foo]", "x' OR '1'='1"])
def test_a_hostile_name_is_refused(journal: Journal, name: str) -> None:
    with pytest.raises(InvalidName):
        journal.write_now(lambda tx: create_agent(tx, name))
    with pytest.raises(InvalidName):
        journal.read_now(lambda connection: find_agent(connection, name))
