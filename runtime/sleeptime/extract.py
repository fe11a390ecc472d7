"""Asking a model what in a piece of dialogue is worth remembering, given what is remembered already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..archive.archive import Archive
from ..archive.query import Query
from ..clock import in_zone
from ..errors import ModelError
from ..journal.journal import Journal
from ..models.base import Model
from ..scope import Scope
from .asking import Cost, ask
from .decisions import Proposal
from .delta import Delta, Entry
from .known import Known, read_known
from .operations import SCHEMA, Operation, read_all
from .reconcile import CANDIDATES

MOST_MEMORIES = 20
"""Old memories that the model is shown."""
ASKED = 500
"""Characters of a message that old memories are searched for."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What came of a piece: proposals, what was wrong with the rest of the answer, and what had to be clamped."""

    proposals: list[Proposal]
    faults: list[str] = field(default_factory=list)
    clamped: list[str] = field(default_factory=list)


async def extract(
    model: Model, archive: Archive, journal: Journal, scope: Scope, delta: Delta, now: datetime, cost: Cost
) -> Proposed:
    """Ask `model` what to remember of `delta`. Raises ModelError, or ArchiveError where old memories cannot be looked
    up: nothing is written blindly."""
    ids = await _related(archive, scope, delta)
    known = await journal.read(lambda connection: read_known(connection, scope, ids))
    answer = await ask(model, "extract", _question(known, delta.entries, now, scope.timezone), SCHEMA, cost)
    try:
        read = read_all(answer, scope.timezone)
    except ValueError as error:
        raise ModelError(f"{model.name}: the answer to memory work (extract) cannot be used: {error}.") from None
    proposals = [_proposal(operation, delta.entries, scope.timezone) for operation in read.operations]
    return Proposed(proposals, read.faults, read.clamped)


async def candidates(archive: Archive, scope: Scope, text: str) -> list[str]:
    """The ids of the memories that are nearest to a new one."""
    return await _nearest(archive, scope, text, ("active", "superseded", "disputed"))


async def _related(archive: Archive, scope: Scope, delta: Delta) -> list[str]:
    found: dict[str, None] = {}
    for entry in delta.entries:
        if entry.speaker == "user" and len(found) < MOST_MEMORIES:
            found.update(dict.fromkeys(await _nearest(archive, scope, entry.text[:ASKED], ("active",))))
    return list(found)[:MOST_MEMORIES]


async def _nearest(archive: Archive, scope: Scope, text: str, statuses: tuple[str, ...]) -> list[str]:
    """What is trusted little is among them: it is known all the same, and would else be stored anew."""
    query = Query(scope, text, tables=("passage",), statuses=statuses, limit=CANDIDATES, least_trust=0)
    return [hit.id for hit in await archive.search(query)]


def _question(known: Sequence[Known], entries: Sequence[Entry], now: datetime, zone: ZoneInfo) -> dict[str, Any]:
    """What the model is told: JSON, since all of it is material and none of it instruction."""
    there = now.astimezone(zone)
    return {
        "now": local(now, zone),
        "weekday": f"{there:%A}",
        "timezone": zone.key,
        "memories": [_memory(one, zone) for one in known],
        "dialogue": [
            {"n": n, "speaker": entry.speaker, "at": local(entry.at, zone), "text": entry.text}
            for n, entry in enumerate(entries, 1)
        ],
    }


def _memory(known: Known, zone: ZoneInfo) -> dict[str, Any]:
    data = {
        "id": known.id,
        "text": known.text,
        "kind": known.kind,
        "subject": known.subject,
        "attribute": known.attribute,
        "value": known.value,
        "valid_from": local(known.valid_from, zone) if known.valid_from else None,
        "valid_to": local(known.valid_to, zone) if known.valid_to else None,
        "status": known.status,
    }
    return {name: value for name, value in data.items() if value is not None}


def local(at: datetime, zone: ZoneInfo) -> str:
    """A time as models are told it: by the user's clock."""
    return at.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes")


def _proposal(operation: Operation, entries: Sequence[Entry], zone: ZoneInfo) -> Proposal:
    """The operation with what it rests on, and its times as moments."""
    named = [entries[n - 1] for n in operation.sources if n <= len(entries)]
    told = [entry for entry in named if entry.speaker == "user"] or [one for one in entries if one.speaker == "user"]
    said_at = told[-1].at
    starts, ends = moment_of(operation.valid_from, zone), moment_of(operation.valid_to, zone)
    if starts is None and operation.single and operation.kind == "fact":
        happened = moment_of(operation.event_time, zone)
        starts = happened if happened is None or ends is None or happened < ends else None
    rests_on = named or told[-1:]
    return Proposal(
        operation,
        said_at,
        starts,
        ends,
        tuple(one.id for one in rests_on),
        frozenset(one.turn for one in rests_on if one.turn is not None),
    )


def moment_of(when: datetime | date | None, zone: ZoneInfo) -> datetime | None:
    """A day, or a time of day, in a time zone, where there is one."""
    return None if when is None else in_zone(when, zone)
