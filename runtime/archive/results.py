"""Results: what they show of rows, and which of those that were ranked they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from ..clock import parse_known, parse_stamp
from ..journal import tables
from ..journal.fold.rows import current
from .choices import Kind
from .query import Hit, Query
from .ranking.figures import newer
from .ranking.gate import WEAK
from .ranking.pipeline import Ranked
from .ranking.twins import Told, without_twins
from .ranking.weights import Weights
from .rows import Item, batches, current_rows, with_words
from .short_ids import shorten

_SHOWN: dict[Kind, list[str]] = {
    "passage": [
        *("id", "text", "event_time", "created_at", "kind", "tags", "status", "conversation"),
        *("valid_from", "valid_to", "basis", "attribute", "disputes", "stream", "user"),
    ],
    "message": ["id", "text", "parts", "at", "role", "conversation", "stream", "user"],
}


def show(connection: Connection, items: Iterable[Item]) -> dict[str, Hit]:
    """`items` as results where nothing was asked, by id, without those that are gone or withheld."""
    out: dict[str, Hit] = {}
    for kind, found in current_rows(connection, list(items), _SHOWN):
        told = with_words(connection, found)
        if kind == "message":
            out.update((row.id, _message(connection, row)) for row in told)
        else:
            disputed = _disputed(connection, [row.id for row in told])
            out.update((row.id, _passage(connection, row, disputed.get(row.id, ()))) for row in told)
    return out


def _message(connection: Connection, row: Row[Any]) -> Hit:
    return Hit(
        table="message",
        id=row.id,
        text=row.text,
        at=parse_stamp(row.at),
        label=row.role,
        short=shorten(connection, "message", row.id, row.stream, row.user),
        conversation=row.conversation,
    )


def _passage(connection: Connection, row: Row[Any], disputed_by: Sequence[str]) -> Hit:
    disputes = row.disputes if row.status == "disputed" else None

    def short(passage: str) -> str:
        return shorten(connection, "passage", passage, row.stream, row.user)

    return Hit(
        table="passage",
        id=row.id,
        text=row.text,
        at=parse_stamp(row.event_time or row.created_at),
        label=row.kind,
        short=short(row.id),
        conversation=row.conversation,
        tags=tuple(row.tags),
        status=row.status,
        valid_from=parse_known(row.valid_from),
        valid_to=parse_known(row.valid_to),
        basis=row.basis,
        attribute=row.attribute or "",
        disputes=disputes,
        disputed_by=tuple(disputed_by),
        shorts={one: short(one) for one in (disputes, *disputed_by) if one},
    )


_DISPUTES = select(tables.passages.c.disputes, tables.passages.c.id).where(
    tables.passages.c.disputes.in_(bindparam("ids", expanding=True)),
    tables.passages.c.status == "disputed",
    current(tables.passages),
)


def _disputed(connection: Connection, ids: list[str]) -> dict[str, list[str]]:
    """Which of these passages are contradicted, and by which."""
    out: dict[str, list[str]] = {}
    for some in batches(ids):
        for disputed, by in connection.execute(_DISPUTES, {"ids": some}):
            out.setdefault(disputed, []).append(by)
    return out


def best_of(
    ranked: Sequence[Ranked], shown: Mapping[str, Hit], query: Query, weights: Weights, *, explain: bool
) -> list[Hit]:
    """The results for `query`, best first: what was ranked and is shown, without near-duplicates."""
    there = [one for one in ranked if one.row.id in shown and shown[one.row.id].status in query.statuses]
    among = {one.row.table for one in there} == {"passage", "message"}
    chosen = without_twins([_told(one, shown[one.row.id], among=among) for one in there], query.limit, -weights.twin)
    scores: list[float] = []
    for place, twin in chosen:
        # A twin is no surer than what it now comes after.
        scores.append(min(there[place].score, *scores[-1:]) if twin and scores else there[place].score)
    # A memory in the place of a better message is as sure as what comes after it.
    scores = list(accumulate(reversed(scores), max))[::-1]
    hits: list[Hit] = []
    said: list[int] = []
    for (place, twin), score in zip(chosen, scores, strict=True):
        one = there[place]
        steps = one.explain | ({"twin": weights.twin} if twin else {}) if explain else {}
        weak = one.gate.relevance() < WEAK
        hits.append(replace(shown[one.row.id], score=score, weak=weak, gate=one.gate, explain=steps))
        said.append(one.row.place if one.row.table == "message" else 0)
    anew = newer(query.text, [(hit.text, (hit.at, place)) for hit, place in zip(hits, said, strict=True)])
    return [_with_newer(hit, hits[anew[n]]) if n in anew else hit for n, hit in enumerate(hits)]


def _with_newer(hit: Hit, other: Hit) -> Hit:
    return replace(hit, newer=other.id, shorts={**hit.shorts, other.id: other.short})


def _told(one: Ranked, shown: Hit, *, among: bool) -> Told:
    happened = shown.table == "message" or shown.label == "episode"
    return Told(shown.text, one.total, shown.at if happened else None, among and shown.table == "passage")
