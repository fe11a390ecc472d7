"""Events of agents and their conversations as such."""

from __future__ import annotations

from sqlalchemy import Connection, insert, update

from ...clock import stamp
from .. import tables
from ..events import Event


def _created(connection: Connection, event: Event) -> None:
    connection.execute(
        insert(tables.agents),
        {
            "id": event.stream,
            "name": event.payload["name"],
            "created_at": stamp(event.at),
            "origin_id": event.payload.get("origin_id"),
            "kind": event.payload.get("kind", "agent"),
        },
    )


def _deleted(connection: Connection, event: Event) -> None:
    connection.execute(update(tables.agents).where(tables.agents.c.id == event.stream), {"deleted_at": stamp(event.at)})


def _conversation_created(connection: Connection, event: Event) -> None:
    connection.execute(
        insert(tables.conversations),
        {
            "stream": event.stream,
            "id": event.payload["id"],
            "name": event.payload["name"],
            "user": event.payload["user"],
            "created_at": stamp(event.at),
            "origin_id": event.payload.get("origin_id"),
            "from_seq": event.seq,
        },
    )


HANDLERS = {
    "agent.created": _created,
    "agent.deleted": _deleted,
    "conversation.created": _conversation_created,
}
