"""Passages as programs and people read them: one by its id, a list of them, and what happened to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, exists, or_, select

from ..clock import parse_known, parse_stamp, stamp
from ..context.parts import is_erased
from ..errors import NotFound
from ..journal import tables
from ..journal.events import Event, event_of
from ..journal.fold.rows import current
from ..scope import Scope
from . import passages as archived
from .short_ids import full_ids

passages, withheld, events = tables.passages, tables.withheld, tables.events


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as it stands. Times are aware UTC."""

    id: str
    text: str
    kind: str
    """fact, episode, insight, skill, document or rule."""
    tags: tuple[str, ...]
    status: str
    """active; superseded by a newer one, which `superseded_by` names; retired; or one of those that wait."""
    superseded_by: str | None
    speaker: str | None
    created_at: datetime
    event_time: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    subject: str | None
    attribute: str | None
    value: str | None
    importance: float
    confidence: float
    trust: float
    permanent: bool
    uses: int
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to a memory."""

    event: Event
    what: str
    """added, superseded, retired, forgotten, restored, rewound, or the reason of a change of what is known of it."""
    id: str
    text: str


def get(connection: Connection, scope: Scope, memory_id: str) -> Remembered:
    """The memory with this id, whatever its status. Raises NotFound, also where it is gone or is another's."""
    return _remembered(there(connection, scope, memory_id))


def there(connection: Connection, scope: Scope, memory_id: str) -> Row[Any]:
    """The row of a passage that is neither forgotten nor erased. Raises NotFound."""
    row = archived.get(connection, scope, memory_id)
    if is_erased(row.text):
        raise NotFound(f"{memory_id} was erased.")
    return row


def select_memories(
    connection: Connection,
    scope: Scope,
    *,
    kinds: Sequence[str] = (),
    tags: Sequence[str] = (),
    statuses: Sequence[str] = ("active",),
    least_trust: float,
    now: datetime,
) -> Iterator[Remembered]:
    """The memories that meet the conditions, newest first; those that have expired `now` are none of them."""
    query = select(passages).where(
        *mine(scope),
        passages.c.status.in_(statuses),
        passages.c.trust >= least_trust,
        or_(passages.c.expires_at.is_(None), passages.c.expires_at > stamp(now)),
    )
    if kinds:
        query = query.where(passages.c.kind.in_(kinds))
    for row in connection.execute(query.order_by(passages.c.created_at.desc(), passages.c.row.desc())):
        if not is_erased(row.text) and (not tags or any(tag in row.tags for tag in tags)):
            yield _remembered(row)


def mine(scope: Scope) -> list[Any]:
    """What holds of the rows of a scope's passages as they are, and is not withheld."""
    hidden = exists().where(withheld.c.item == passages.c.id, current(withheld))
    return [passages.c.stream == scope.agent, passages.c.user == scope.user, current(passages), ~hidden]


def family(connection: Connection, scope: Scope, memory_id: str) -> list[str]:
    """The ids of a memory and of all that it has taken the place of, oldest last."""
    out = [memory_id]
    for one in out:
        query = select(passages.c.id).where(
            passages.c.stream == scope.agent,
            passages.c.user == scope.user,
            passages.c.superseded_by == one,
            current(passages),
        )
        out += sorted(set(connection.execute(query).scalars()) - set(out))
    return out


def steps(connection: Connection, scope: Scope, memory_id: str) -> list[Step]:
    """What happened to a memory and to all that it has taken the place of, oldest first; also if it was deleted.

    Raises NotFound where there never was one.
    """
    [memory_id] = full_ids(connection, scope, [memory_id], gone=True)
    ids = family(connection, scope, memory_id)
    query = select(passages).where(
        passages.c.stream == scope.agent, passages.c.user == scope.user, passages.c.id.in_(ids)
    )
    rows = connection.execute(query.order_by(passages.c.row)).all()
    if memory_id not in {row.id for row in rows}:
        raise NotFound(f"There is no memory {memory_id[:80]!r}.", hint="Take an id from a search or a list.")
    texts = {row.id: row.text for row in rows}
    gone = connection.execute(select(withheld).where(withheld.c.stream == scope.agent, withheld.c.item.in_(ids))).all()
    turns = {(row.from_seq, row.id) for row in rows} | {(row.to_seq, row.id) for row in rows}
    turns |= {(row.from_seq, row.item) for row in gone} | {(row.to_seq, row.item) for row in gone}
    turns = {(seq, item) for seq, item in turns if seq is not None}
    known = _events(connection, scope, {seq for seq, _ in turns})
    return [Step(known[seq], _what(known[seq]), item, texts[item]) for seq, item in sorted(turns)]


def _events(connection: Connection, scope: Scope, numbers: set[int]) -> dict[int, Event]:
    wanted, out = sorted(numbers), dict[int, Event]()
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        query = select(events).where(events.c.stream == scope.agent, events.c.seq.in_(some))
        out.update((row.seq, event_of(row)) for row in connection.execute(query))
    return out


_WHAT = {
    "passage.added": "added",
    "passage.superseded": "superseded",
    "passage.retired": "retired",
    "memory.forgotten": "forgotten",
    "memory.restored": "restored",
    "agent.rewound": "rewound",
    "rows.copied": "copied",
}


def _what(event: Event) -> str:
    return _WHAT.get(event.type) or str(event.payload["reason"])


def _remembered(row: Row[Any]) -> Remembered:
    times = ("event_time", "valid_from", "valid_to", "expires_at", "used_at")
    return Remembered(
        id=row.id,
        text=row.text,
        kind=row.kind,
        tags=tuple(row.tags),
        status=row.status,
        superseded_by=row.superseded_by,
        speaker=row.speaker,
        created_at=parse_stamp(row.created_at),
        **{name: parse_known(getattr(row, name)) for name in times},
        subject=row.subject,
        attribute=row.attribute,
        value=row.value,
        importance=row.importance,
        confidence=row.confidence,
        trust=row.trust,
        permanent=row.permanent,
        uses=row.uses,
    )
