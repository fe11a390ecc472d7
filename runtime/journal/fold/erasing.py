"""The receipt of an erasure. What was erased has been taken out of the events before it: there is nothing to fold."""

from __future__ import annotations

from sqlalchemy import Connection

from ..events import Event
from .rows import mark_epochs_stale, put_out_all


def _erased(connection: Connection, event: Event) -> None:
    """`passages` and `messages` are the ids of those whose text is another now, or gone."""
    payload = event.payload
    items = [(kind, item) for kind in ("passage", "message") for item in payload[f"{kind}s"]]
    put_out_all(connection, items)
    mark_epochs_stale(connection, event.stream, event.seq, "something was erased")


HANDLERS = {"memory.erased": _erased}
