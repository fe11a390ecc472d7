"""Events of the memory work in the background: how far it is, and how often it failed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from ...clock import stamp
from .. import tables
from ..events import Event
from .rows import add, current, succeed

sleep = tables.sleep


def _done(connection: Connection, event: Event) -> None:
    """The work is through with all messages up to `cursors` ({conversation: ordinal}); others stay where they were."""
    _put(connection, event, event.payload["cursors"], failures=0, error="")


def _consolidated(connection: Connection, event: Event) -> None:
    """Memory is consolidated as of the event `consolidated`, or the episodes up to the event `reflected` are."""
    how_far = {name: event.payload[name] for name in ("consolidated", "reflected") if name in event.payload}
    _put(connection, event, {}, failures=0, error="", **how_far)


def _failed(connection: Connection, event: Event) -> None:
    """It did nothing, for a `reason`, and will try again."""
    _put(connection, event, {}, error=event.payload["reason"])


def _put(connection: Connection, event: Event, cursors: dict[str, int], **values: Any) -> None:
    user = event.payload["user"]
    query = select(sleep).where(sleep.c.stream == event.stream, sleep.c.user == user, current(sleep))
    row = connection.execute(query).one_or_none()
    before: dict[str, int] = row.cursors if row is not None else {}
    failures = row.failures + 1 if row is not None else 1
    now = {"cursors": {**before, **cursors}, "failures": failures, "at": stamp(event.at), **values}
    if row is not None:
        succeed(connection, sleep, row, event.seq, **now)
    else:
        new = {"stream": event.stream, "user": user, "from_seq": event.seq, "consolidated": 0, "reflected": 0}
        add(connection, sleep, {**new, **now})


HANDLERS = {"sleep.done": _done, "sleep.consolidated": _consolidated, "sleep.failed": _failed}
