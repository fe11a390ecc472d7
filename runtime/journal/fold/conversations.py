"""Events of a conversation: inputs, turns, messages, epochs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from ...clock import parse_stamp, stamp
from .. import tables
from ..events import Event
from ..statement import Statement
from .rows import add, change, close, current, put, put_out, succeed

SESSION_GAP = timedelta(hours=1)
"""A pause after which the next message starts a new session."""

messages, epochs, counters = tables.messages, tables.epochs, tables.counters

_LAST = Statement(
    select(messages.c.ordinal, messages.c.session, messages.c.at, messages.c.user)
    .where(messages.c.conversation == bindparam("conversation"))
    .order_by(messages.c.ordinal.desc())
    .limit(1)
)
_USER = select(tables.conversations.c.user).where(tables.conversations.c.id == bindparam("conversation"))
_MESSAGE = select(messages).where(messages.c.id == bindparam("id"), current(messages))
_EPOCH = select(epochs).where(epochs.c.conversation == bindparam("conversation"), current(epochs))
_COUNT = Statement(
    update(counters)
    .where(counters.c.conversation == bindparam("its_conversation"), counters.c.name == bindparam("its_name"))
    .values(value=counters.c.value + bindparam("by"))
)


def _input_queued(connection: Connection, event: Event) -> None:
    payload = event.payload
    add(
        connection,
        tables.inputs,
        {
            "id": payload["id"],
            "stream": event.stream,
            "conversation": event.conversation,
            "user": payload["user"],
            "text": payload["text"],
            "owner": payload["owner"],
            "at": stamp(event.at),
            "seq": event.seq,
            "state": "queued",
        },
    )


def _input_adopted(connection: Connection, event: Event) -> None:
    """A living process takes over what a dead one left unanswered."""
    change(connection, tables.inputs, {"id": event.payload["id"]}, owner=event.payload["owner"], state="queued")


def _input_dropped(connection: Connection, event: Event) -> None:
    change(connection, tables.inputs, {"id": event.payload["id"]}, state="dropped")


def _turn_started(connection: Connection, event: Event) -> None:
    payload = event.payload
    add(
        connection,
        tables.turns,
        {
            "id": event.turn,
            "stream": event.stream,
            "conversation": event.conversation,
            "input": payload["input"],
            "owner": payload["owner"],
            "started_seq": event.seq,
        },
    )
    change(connection, tables.inputs, {"id": payload["input"]}, state="taken", turn=event.turn)
    _say(connection, event, "user", payload["message"], text=payload["text"])
    for label, revision in payload.get("used", {}).items():
        _use(connection, event, label, revision)
    _count(connection, event)


def _turn_ended(connection: Connection, event: Event) -> None:
    change(connection, tables.turns, {"id": event.turn}, ended_seq=event.seq, reason=event.payload["reason"])


def _model_replied(connection: Connection, event: Event) -> None:
    message = event.payload["message"]
    text = "\n".join(part["text"] for part in message["parts"] if part["type"] == "text")
    _say(connection, event, "assistant", message, text=text)


def _message_logged(connection: Connection, event: Event) -> None:
    """What was said elsewhere, and is told by a program: it belongs to no turn. A message may say `at` which time."""
    _say(connection, event, event.payload["role"], event.payload["message"], text=event.payload["text"])


def _call_result(connection: Connection, event: Event) -> None:
    _say(connection, event, "tool", event.payload["message"], text="")
    for label, revision in event.payload.get("used", {}).items():
        _use(connection, event, label, revision)
    for label in event.payload.get("released", ()):
        key = {"conversation": event.conversation, "label": label}
        put(connection, tables.block_uses, key, stream=event.stream, seq=-1, revision=0)
    _count(connection, event)


def _note_added(connection: Connection, event: Event) -> None:
    """The parts stand in the order in which they came, so that a place means the same in every version of a message."""
    row = connection.execute(_MESSAGE, {"id": event.payload["message"]}).one()
    succeed(connection, messages, row, event.seq, parts=row.parts + event.payload["parts"])
    for label, revision in event.payload.get("used", {}).items():
        _use(connection, event, label, revision)
    _count(connection, event)


def _say(connection: Connection, event: Event, role: str, message: dict[str, Any], text: str) -> None:
    """Add a message to the log."""
    where = {"conversation": event.conversation}
    last = _LAST.one(connection, where)
    at = parse_stamp(message["at"]) if "at" in message else event.at
    if last is not None:
        session, user = last.session + (at - parse_stamp(last.at) >= SESSION_GAP), last.user
    else:
        session, user = 1, connection.execute(_USER, where).scalar_one()
    add(
        connection,
        messages,
        {
            "stream": event.stream,
            "id": message["id"],
            "conversation": event.conversation,
            "user": user,
            "turn": event.turn,
            "step": event.step,
            "ordinal": last.ordinal + 1 if last else 1,
            "session": session,
            "role": role,
            "parts": message["parts"],
            "calls": message.get("calls", []),
            "call_id": message.get("call_id"),
            "partial": message.get("partial", False),
            "text": text,
            "at": stamp(at),
            "from_seq": event.seq,
        },
    )
    if text:
        put_out(connection, "message", message["id"])


def _epoch_started(connection: Connection, event: Event) -> None:
    row = connection.execute(_EPOCH, {"conversation": event.conversation}).one_or_none()
    if row is not None:
        close(connection, epochs, row, event.seq)
    values = {key: value for key, value in event.payload.items() if key != "counts"}
    add(
        connection,
        epochs,
        {**values, "stream": event.stream, "conversation": event.conversation, "from_seq": event.seq},
    )
    for label, revision in event.payload["resident"].items():
        _see(connection, event, label, revision)
    _count(connection, event)


def _use(connection: Connection, event: Event, label: str, revision: int) -> None:
    """The conversation has used a block: it is now the last to leave the head."""
    key = {"conversation": event.conversation, "label": label}
    put(connection, tables.block_uses, key, stream=event.stream, seq=event.seq, revision=revision)


def _see(connection: Connection, event: Event, label: str, revision: int) -> None:
    """The conversation has been shown a block, which is no use of it."""
    key = {"conversation": event.conversation, "label": label}
    if not change(connection, tables.block_uses, key, revision=revision):
        add(connection, tables.block_uses, {**key, "stream": event.stream, "seq": 0, "revision": revision})


def _count(connection: Connection, event: Event) -> None:
    for name, by in event.payload.get("counts", {}).items():
        key = {"conversation": event.conversation, "name": name}
        its = {"its_conversation": event.conversation, "its_name": name, "by": by}
        if not _COUNT.change(connection, its):
            add(connection, counters, {**key, "stream": event.stream, "value": by})


def _nothing(_connection: Connection, _event: Event) -> None:
    """The event is for the record; it changes no state."""


HANDLERS = {
    "input.queued": _input_queued,
    "input.adopted": _input_adopted,
    "input.dropped": _input_dropped,
    "turn.started": _turn_started,
    "turn.ended": _turn_ended,
    "model.replied": _model_replied,
    "model.failed": _nothing,
    "message.logged": _message_logged,
    "call.started": _nothing,
    "call.result": _call_result,
    "note.added": _note_added,
    "epoch.started": _epoch_started,
}
