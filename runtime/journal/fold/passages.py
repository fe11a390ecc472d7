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
    "trust": 1.0,
    "source": [],
}
_OPTIONAL = (
    *("session", "ordinal", "speaker", "location", "event_time", "valid_from", "valid_to", "expires_at"),
    *("document", "chunk", "origin_id"),
)


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
                "status": "active",
                "created_at": stamp(event.at),
                "from_seq": event.seq,
            }
        )
    connection.execute(insert(passages), rows)
    # Many at once: a long document has hundreds.
    connection.execute(insert(tables.outbox), [{"kind": "passage", "item": row["id"]} for row in rows])


def _superseded(connection: Connection, event: Event) -> None:
    """The passage `id` is history; `by` says the same anew."""
    _change(connection, event, event.payload["id"], status="superseded", superseded_by=event.payload["by"])


def _retired(connection: Connection, event: Event) -> None:
    """The passages `ids` are out of use."""
    for passage_id in event.payload["ids"]:
        _change(connection, event, passage_id, status="retired")


def _change(connection: Connection, event: Event, passage_id: str, **changes: Any) -> None:
    succeed(connection, passages, _current(connection, event, passage_id), event.seq, **changes)
    put_out(connection, "passage", passage_id)


def _current(connection: Connection, event: Event, passage_id: str) -> Row[Any]:
    query = select(passages).where(passages.c.id == passage_id, passages.c.stream == event.stream, current(passages))
    return connection.execute(query).one()


HANDLERS = {"passage.added": _added, "passage.superseded": _superseded, "passage.retired": _retired}
