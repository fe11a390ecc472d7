"""Taking back what a person names: which event it is, and what undoes it."""

from __future__ import annotations

from sqlalchemy import Connection, select

from .ageing.sweep import bring_back
from .core.edit import Author
from .core.history import labels_of
from .errors import NotFound
from .forgetting.restore import restore
from .journal import tables
from .journal.events import Event, event_of
from .journal.journal import Transaction
from .scope import Scope

MOST_DIGITS = 15
"""Digits of a number that is looked up; no journal has as many events."""

_HINT = "`pagekeeper memory history` numbers what was forgotten or retired."
events = tables.events


def event_named(connection: Connection, scope: Scope, what: str) -> str | None:
    """The id of the event that a person names by it, or by the number that the history shows, to have it taken back.

    None where `what` is a block's label; a block comes first, also one that is labelled with digits. Raises NotFound
    for an event that neither forgot nor retired anything.
    """
    if what in labels_of(connection, scope.agent, scope.user):
        return None
    if what.startswith("ev-"):
        return what
    if not (what.isascii() and what.isdigit()):
        return None
    number = int(what[:MOST_DIGITS])
    row = connection.execute(select(events).where(events.c.stream == scope.agent, events.c.seq == number)).one_or_none()
    if row is not None and _can_be_undone(connection, scope, event_of(row)):
        return str(row.id)
    hint = _HINT
    if row is not None and row.type.startswith("block.") and row.payload["user"] in ("", scope.user):
        hint = f"It changed the block {row.payload['label']!r}, of which the newest change is undone by that label."
    raise NotFound(f"Nothing is forgotten by the event {what[:80]}, and no block is called that.", hint=hint)


def take_back(tx: Transaction, scope: Scope, event_id: str, author: Author) -> int:
    """Undo a forgetting, or an event that retired passages; returns how many things came back.

    Raises NotFound, and EditRefused where a block has no room for its lines; then nothing is restored.
    """
    query = select(events).where(
        events.c.id == event_id, events.c.stream == scope.agent, events.c.type == "passage.retired"
    )
    row = tx.connection.execute(query).one_or_none()
    if row is None:
        return restore(tx, scope, event_id, author)
    return bring_back(tx, scope, event_of(row), author.writer)


def _can_be_undone(connection: Connection, scope: Scope, event: Event) -> bool:
    if event.type == "memory.forgotten":
        return bool(event.payload.get("user", scope.user) == scope.user)
    if event.type != "passage.retired":
        return False
    passages = tables.passages  # those of one event are of one user
    query = select(passages.c.row).where(passages.c.id.in_(event.payload["ids"][:1]), passages.c.user == scope.user)
    return connection.execute(query).first() is not None
