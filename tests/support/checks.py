"""What must hold of a journal whatever happened to the turns in it."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Connection, func, select

from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.refold import check, differences


def assert_settled(connection: Connection) -> None:
    """No turn is open, no input waits, and every call has exactly one result."""
    turns, inputs = tables.turns, tables.inputs
    assert not connection.execute(select(turns.c.id).where(turns.c.ended_seq.is_(None))).all(), "a turn is open"
    assert not connection.execute(select(inputs.c.id).where(inputs.c.state == "queued")).all(), "an input waits"
    made, answered = calls_of(connection)
    assert made.keys() == answered.keys(), "a call without a result, or a result without a call"
    assert set(made.values()) | set(answered.values()) <= {1}, "a call or a result is there twice"


def assert_whole(connection: Connection) -> None:
    """The file and the numbering of events are right, and the tables are what the events make."""
    assert check(connection) == []
    assert differences(connection) == {}


def waiting(connection: Connection) -> int:
    """How many inputs are queued."""
    inputs = tables.inputs
    return int(connection.execute(select(func.count()).where(inputs.c.state == "queued")).scalar_one())


def calls_of(connection: Connection) -> tuple[Counter[str], Counter[str]]:
    """The ids of the calls that were made, and of those that have a result."""
    events = tables.events
    query = select(events.c.type, events.c.payload).where(events.c.type.in_(["model.replied", "call.result"]))
    made: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for type, payload in connection.execute(query).all():
        if type == "call.result":
            answered[payload["message"]["call_id"]] += 1
        else:
            made.update(call["id"] for call in payload["message"].get("calls", ()))
    return made, answered
