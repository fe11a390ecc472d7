"""Events of archived passages."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, insert, select

from ...clock import stamp
from .. import tables
from ..events import Event
from .rows import current, put_out, succeed

passages = tables.passages

_DEFAULTS = {
    "kind": "fact",
    "tags": [],
    "entities": [],
    "participants": [],
    "importance": 0.5,
    "confidence": 1.0,
    "trust": 0.5,
    "source": [],
    "status": "active",
    "single": False,
    "basis": "",
    "permanent": False,
    "relations": [],
    "evidence": [],
}
_OPTIONAL = (
    *("session", "ordinal", "speaker", "location", "event_time", "valid_from", "valid_to", "expires_at"),
    *("document", "chunk", "origin_id", "subject", "attribute", "value", "disputes"),
)
CHANGEABLE = (
    *("status", "superseded_by", "disputes", "valid_from", "valid_to", "expires_at", "event_time"),
    *("subject", "attribute", "value", "single", "basis", "permanent", "relations", "evidence", "source", "tags"),
    *("entities", "participants", "location", "importance", "confidence", "trust", "uses", "used_at"),
)
"""What may change of a passage that stays the same passage: all that is known of it, but never its text."""


def _added(connection: Connection, event: Event) -> None:
    """`passages` are new ones: id, user, text, and what else is known of each."""
    rows = []
    for passage in event.payload["passages"]:
        rows.append(
            {
                **{name: passage.get(name, default) for name, default in _DEFAULTS.items()},
                **{name: passage.get(name) for name in _OPTIONAL},
                **{name: passage[name] for name in ("id", "user", "text")},
                "stream": event.stream,
                "conversation": event.conversation,
                "turn": event.turn,
                "uses": 0,
                "writer": event.writer,
                "created_at": stamp(event.at),
                "from_seq": event.seq,
            }
        )
    connection.execute(insert(passages), rows)
    # Many at once: a long document has hundreds.
    connection.execute(insert(tables.outbox), [{"kind": "passage", "item": row["id"]} for row in rows])


def _superseded(connection: Connection, event: Event) -> None:
    """The passage `id` is history; `by` says the same anew. What it said held until `valid_to`, where that is known."""
    held = {"valid_to": event.payload["valid_to"]} if event.payload.get("valid_to") else {}
    _change(connection, event, event.payload["id"], status="superseded", superseded_by=event.payload["by"], **held)


def _retired(connection: Connection, event: Event) -> None:
    """The passages `ids` are out of use."""
    for passage_id in event.payload["ids"]:
        _change(connection, event, passage_id, status="retired", retired_at=stamp(event.at))


def _changed(connection: Connection, event: Event) -> None:
    """`changes` are new values of what is known of passages, for a `reason`."""
    for change in event.payload["changes"]:
        values = {name: value for name, value in change.items() if name in CHANGEABLE}
        if "status" in values:
            values["retired_at"] = stamp(event.at) if values["status"] == "retired" else None
        _change(connection, event, change["id"], **values)


def _change(connection: Connection, event: Event, passage_id: str, **changes: Any) -> None:
    succeed(connection, passages, _current(connection, event, passage_id), event.seq, **changes)
    put_out(connection, "passage", passage_id)


def _current(connection: Connection, event: Event, passage_id: str) -> Row[Any]:
    query = select(passages).where(passages.c.id == passage_id, passages.c.stream == event.stream, current(passages))
    return connection.execute(query).one()


HANDLERS = {
    "passage.added": _added,
    "passage.superseded": _superseded,
    "passage.retired": _retired,
    "passage.changed": _changed,
}
