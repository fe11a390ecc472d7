"""Folding: what each event does to the state tables.

A handler uses the event and the tables, nothing else; so the tables can be made again from the events alone.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from ..events import Event
from . import agents, blocks, conversations, erasing, forgetting, passages, rewind, sleep

HANDLERS: dict[str, Callable[[Connection, Event], None]] = {
    **agents.HANDLERS,
    **conversations.HANDLERS,
    **blocks.HANDLERS,
    **passages.HANDLERS,
    **forgetting.HANDLERS,
    **erasing.HANDLERS,
    **rewind.HANDLERS,
    **sleep.HANDLERS,
}


def fold(connection: Connection, event: Event) -> None:
    """Bring the state tables up to date with `event`, which is the newest of its stream."""
    HANDLERS[event.type](connection, event)
