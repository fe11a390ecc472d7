"""Tidying up: what says the same becomes one, insights without ground go, and the block `human` is brought up to date.

What is to be done is worked out on a snapshot, and done in one transaction with the marker. What has changed between
the two is left as it is: it is looked at again the next time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, select

from ...archive import passages
from ...core.blocks import find_block
from ...core.edit import Append, Author, BlockChange, Operation, Replace
from ...errors import RevisionConflict
from ...journal import tables
from ...journal.fold.rows import current
from ...journal.journal import Transaction, last_seq
from ...scope import Scope
from ..known import known_of, read_rows
from .facts import read_facts
from .grounds import rows_of
from .human import HUMAN, update
from .joining import joined
from .lines import written
from .merging import Merge, merges

Edit = Callable[[Transaction, str, Operation, Author], BlockChange]
"""Makes one edit of a block, as everyone's are made: it checks all that an edit must keep to."""

GROUNDLESS = "All that it rests on is gone."


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be tidied up, as it stood when the event `seq` was the newest."""

    seq: int
    merges: list[Merge] = field(default_factory=list)
    groundless: list[str] = field(default_factory=list)
    """The ids of insights of which nothing is left that they rest on."""
    edits: Sequence[Append | Replace] = ()
    """Of the block `human`, which was at `revision`."""
    revision: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


def plan(connection: Connection, scope: Scope, now: datetime, merging: bool = True) -> Plan:
    """Look at what there is. Without `merging` what says the same stays side by side."""
    seq = last_seq(connection, scope.agent)
    rows = read_rows(connection, scope, ("fact", "episode"), ("active",))
    contested = _contested(connection, scope)
    known = [known_of(row) for row in rows if row.id not in contested]
    counts: Counter[str] = Counter()
    edits: Sequence[Append | Replace] = ()
    block = find_block(connection, scope.agent, scope.user, HUMAN)
    if block is not None and block.user == scope.user and not block.read_only:
        facts = read_facts(connection, scope, now)
        made = update(block.value, block.limit, written(connection, scope, HUMAN), facts)
        edits, counts = made.edits, made.counts
    revision = block.revision if block is not None else 0
    return Plan(seq, merges(known) if merging else [], groundless(connection, scope), edits, revision, counts)


def carry_out(tx: Transaction, scope: Scope, wanted: Plan, edit: Edit | None) -> dict[str, int]:
    """Do what is planned, and move the marker. Raises RevisionConflict where the block has changed since, or what an
    edit raises; and then nothing is done."""
    counts: Counter[str] = Counter(wanted.counts)
    undisturbed = tx.last_seq(scope.agent) == wanted.seq
    for merge in wanted.merges:
        counts["merged" if _merge(tx, scope, merge) else "overtaken"] += len(merge.others)
    still = groundless(tx.connection, scope) if wanted.groundless else []
    if going := [one for one in wanted.groundless if one in still]:
        passages.retire(tx, scope, going, GROUNDLESS, writer="sleeptime")
        counts["insights retired"] += len(going)
    if wanted.edits and edit is not None:
        block = find_block(tx.connection, scope.agent, scope.user, HUMAN)
        if block is None or block.revision != wanted.revision:
            raise RevisionConflict(f"Block {HUMAN!r} has changed meanwhile.", block=block)
        for one in wanted.edits:
            edit(tx, HUMAN, one, Author("sleeptime"))
    seen = tx.last_seq(scope.agent) + 1 if undisturbed else wanted.seq
    done = {name: count for name, count in counts.items() if count}
    payload = {"user": scope.user, "consolidated": seen, "counts": done}
    tx.append("sleep.consolidated", payload, stream=scope.agent, writer="sleeptime")
    return done


def _merge(tx: Transaction, scope: Scope, merge: Merge) -> bool:
    """Merge, unless one of them has changed since."""
    wanted = [merge.into, *merge.others]
    rows = rows_of(tx.connection, scope, [one.id for one in wanted])
    if [(row.id, row.from_seq, row.status) for row in rows] != [(one.id, one.version, "active") for one in wanted]:
        return False
    if values := joined(rows[0], rows[1:]):
        passages.change(tx, scope, [{"id": merge.into.id, **values}], "merged", writer="sleeptime")
    for one in merge.others:
        passages.replace_by(tx, scope, one.id, merge.into.id, writer="sleeptime")
    return True


def _contested(connection: Connection, scope: Scope) -> set[str]:
    """What another passage contradicts, and the user has not decided."""
    table = tables.passages
    query = select(table.c.disputes).where(
        table.c.stream == scope.agent, table.c.status == "disputed", table.c.disputes.is_not(None), current(table)
    )
    return set(connection.execute(query).scalars())


def groundless(connection: Connection, scope: Scope) -> list[str]:
    """The ids of the insights in force whose evidence is retired or forgotten, all of it."""
    insights = [row for row in read_rows(connection, scope, ("insight",), ("active",)) if row.evidence]
    wanted = list(dict.fromkeys(one for row in insights for one in row.evidence))
    left = {row.id for row in rows_of(connection, scope, wanted) if row.status != "retired"}
    return [row.id for row in insights if left.isdisjoint(row.evidence)]
