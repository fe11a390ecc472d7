"""Why a memory is there: what it says, the turn that it comes from, who wrote it, and what became of it since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from ..archive.passages import get
from ..archive.results import show
from ..archive.short_ids import short_ids
from ..clock import parse_known, parse_stamp
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope

MOST_TURNS = 5
"""Turns that are told of those that a memory comes from."""

passages, events, messages = tables.passages, tables.events, tables.messages


@dataclass(frozen=True, slots=True)
class Other:
    """Another memory that has to do with this one."""

    id: str
    short: str
    text: str
    status: str


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """A turn that a memory comes from: when, in which conversation, what the user said, and the reply."""

    turn: str
    conversation: str
    at: datetime
    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened to a memory; `seq` is the event's number, as `memory history` shows it."""

    event: str
    seq: int
    at: datetime
    writer: str
    what: str


@dataclass(frozen=True, slots=True)
class Why:
    """A memory, and how it came to be as it is. Ids are whole; `short` is what is shown of its own."""

    id: str
    short: str
    text: str
    kind: str
    status: str
    writer: str
    basis: str
    at: datetime
    """When it happened, else when it was archived."""
    created_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    trust: float
    confidence: float
    importance: float
    uses: int
    used_at: datetime | None
    source: tuple[SourceTurn, ...]
    history: tuple[Happened, ...]
    """Oldest first."""
    superseded: tuple[Other, ...]
    """What it took the place of."""
    superseded_by: Other | None
    disputes: tuple[Other, ...]
    """What it contradicts, or is contradicted by."""
    evidence: tuple[Other, ...]
    """What an insight or a rule rests on."""


def why(connection: Connection, scope: Scope, passage_id: str) -> Why:
    """All that is known of how a memory came about. Raises NotFound and Ambiguous."""
    row = get(connection, scope, passage_id)
    by = _others(connection, scope, [row.superseded_by] if row.superseded_by else [])
    disputing = _ids(connection, scope, passages.c.disputes == row.id)
    return Why(
        id=row.id,
        short=short_ids(connection, scope, [row.id])[0],
        text=row.text,
        kind=row.kind,
        status=row.status,
        writer=row.writer,
        basis=row.basis,
        at=parse_stamp(row.event_time or row.created_at),
        created_at=parse_stamp(row.created_at),
        valid_from=parse_known(row.valid_from),
        valid_to=parse_known(row.valid_to),
        trust=row.trust,
        confidence=row.confidence,
        importance=row.importance,
        uses=row.uses,
        used_at=parse_known(row.used_at),
        source=tuple(_turns(connection, scope, row)),
        history=tuple(_history(connection, scope, row.id)),
        superseded=_others(connection, scope, _ids(connection, scope, passages.c.superseded_by == row.id)),
        superseded_by=by[0] if by else None,
        disputes=_others(connection, scope, [*([row.disputes] if row.disputes else []), *disputing]),
        evidence=_others(connection, scope, row.evidence),
    )


def _ids(connection: Connection, scope: Scope, condition: Any) -> list[str]:
    """The passages of this scope that meet a condition, oldest first."""
    mine = (passages.c.stream == scope.agent, passages.c.user == scope.user, current(passages))
    return list(connection.execute(select(passages.c.id).where(*mine, condition).order_by(passages.c.row)).scalars())


def _others(connection: Connection, scope: Scope, ids: Iterable[str]) -> tuple[Other, ...]:
    """These passages, without those that are gone or withheld."""
    wanted = list(dict.fromkeys(ids))
    mine = set(_ids(connection, scope, passages.c.id.in_(wanted)))
    shown = show(connection, [("passage", one) for one in wanted if one in mine])
    return tuple(Other(one, shown[one].short, shown[one].text, shown[one].status) for one in wanted if one in shown)


def _turns(connection: Connection, scope: Scope, row: Any) -> Iterator[SourceTurn]:
    """The turns that a passage comes from: those of its sources, and the one in which it was written."""
    named = list(row.source)
    said = select(messages.c.turn).where(messages.c.id.in_(named), messages.c.stream == scope.agent, current(messages))
    told = select(events.c.turn).where(events.c.id.in_(named), events.c.stream == scope.agent)
    turns = [*connection.execute(said).scalars(), *connection.execute(told).scalars(), row.turn]
    for turn in list(dict.fromkeys(filter(None, turns)))[:MOST_TURNS]:
        query = select(messages.c.id, messages.c.role, messages.c.conversation, messages.c.at).where(
            messages.c.turn == turn,
            messages.c.stream == scope.agent,
            messages.c.user == scope.user,
            messages.c.role.in_(["user", "assistant"]),
            current(messages),
        )
        found = connection.execute(query.order_by(messages.c.ordinal)).all()
        if not found:
            continue
        shown = show(connection, [("message", one.id) for one in found])
        words = {one.role: shown[one.id].text for one in found if one.id in shown}
        named_so = select(tables.conversations.c.name).where(
            tables.conversations.c.id == found[0].conversation, current(tables.conversations)
        )
        name = connection.execute(named_so).scalar() or found[0].conversation
        yield SourceTurn(turn, name, parse_stamp(found[0].at), words.get("user", ""), words.get("assistant", ""))


def _history(connection: Connection, scope: Scope, passage_id: str) -> Iterator[Happened]:
    """What each version of the row came with."""
    query = select(passages).where(passages.c.id == passage_id, passages.c.stream == scope.agent)
    before: Any = None
    for row in connection.execute(query.order_by(passages.c.row)).all():
        told = select(events).where(events.c.stream == scope.agent, events.c.seq == row.from_seq)
        event = connection.execute(told).one()
        what = _what(connection, scope, event, before, row)
        yield Happened(event.id, event.seq, parse_stamp(event.at), event.writer, what)
        before = row


_TOLD = ("status", "trust", "uses", "valid_from", "valid_to", "importance", "confidence", "expires_at", "basis")


def _what(connection: Connection, scope: Scope, event: Any, before: Any, row: Any) -> str:
    if before is None:
        return "archived" if event.type == "passage.added" else "copied from the agent that this is a fork of"
    changes = [
        f"{name.replace('_', ' ')} {_value(getattr(before, name))} to {_value(getattr(row, name))}"
        for name in _TOLD
        if getattr(before, name) != getattr(row, name)
    ]
    if event.type == "passage.superseded":
        [by] = short_ids(connection, scope, [event.payload["by"]])
        return f"superseded by {by}"
    if event.type == "agent.rewound":
        return "brought back by a rewind"
    reason = event.payload.get("reason") or event.type.partition(".")[2]
    return f"{reason} ({', '.join(changes)})" if changes else str(reason)


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str) and value[:4].isdecimal() and "T" in value:
        return value[:10]
    return str(value) if value not in (None, "") else "none"


def as_text(found: Why, zone: ZoneInfo) -> str:
    """A Why as people read it."""
    lines = [f"[{found.short}] {found.kind}, {found.status}: {' '.join(found.text.split())}"]
    known = f", {found.basis}" if found.basis else ""
    lines.append(f"written by {found.writer}{known} on {_day(found.created_at, zone)}")
    if found.valid_from or found.valid_to:
        start = _day(found.valid_from, zone) if found.valid_from else "?"
        lines.append(f"held from {start}" + (f" to {_day(found.valid_to, zone)}" if found.valid_to else " on"))
    last = f", last on {_day(found.used_at, zone)}" if found.used_at else ""
    times = "once" if found.uses == 1 else f"{found.uses} times"
    used = f"used {times}{last}" if found.uses else "never used"
    lines.append(f"trust {found.trust:g}, confidence {found.confidence:g}, importance {found.importance:g}; {used}")
    for turn in found.source:
        lines += ["", f"from the conversation {turn.conversation}, {turn.at.astimezone(zone):%Y-%m-%d %H:%M}"]
        lines += [f"  > {_short(turn.said)}"] if turn.said else ["  > (forgotten)"]
        lines += [f"  {_short(turn.reply)}"] if turn.reply else []
    for title, others in (
        ("took the place of", found.superseded),
        ("was replaced by", (found.superseded_by,) if found.superseded_by else ()),
        ("in dispute with", found.disputes),
        ("rests on", found.evidence),
    ):
        lines += ["", title] if others else []
        lines += [f"  [{other.short}] {other.status}: {_short(other.text)}" for other in others]
    lines += ["", "history"]
    for event in found.history:
        lines.append(f"  {event.seq}  {event.at.astimezone(zone):%Y-%m-%d %H:%M}  {event.writer}: {event.what}")
    return "\n".join(lines)


def _day(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d}"


def _short(text: str, most: int = 400) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + "…"
