"""Events of core-memory blocks."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from ...clock import stamp
from .. import tables
from ..events import Event
from .rows import add, close, current, mark_epochs_stale, succeed

blocks = tables.blocks

_CURRENT = select(blocks).where(
    blocks.c.stream == bindparam("stream"),
    blocks.c.label == bindparam("label"),
    blocks.c.user == bindparam("user"),
    current(blocks),
)


def _created(connection: Connection, event: Event) -> None:
    payload = event.payload
    add(
        connection,
        blocks,
        {
            **{name: payload[name] for name in ("user", "label", "description", "value", "limit")},
            **{name: payload[name] for name in ("read_only", "pinned", "revision")},
            "writer": event.writer,
            "at": stamp(event.at),
            "stream": event.stream,
            "from_seq": event.seq,
        },
    )


def _edited(connection: Connection, event: Event) -> None:
    """`changes` holds the columns that differ; the revision always does."""
    row = _current(connection, event)
    succeed(
        connection,
        blocks,
        row,
        event.seq,
        **event.payload["changes"],
        revision=event.payload["revision"],
        writer=event.writer,
        at=stamp(event.at),
    )


def _deleted(connection: Connection, event: Event) -> None:
    close(connection, blocks, _current(connection, event), event.seq)
    mark_epochs_stale(connection, event.stream, event.seq, "a block was deleted")


def _current(connection: Connection, event: Event) -> Row[Any]:
    payload = event.payload
    key = {"stream": event.stream, "label": payload["label"], "user": payload["user"]}
    return connection.execute(_CURRENT, key).one()


HANDLERS = {"block.created": _created, "block.edited": _edited, "block.deleted": _deleted}
