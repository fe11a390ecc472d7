"""What is said of a memory or a message that was asked for by its id and is not shown, since it was forgotten."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ..clock import parse_stamp
from ..errors import NotFound
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope
from .short_ids import short_ids

events, withheld = tables.events, tables.withheld


def forgotten(connection: Connection, scope: Scope, item: str) -> NotFound | None:
    """The error that says when the passage or message `item`, a whole id of this scope's, was forgotten and what
    brings it back; None where it was not forgotten as a whole."""
    query = (
        select(events.c.id, events.c.at, events.c.payload)
        .join(withheld, withheld.c.event == events.c.id)
        .where(withheld.c.item == item, withheld.c.part.is_(None), current(withheld))
        .order_by(withheld.c.forgot.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    [short] = short_ids(connection, scope, [item])
    day = f"{parse_stamp(row.at).astimezone(scope.timezone):%Y-%m-%d}"
    # What a turn said of its own request is withheld by an event that follows the user's, and comes back with that.
    event = row.payload.get("of", row.id)
    return NotFound(f"{short} was forgotten on {day}.", hint=f"`pagekeeper memory undo {event}` brings it back.")
