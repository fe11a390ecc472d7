"""Taking a forgetting back."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ..core.blocks import find_block
from ..core.edit import Author, Rethink, Settings, apply_edit
from ..core.history import labels_of
from ..errors import NotFound
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope


def restore(transaction: Transaction, scope: Scope, event_id: str, author: Author) -> int:
    """Take a forgetting back: what it withheld is there again, and its block lines are added at the end.

    What another forgetting withholds too stays withheld. Returns how many things came back. Raises NotFound, and
    EditRefused where a block has no room for its lines; then nothing is restored.
    """
    connection, events, withheld = transaction.connection, tables.events, tables.withheld
    query = select(events).where(
        events.c.id == event_id, events.c.stream == scope.agent, events.c.type == "memory.forgotten"
    )
    row = connection.execute(query).one_or_none()
    open_rows = connection.execute(select(withheld).where(withheld.c.event == event_id, current(withheld))).all()
    if row is None or row.payload["user"] != scope.user or not open_rows:
        raise NotFound(
            f"Nothing is forgotten by the event {event_id[:80]!r}.", hint="`pagekeeper memory history` numbers them."
        )
    tied = select(events.c.id).where(
        events.c.stream == scope.agent, events.c.cause == event_id, events.c.type == "memory.forgotten"
    )
    ids = [event_id, *connection.execute(tied).scalars()]
    back = connection.execute(
        select(withheld.c.item).where(withheld.c.event.in_(ids), withheld.c.kind != "forgetting", current(withheld))
    ).scalars()
    count = len(set(back))
    for one in ids:
        transaction.append(
            "memory.restored",
            {"forgot": one, "user": scope.user},
            stream=scope.agent,
            writer=author.writer,
            conversation=author.conversation,
            cause=event_id,
        )
    return count + sum(_put_back(transaction, scope, line, author) for line in row.payload["lines"])


def forgetting_named(connection: Connection, scope: Scope, what: str) -> str | None:
    """The id of the forgetting that a person names by its event's id, or by the number that the history shows.

    None where `what` is a block's label; a block comes first, also one that is labelled with digits. Raises NotFound
    for the number of an event that forgot nothing.
    """
    if what in labels_of(connection, scope.agent, scope.user):
        return None
    if what.startswith("ev-"):
        return what
    if not (what.isascii() and what.isdigit()):
        return None
    events = tables.events
    number = int(what[:MOST_DIGITS])
    row = connection.execute(select(events).where(events.c.stream == scope.agent, events.c.seq == number)).one_or_none()
    if row is not None and row.type == "memory.forgotten" and row.payload.get("user", scope.user) == scope.user:
        return str(row.id)
    hint = "`pagekeeper memory history` numbers what was forgotten."
    if row is not None and row.type.startswith("block.") and row.payload["user"] in ("", scope.user):
        hint = f"It changed the block {row.payload['label']!r}, of which the newest change is undone by that label."
    raise NotFound(f"Nothing is forgotten by the event {what[:80]}, and no block is called that.", hint=hint)


MOST_DIGITS = 15
"""Digits of a number that is looked up; no journal has as many events."""


def _put_back(transaction: Transaction, scope: Scope, line: dict[str, str], author: Author) -> bool:
    """Put a line back into its block, if the block is there and lacks it. Returns whether it was."""
    block = find_block(transaction.connection, scope.agent, scope.user, line["label"])
    if block is None or block.user != line["user"]:
        return False
    edit: Rethink | Settings
    if line["about"]:
        if block.description:
            return False
        edit = Settings(description=line["text"])
    else:
        if line["text"] in block.value.split("\n"):
            return False
        edit = Rethink(f"{block.value}\n{line['text']}" if block.value else line["text"])
    apply_edit(transaction, scope.agent, scope.user, block.label, edit, author)
    return True
