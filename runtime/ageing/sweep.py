"""The sweep: it retires what the policy says is due, of one user of an agent, in one transaction.

What is retired by it is not forgotten: it leaves search and recall, the history shows it with the reason, and it can be
brought back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, case, select

from ..archive.choices import LASTING
from ..archive.passages import change, retire
from ..clock import parse_known, parse_stamp, stamp
from ..context.parts import ERASED, is_erased
from ..errors import NotFound
from ..journal import tables
from ..journal.events import Event, Writer
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope
from .policy import EXPIRED, OVER, UNUSED, Aged, Policy, due

passages, withheld, events = tables.passages, tables.withheld, tables.events

_KNOWN = ("id", "kind", "writer", "status", "permanent", "uses", "used_at", "created_at", "expires_at")


@dataclass(frozen=True, slots=True)
class Swept:
    """What goes for one reason."""

    reason: str
    texts: Mapping[str, str]
    """What each of them says, by id."""
    event: Event | None = None
    """The event that retired them, which undoes it; None where it was only looked at."""


def look(connection: Connection, scope: Scope, policy: Policy, now: datetime) -> list[Swept]:
    """What a sweep would retire."""
    hidden = select(withheld.c.item).where(withheld.c.stream == scope.agent, current(withheld))
    # The text only where it may be erased: most are not, and can be long.
    erased = case((passages.c.text.startswith(ERASED, autoescape=True), passages.c.text), else_="").label("erased")
    columns: list[Any] = [*(passages.c[name] for name in _KNOWN), erased]
    query = select(*columns).where(
        passages.c.stream == scope.agent,
        passages.c.user == scope.user,
        passages.c.status.in_(["active", "disputed", "proposed"]),
        passages.c.id.not_in(hidden),
        current(passages),
    )
    if policy.unused_days is None and policy.most is None:
        query = query.where(passages.c.expires_at <= stamp(now))  # few, of perhaps very many
    rows = connection.execute(query.order_by(passages.c.row)).all()
    found = due([_aged(row) for row in rows if not is_erased(row.erased)], policy, now)
    return [Swept(reason, _texts(connection, ids)) for reason, ids in found.items()]


def sweep(tx: Transaction, scope: Scope, policy: Policy) -> list[Swept]:
    """Retire what is due, an event for each reason."""
    out = []
    for one in look(tx.connection, scope, policy, tx.clock.now()):
        event = retire(tx, scope, list(one.texts), one.reason, writer="sleeptime")
        out.append(Swept(one.reason, one.texts, event))
    return out


def bring_back(tx: Transaction, scope: Scope, event: Event, writer: Writer) -> int:
    """Undo an event that retired passages, as far as they still are retired by it; returns how many came back.

    What is brought back has no expiry date any more if that was the reason, and counts as used now: else the next sweep
    would take it again. Raises NotFound where nothing of this user's comes back.
    """
    then = select(passages).where(passages.c.stream == scope.agent, passages.c.to_seq == event.seq)
    before = {row.id: row.status for row in tx.connection.execute(then)}
    changes: list[dict[str, Any]] = []
    for row in _current(tx.connection, scope, event.payload["ids"]):
        retired = row.status == "retired" and row.retired_at == stamp(event.at)
        if retired and row.id in before and not is_erased(row.text):
            back: dict[str, Any] = {"id": row.id, "status": before[row.id]}
            if event.payload["reason"] == EXPIRED:
                back["expires_at"] = None
            if event.payload["reason"] in (UNUSED, OVER):
                back["used_at"] = stamp(tx.clock.now())
            changes.append(back)
    if not changes:
        raise NotFound(f"Nothing that the event {event.id} retired is to be brought back.")
    change(tx, scope, changes, "restored", writer=writer)
    return len(changes)


def _current(connection: Connection, scope: Scope, ids: list[str]) -> list[Row[Any]]:
    """The passages as they are, without those of other users and those that are withheld."""
    out: list[Row[Any]] = []
    for some in _chunks(ids):
        hidden = select(withheld.c.item).where(withheld.c.item.in_(some), current(withheld))
        query = select(passages).where(
            passages.c.stream == scope.agent,
            passages.c.user == scope.user,
            passages.c.id.in_(some),
            passages.c.id.not_in(hidden),
            current(passages),
        )
        out += connection.execute(query.order_by(passages.c.row)).all()
    return out


def _aged(row: Row[Any]) -> Aged:
    return Aged(
        row.id,
        parse_stamp(row.used_at or row.created_at),
        row.uses,
        parse_known(row.expires_at),
        active=row.status == "active",
        lasting=row.permanent or row.kind in LASTING or row.writer == "user",
    )


def _texts(connection: Connection, ids: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for some in _chunks(ids):
        query = select(passages.c.id, passages.c.text).where(passages.c.id.in_(some), current(passages))
        found.update((row.id, row.text) for row in connection.execute(query))
    return {one: found[one] for one in ids}


def _chunks(ids: list[str]) -> list[list[str]]:
    """SQLite takes a limited number of parameters."""
    return [ids[start : start + 500] for start in range(0, len(ids), 500)]
