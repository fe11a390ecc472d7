"""The state tables are what the events make of them; what differs is found, and put right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, update

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.edit import Append, Author, Create, Delete, Operation, apply_edit
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Journal, Transaction
from pagekeeper.runtime.journal.refold import check, differences, rebuild

AGENT = "ag-1"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal.open(tmp_path, clock=ManualClock(), ids=CountingIds())
    journal.write_now(_live)
    yield journal
    journal.close()


def _live(transaction: Transaction) -> None:
    """Some of an agent's life: blocks come, change and go, and a message is said."""
    transaction.append("agent.created", {"name": "ada"}, stream=AGENT, writer="user")
    conversation = {"id": "cv-1", "name": "main", "user": "me"}
    transaction.append("conversation.created", conversation, stream=AGENT, writer="user")
    steps: list[tuple[str, Operation]] = [
        ("notes", Create("what matters", "one")),
        ("notes", Append("two")),
        ("other", Create("")),
        ("other", Delete()),
        ("other", Create("again", "三")),
    ]
    for label, operation in steps:
        apply_edit(transaction, AGENT, "me", label, operation, Author("user"))
    message = {"id": "m-1", "parts": [{"type": "text", "text": "hello"}]}
    transaction.append("model.replied", {"message": message}, stream=AGENT, writer="agent", conversation="cv-1")


def test_a_sound_journal_has_no_faults(journal: Journal) -> None:
    assert journal.read_now(check) == []
    assert journal.read_now(differences) == {}
    assert journal.write_now(rebuild) == {}


def test_state_that_went_wrong_is_found_and_put_right(journal: Journal) -> None:
    def state(transaction: Transaction) -> list[object]:
        return [transaction.connection.execute(select(table)).all() for table in (tables.blocks, tables.messages)]

    before = journal.write_now(state)

    def spoil(transaction: Transaction) -> None:
        connection = transaction.connection
        connection.execute(update(tables.blocks).where(tables.blocks.c.value == "三"), {"value": "四"})
        connection.execute(delete(tables.messages))
        connection.execute(insert(tables.counters), {"conversation": "x", "name": "y", "stream": AGENT, "value": 1})

    journal.write_now(spoil)
    assert journal.read_now(differences) == {"blocks": 2, "counters": 1, "messages": 1}
    assert journal.write_now(rebuild) == {"blocks": 2, "counters": 1, "messages": 1}
    assert journal.write_now(state) == before
    assert journal.read_now(differences) == {}


def test_the_archive_is_told_of_what_was_put_right(journal: Journal) -> None:
    def newest(transaction: Transaction) -> object:
        return transaction.connection.execute(select(tables.outbox.c.item).order_by(tables.outbox.c.n.desc())).scalar()

    journal.write_now(lambda transaction: transaction.connection.execute(delete(tables.outbox)) and None)
    journal.write_now(lambda transaction: transaction.connection.execute(delete(tables.messages)) and None)
    journal.write_now(rebuild)
    assert journal.write_now(newest) == "m-1"


def test_missing_events_are_found(journal: Journal) -> None:
    journal.write_now(
        lambda transaction: (
            transaction.connection.execute(delete(tables.events).where(tables.events.c.seq == 3)) and None
        )
    )
    assert journal.read_now(check) == ["Stream ag-1 has 7 events numbered 1 to 8; numbers are missing."]
