"""Taking up what a dead process left: a turn in the middle, and inputs that no turn has taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from .calls import Call, Caller
from .journal import tables
from .journal.journal import Journal
from .journal.statement import Statement
from .locks import Locks
from .scope import Scope
from .stream import StreamEvent, Warned
from .turn import Turn

SHOWN = 80
"""The most characters of interrupted words that are shown."""

_OPEN = Statement(
    select(tables.turns.c.id)
    .where(tables.turns.c.conversation == bindparam("conversation"), tables.turns.c.ended_seq.is_(None))
    .order_by(tables.turns.c.started_seq)
)


@dataclass(frozen=True, slots=True)
class LeftInput:
    """Something that a user said and that no turn has answered. `interrupted` is its turn, if it had begun."""

    seq: int
    """The number of the event that queued it."""
    id: str
    conversation: str
    user: str
    text: str
    interrupted: str | None = None


def open_calls(connection: Connection, turn: str) -> list[tuple[Call, bool]]:
    """The calls of a turn that have no result, in order; and whether each had begun to act outside."""
    messages, events = tables.messages, tables.events
    query = select(messages).where(messages.c.turn == turn, messages.c.to_seq.is_(None)).order_by(messages.c.ordinal)
    rows = connection.execute(query).all()
    answered = {row.call_id for row in rows if row.role == "tool"}
    waiting = [call for row in rows for call in row.calls if call["id"] not in answered]
    if not waiting:
        return []
    query = select(events.c.type, events.c.payload).where(
        events.c.turn == turn, events.c.type.in_(["call.started", "model.replied"])
    )
    started: set[str] = set()
    finish: dict[str, str] = {}
    for type, payload in connection.execute(query).all():
        if type == "call.started":
            started.add(payload["call_id"])
        else:
            finish.update((call["id"], payload["finish"]) for call in payload["message"].get("calls", ()))
    return [
        (Call(call["id"], call["name"], call["arguments"], finish.get(call["id"], "stop")), call["id"] in started)
        for call in waiting
    ]


def open_turns(connection: Connection, conversation: str) -> list[str]:
    """The ids of the turns that have not ended, oldest first.

    Under the conversation's lock: whoever ran one of them is dead, or could not commit its end.
    """
    return [row.id for row in _OPEN.all(connection, {"conversation": conversation})]


async def recover(
    journal: Journal,
    scope: Scope,
    caller: Caller,
    left: list[str],
    emit: Callable[[StreamEvent], None],
    again: str | None = None,
) -> None:
    """End the turns that were left in the middle. The caller holds the lock; its window is up to date.

    The user is told of each, since nothing else tells of it once they have said something new; but not of the turn
    `again`, which is about to be run again.
    """
    for turn_id in left:
        turn = Turn(turn_id, scope, journal, emit)
        turn.step = await journal.read(lambda connection, it=turn_id: _last_step(connection, it))  # type: ignore[misc]
        for call, started in await journal.read(lambda connection, it=turn_id: open_calls(connection, it)):  # type: ignore[misc]
            await caller.finish(turn, call, started)
        await turn.write(lambda transaction, it=turn: it.end(transaction, "interrupted"))  # type: ignore[misc]
        if turn_id != again:
            words = await journal.read(lambda connection, it=turn_id: _words(connection, it))  # type: ignore[misc]
            emit(Warned(f"Your earlier words {words!r} were interrupted before they were answered."))


def _words(connection: Connection, turn: str) -> str:
    """What the user had said, on one line, cut short where it is long."""
    inputs, turns = tables.inputs, tables.turns
    query = select(inputs.c.text).join(turns, turns.c.input == inputs.c.id).where(turns.c.id == turn)
    words = " ".join(str(connection.execute(query).scalar() or "").split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"


def _last_step(connection: Connection, turn: str) -> int:
    messages = tables.messages
    query = select(messages.c.step).where(messages.c.turn == turn).order_by(messages.c.ordinal.desc()).limit(1)
    return connection.execute(query).scalar() or 1


def left_inputs(connection: Connection, locks: Locks, agent: str, user: str | None = None) -> list[LeftInput]:
    """What dead processes left unanswered in an agent's conversations, oldest first.

    An interrupted turn counts as well, until the user has said something else in its conversation.
    """
    inputs, turns = tables.inputs, tables.turns
    where = [inputs.c.stream == agent] + ([inputs.c.user == user] if user is not None else [])
    queued = connection.execute(select(inputs).where(*where, tables.queued)).all()
    left = [
        LeftInput(row.seq, row.id, row.conversation, row.user, row.text) for row in queued if not locks.alive(row.owner)
    ]
    broken = (
        select(inputs, turns.c.id.label("turn_id"), turns.c.ended_seq, turns.c.owner.label("turn_owner"))
        .join(turns, (turns.c.id == inputs.c.turn) & (turns.c.input == inputs.c.id))
        .where(*where, turns.c.stream == agent, tables.broken, inputs.c.state == "taken")
    )
    for row in connection.execute(broken).all():
        later = select(inputs.c.id).where(
            inputs.c.conversation == row.conversation, inputs.c.seq > row.seq, inputs.c.state != "dropped"
        )
        running = row.ended_seq is None and locks.alive(row.turn_owner)
        if not running and connection.execute(later.limit(1)).first() is None:
            left.append(LeftInput(row.seq, row.id, row.conversation, row.user, row.text, row.turn_id))
    return sorted(left, key=lambda one: one.seq)
