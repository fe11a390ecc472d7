"""Events of forgetting: what is withheld from search, from recall and from every later request."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from .. import tables
from ..events import Event
from .rows import current, mark_epochs_stale, put_out_all, succeed

withheld = tables.withheld


def _forgotten(connection: Connection, event: Event) -> None:
    """`items` are {kind, item, part}; `summaries` maps the epochs whose summary carried the fact to one without it."""
    items = event.payload["items"]
    rows = [{"kind": "forgetting", "item": event.id, "part": None}, *items]
    born = {"stream": event.stream, "event": event.id, "forgot": event.seq, "from_seq": event.seq}
    connection.execute(insert(withheld), [{**row, **born} for row in rows])
    put_out_all(connection, [(item["kind"], item["item"]) for item in items])
    epochs = tables.epochs
    for epoch_id, summary in event.payload["summaries"].items():
        row = connection.execute(select(epochs).where(epochs.c.id == epoch_id, current(epochs))).one_or_none()
        if row is not None:
            succeed(connection, epochs, row, event.seq, summary=summary)
    # The turn that asks for it must still know what it was asked: its conversation follows when the turn ends.
    mark_epochs_stale(connection, event.stream, event.seq, "something was forgotten", but=event.payload.get("deferred"))


def _restored(connection: Connection, event: Event) -> None:
    """What the event `forgot` withheld is there again, unless another withholds it too."""
    where = (withheld.c.event == event.payload["forgot"], current(withheld))
    rows = connection.execute(select(withheld.c.kind, withheld.c.item, withheld.c.part).where(*where)).all()
    connection.execute(update(withheld).where(*where), {"to_seq": event.seq})
    put_out_all(connection, [(row.kind, row.item) for row in rows if row.kind != "forgetting"])
    mark_epochs_stale(connection, event.stream, event.seq, "something was restored")


HANDLERS = {"memory.forgotten": _forgotten, "memory.restored": _restored}
