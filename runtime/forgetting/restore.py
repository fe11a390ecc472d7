"""Taking a forgetting back."""

from __future__ import annotations

from sqlalchemy import select

from ..archive import disputed
from ..context.parts import is_erased
from ..core.blocks import find_block
from ..core.edit import Author, Rethink, Settings, apply_edit
from ..errors import NotFound
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope
from .log import said_in
from .payload import said


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
    forgot = said(row.payload) if row is not None else None
    if forgot is None or forgot["user"] != scope.user or not open_rows:
        raise NotFound(
            f"Nothing is forgotten by the event {event_id[:80]!r}.", hint="`pagekeeper memory history` numbers them."
        )
    tied = select(events.c.id).where(
        events.c.stream == scope.agent, events.c.cause == event_id, events.c.type == "memory.forgotten"
    )
    ids = [event_id, *connection.execute(tied).scalars()]
    whole = (withheld.c.event.in_(ids), withheld.c.part.is_(None), current(withheld))
    back = connection.execute(select(withheld.c.kind, withheld.c.item).where(*whole)).all()
    # Counted as `forget` counts: calls, results and notes come back as well, and are no things of their own to a user.
    count = len({row.item for row in back if row.kind == "passage"})
    count += len(said_in(connection, (row.item for row in back if row.kind == "message")))
    for one in ids:
        transaction.append(
            "memory.restored",
            {"forgot": one, "user": scope.user},
            stream=scope.agent,
            writer=author.writer,
            conversation=author.conversation,
            cause=event_id,
        )
    disputed.follow(transaction, scope, cause=event_id)
    return count + sum(_put_back(transaction, scope, line, author) for line in forgot["lines"])


def _put_back(transaction: Transaction, scope: Scope, line: dict[str, str], author: Author) -> bool:
    """Put a line back into its block, if the block is there and lacks it. Returns whether it was.

    What was erased since does not come back.
    """
    if is_erased(line["text"]):
        return False
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
