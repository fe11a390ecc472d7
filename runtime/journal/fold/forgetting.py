"""Events of forgetting: what is withheld from search, from recall and from every later request."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from .. import tables
from ..events import Event
from .rows import close, current, mark_epochs_stale, put_out, succeed

withheld = tables.withheld


def _forgotten(connection: Connection, event: Event) -> None:
    """`items` are {kind, item, part}; `summaries` maps the epochs whose summary carried the fact to one without it."""
    for item in event.payload["items"]:
        connection.execute(
            insert(withheld),
            {
                "stream": event.stream,
                "kind": item["kind"],
                "item": item["item"],
                "part": item["part"],
                "event": event.id,
                "from_seq": event.seq,
            },
        )
        if item["kind"] != "epoch":
            put_out(connection, item["kind"], item["item"])
    epochs = tables.epochs
    for epoch_id, summary in event.payload["summaries"].items():
        row = connection.execute(select(epochs).where(epochs.c.id == epoch_id, current(epochs))).one_or_none()
        if row is not None:
            succeed(connection, epochs, row, event.seq, summary=summary)
    # The turn that asks for it must still know what it was asked: its conversation follows when the turn ends.
    mark_epochs_stale(connection, event.stream, event.seq, "something was forgotten", but=event.payload.get("deferred"))


def _restored(connection: Connection, event: Event) -> None:
    """What the event `forgot` withheld is there again."""
    query = select(withheld).where(withheld.c.event == event.payload["forgot"], current(withheld))
    for row in connection.execute(query).all():
        close(connection, withheld, row, event.seq)
        if row.kind != "epoch":
            put_out(connection, row.kind, row.item)
    mark_epochs_stale(connection, event.stream, event.seq, "something was restored")


HANDLERS = {"memory.forgotten": _forgotten, "memory.restored": _restored}
