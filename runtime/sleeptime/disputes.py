"""Two memories of equal standing that contradict each other, and the user's decision between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, select

from ..ageing.trust import corrected
from ..archive import passages
from ..archive.disputed import in_force
from ..clock import stamp
from ..errors import NotFound
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope
from .known import Known, read_known

Keep = Literal["new", "old", "both"]
_LIST = "`pagekeeper memory disputes` lists those that there are."
KEEPS: tuple[Keep, ...] = ("new", "old", "both")


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two that contradict each other. The newer one has an id by which the dispute is settled."""

    new: Known
    old: Known

    @property
    def id(self) -> str:
        return self.new.id


def read_disputes(connection: Connection, scope: Scope) -> list[Dispute]:
    """The disputes of this user that wait for a decision, oldest first. The other side is what is in force of it; where
    nothing is, there is no dispute."""
    table = tables.passages
    query = select(table.c.id, table.c.disputes).where(
        table.c.stream == scope.agent, table.c.user == scope.user, table.c.status == "disputed", current(table)
    )
    out = []
    for row in connection.execute(query.order_by(table.c.created_at, table.c.id)).all():
        other = in_force(connection, scope, row.disputes)
        sides = read_known(connection, scope, [row.id, other]) if other not in (None, row.id) else []
        if len(sides) == 2:
            out.append(Dispute(*sides))
    return out


def settle(transaction: Transaction, scope: Scope, dispute: str, keep: Keep) -> Dispute:
    """Decide a dispute, by the id of its newer side; returns what it was.

    Of `new` and `old` the other one ends: what is newer takes the place of the older from when it began, and what is
    dropped was never true. With `both` they hold side by side. Raises NotFound.
    """
    connection = transaction.connection
    try:
        id = passages.get(connection, scope, dispute).id
    except NotFound:
        raise NotFound(f"There is no dispute {dispute[:80]!r}.", hint=_LIST) from None
    found = next((one for one in read_disputes(connection, scope) if one.id == id), None)
    if found is None:
        raise NotFound(f"{dispute} is in no dispute.", hint=_LIST)
    if keep == "old":
        trust = passages.get(connection, scope, id).trust
        passages.change(transaction, scope, [{"id": id, "trust": corrected(trust)}], "corrected", writer="user")
        passages.retire(transaction, scope, [id], "The user decided against it.", writer="user")
        return found
    accepted = {"id": id, "status": "active", "disputes": None}
    if keep == "both":
        # Then there are several values at a time.
        sides = [{**accepted, "single": False}, {"id": found.old.id, "single": False}]
        passages.change(transaction, scope, sides, "settled", writer="user")
        return found
    passages.change(transaction, scope, [accepted], "settled", writer="user")
    ended, began = found.new.valid_from or found.new.event_time, found.old.valid_from or found.old.event_time
    if ended is None or (began is not None and ended <= began):
        ended = transaction.clock.now()  # nothing ends before it began
    passages.replace_by(transaction, scope, found.old.id, id, ended=stamp(ended), writer="user")
    return found
