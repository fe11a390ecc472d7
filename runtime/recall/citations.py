"""Citations: which memories a reply names, at the end of its turn.

What is used is counted from them, not from what was recalled: a memory that only stood in the window was no use. One
that names nothing is told of, so that nobody takes it for a source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, or_, select

from ..ageing.trust import used
from ..archive.passages import change, get
from ..archive.short_ids import full_id, kind_of
from ..clock import stamp
from ..errors import Ambiguous, NotFound
from ..journal import tables
from ..journal.journal import Transaction
from ..journal.statement import Statement
from ..scope import Scope

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,400})\]")
_ID = re.compile(r"(?<![\w-])[pm]-[0-9a-z]{6,}(?![\w-])")
_CORRECTED = Statement(
    select(tables.events.c.type, tables.events.c.payload).where(
        tables.events.c.turn == bindparam("turn"),
        or_(*(tables.events.c.type == f"passage.{what}" for what in ("changed", "superseded", "retired"))),
    )
)


@dataclass(frozen=True, slots=True)
class Citations:
    """What a reply cites."""

    ids: tuple[str, ...] = ()
    """The memories that it names, each once."""
    unknown: tuple[str, ...] = ()
    """What it names as one, and there is none, or several begin so."""

    def __bool__(self) -> bool:
        return bool(self.ids or self.unknown)

    def payload(self) -> dict[str, list[str]]:
        """As the journal has it."""
        return {"ids": list(self.ids), "unknown": list(self.unknown)}


def cited(text: str) -> list[str]:
    """The ids that `text` cites, as they are written: `[p-0fk3a2]`, also several in one pair of brackets."""
    return list(dict.fromkeys(one for inside in _BRACKETS.findall(text) for one in _ID.findall(inside)))


def settle(tx: Transaction, scope: Scope, turn: str, text: str) -> Citations:
    """Resolve what the reply of a turn cites, and count it as used."""
    ids: dict[str, None] = {}
    unknown: list[str] = []
    rows: list[Any] = []
    for said in cited(text):
        kind = kind_of(said)
        try:
            if kind == "passage":
                row = get(tx.connection, scope, said)
                # To say what was noted just now is no use of it.
                if row.id not in ids and row.turn != turn:
                    rows.append(row)
                ids[row.id] = None
            else:
                ids[full_id(tx.connection, "message", said, scope)] = None
        except (NotFound, Ambiguous):
            unknown.append(said)
    if rows:
        corrected = _corrected(tx, turn)
        now = stamp(tx.clock.now())
        changes = [_use(row, now, trusted=row.status == "active" and row.id not in corrected) for row in rows]
        change(tx, scope, changes, "used", writer="system", turn=turn)
    return Citations(tuple(ids), tuple(unknown))


def _use(row: Any, now: str, *, trusted: bool) -> dict[str, Any]:
    told = {"id": row.id, "uses": row.uses + 1, "used_at": now}
    return {**told, "trust": used(row.trust)} if trusted else told


def _corrected(tx: Transaction, turn: str) -> set[str]:
    """The passages that were corrected in a turn."""
    out: set[str] = set()
    for event in _CORRECTED.all(tx.connection, {"turn": turn}):
        payload = event.payload
        if event.type == "passage.superseded":
            out.add(payload["id"])
        elif event.type == "passage.retired":
            out.update(payload["ids"])
        elif payload["reason"] == "corrected":
            out.update(one["id"] for one in payload["changes"])
    return out
