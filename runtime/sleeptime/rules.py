"""Standing rules: what a reflection has proposed, and the user's decision.

A rule that the user accepts stands as a line in the block `rules`, so that the model always has it. One that is
rejected or taken back stays as history, and is not proposed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from ...prompts import load
from ..archive import passages
from ..archive.short_ids import short_ids
from ..clock import parse_stamp
from ..core.blocks import find_block
from ..core.edit import Append, Author, Create
from ..errors import AlreadyExists, NotFound
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope
from .consolidating.grounds import grounded
from .consolidating.lines import change_line
from .consolidating.tidy import Edit

BLOCK = "rules"
_LIST = "`pagekeeper memory rules` lists those that there are."


@dataclass(frozen=True, slots=True)
class Rule:
    """A standing rule."""

    id: str
    short: str
    """The shortest beginning of the id that names it."""
    text: str
    accepted: bool
    """It holds; else it waits for the user's decision."""
    confidence: float
    evidence: tuple[str, ...]
    """What shows it: the texts of memories, as far as they are there still."""
    since: datetime


def read_rules(connection: Connection, scope: Scope) -> list[Rule]:
    """The rules that hold, and those that wait, oldest first."""
    table, withheld = tables.passages, tables.withheld
    hidden = select(withheld.c.row).where(withheld.c.item == table.c.id, current(withheld)).exists()
    query = select(table).where(
        table.c.stream == scope.agent,
        table.c.user == scope.user,
        table.c.kind == "rule",
        table.c.status.in_(["active", "proposed"]),
        current(table),
        ~hidden,
    )
    rows = connection.execute(query.order_by(table.c.created_at, table.c.id)).all()
    return [_rule(connection, scope, row) for row in rows]


def accept(tx: Transaction, scope: Scope, rule: str, edit: Edit) -> Rule:
    """Let a rule hold, also one that was rejected or taken back; its line is added to the block `rules`, which is made
    where there is none.

    Raises NotFound, AlreadyExists, or EditRefused where the block has no room; then nothing is changed.
    """
    row = _row(tx.connection, scope, rule)
    block = find_block(tx.connection, scope.agent, scope.user, BLOCK)
    if block is not None and block.user != scope.user:
        raise AlreadyExists(
            f"The block {BLOCK!r} is the agent's own, and all its users see it.",
            hint="Copy its lines elsewhere and delete it; then accept the rule again.",
        )
    if block is None:
        make = Create(load(BLOCK), row.text, pinned=True, per_user=True)
        edit(tx, BLOCK, make, Author("user"))
    elif row.text not in block.value.split("\n"):
        edit(tx, BLOCK, Append(row.text), Author("user"))
    if row.status != "active":
        passages.change(tx, scope, [{"id": row.id, "status": "active"}], "accepted", writer="user")
    return _rule(tx.connection, scope, _row(tx.connection, scope, row.id))


def reject(tx: Transaction, scope: Scope, rule: str) -> Rule:
    """Decide against a proposal. Raises NotFound, also where it was accepted."""
    row = _row(tx.connection, scope, rule)
    if row.status != "proposed":
        hint = f"`pagekeeper memory rules drop {rule}` takes it back." if row.status == "active" else _LIST
        raise NotFound(f"The rule {rule} does not wait for a decision.", hint=hint)
    passages.retire(tx, scope, [row.id], "The user rejected it.", writer="user")
    return _rule(tx.connection, scope, _row(tx.connection, scope, row.id))


def drop(tx: Transaction, scope: Scope, rule: str, edit: Edit) -> Rule:
    """Take back a rule that was accepted: its line goes, if it stands as it was. Raises NotFound."""
    row = _row(tx.connection, scope, rule)
    if row.status != "active":
        hint = f"`pagekeeper memory rules reject {rule}` decides against it." if row.status == "proposed" else _LIST
        raise NotFound(f"The rule {rule} does not hold.", hint=hint)
    block = find_block(tx.connection, scope.agent, scope.user, BLOCK)
    lines = block.value.split("\n") if block is not None and block.user == scope.user else []
    if block is not None and row.text in lines:
        edit(tx, BLOCK, change_line(block.value, lines.index(row.text), None), Author("user"))
    passages.retire(tx, scope, [row.id], "The user took it back.", writer="user")
    return _rule(tx.connection, scope, _row(tx.connection, scope, row.id))


def _row(connection: Connection, scope: Scope, rule: str) -> Row[Any]:
    try:
        row = passages.get(connection, scope, rule)
    except NotFound:
        raise NotFound(f"There is no rule {rule[:80]!r}.", hint=_LIST) from None
    if row.kind != "rule":
        raise NotFound(f"{rule} is no rule.", hint=_LIST)
    return row


def _rule(connection: Connection, scope: Scope, row: Row[Any]) -> Rule:
    shown = tuple(one.text for one in grounded(connection, scope, row.evidence))
    [short] = short_ids(connection, scope, [row.id])
    return Rule(row.id, short, row.text, row.status == "active", row.confidence, shown, parse_stamp(row.created_at))
