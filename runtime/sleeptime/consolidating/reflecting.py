"""Reflecting on new episodes: a model says what several of them show together, and which standing rules they suggest.

It is asked outside of any transaction; what it found is kept in one, together with the marker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ...archive import passages
from ...archive.archive import Archive
from ...archive.drafts import Draft, Prepared
from ...archive.query import Query
from ...clock import parse_stamp
from ...errors import ModelError
from ...journal.journal import Journal, Transaction
from ...models.base import Model
from ...scope import Scope
from ..asking import Cost, ask
from ..extract import local
from ..keep import Overtaken
from ..wording import compare
from .findings import FEWEST_FOR, SCHEMA, Finding, Findings, read
from .grounds import grounded, rows_of
from .proposals import Insights, Rules
from .state import FEWEST_EPISODES, Marker, marker, new_episodes

MOST_EPISODES = 20
"""New episodes that are reflected on at once; what is more is the next piece."""
MOST_BESIDE = 20
"""Older episodes, and facts, that have to do with them and are shown too."""
BESIDE = 4
"""Of them, for each new episode."""
KINDS = ("episode", "fact")


@dataclass(frozen=True, slots=True)
class Matter:
    """What is to be reflected on: rows of passages, oldest first."""

    mark: Marker
    """How far reflection was; and after it: """
    until: int
    new: Sequence[Row[Any]]


def next_matter(connection: Connection, scope: Scope) -> Matter | None:
    """The oldest episodes that nobody has reflected on; None where they are too few."""
    mark = marker(connection, scope)
    found = new_episodes(connection, scope, mark)
    if len(found) < FEWEST_EPISODES:
        return None
    until = found[:MOST_EPISODES][-1][0]
    if len(found) > MOST_EPISODES and len(found) - MOST_EPISODES < FEWEST_EPISODES:
        until = found[-1][0]  # a rest that is too small would wait for others
    ids = [passage for seq, passage in found if seq <= until]
    return Matter(mark, until, rows_of(connection, scope, ids))


async def reflect(
    model: Model, archive: Archive, journal: Journal, scope: Scope, matter: Matter, now: datetime, cost: Cost
) -> Findings:
    """Ask `model` what there is to learn. Raises ModelError, or ArchiveError where what belongs to it cannot be looked
    up."""
    beside = await _beside(archive, journal, scope, matter)
    shown = [*matter.new, *beside]
    episodes = sorted((row for row in shown if row.kind == "episode"), key=_at)
    question = {
        "now": local(now, scope.timezone),
        "episodes": [
            {"id": row.id, "text": row.text, "at": local(parse_stamp(_at(row)), scope.timezone)} for row in episodes
        ],
        "facts": [{"id": row.id, "text": row.text} for row in shown if row.kind == "fact"],
    }
    answer = await ask(model, "reflect", question, SCHEMA, cost)
    try:
        return read(answer, {row.id for row in shown})
    except ValueError as error:
        raise ModelError(f"{model.name}: the answer to memory work (reflect) cannot be used: {error}.") from None


async def _beside(archive: Archive, journal: Journal, scope: Scope, matter: Matter) -> list[Row[Any]]:
    """What is known already and has to do with the new episodes: a pattern shows itself only over time."""
    new = {row.id for row in matter.new}
    found: dict[str, None] = {}
    for row in matter.new:
        query = Query(scope, row.text, tables=("passage",), kinds=KINDS, exclude=frozenset(new), limit=BESIDE)
        found.update(dict.fromkeys(hit.id for hit in await archive.search(query) if not hit.weak))
    wanted = list(found)[:MOST_BESIDE]
    return await journal.read(lambda connection: grounded(connection, scope, wanted))


def _at(row: Row[Any]) -> str:
    return str(row.event_time or row.created_at)


def keep_findings(
    tx: Transaction,
    scope: Scope,
    matter: Matter,
    found: Findings,
    prepared: dict[str, Prepared],
    cost: Cost,
) -> dict[str, int]:
    """Keep what was found, and move the marker. Raises Overtaken where another process was faster; then nothing is
    done."""
    if marker(tx.connection, scope) != matter.mark:
        raise Overtaken("Another process has reflected on this.")
    keeper = _Keeper(tx, scope, prepared)
    for one in found.insights:
        keeper.insight(one)
    for one in found.rules:
        keeper.rule(one)
    keeper.counts["faulty"] += len(found.faults)
    keeper.counts["clamped"] += len(found.clamped)
    counts = {name: count for name, count in keeper.counts.items() if count}
    payload = {"user": scope.user, "reflected": matter.until, "counts": counts, "cost": cost.data()}
    tx.append("sleep.consolidated", payload, stream=scope.agent, writer="sleeptime")
    return counts


class _Keeper:
    """One transaction's work."""

    def __init__(self, tx: Transaction, scope: Scope, prepared: dict[str, Prepared]) -> None:
        self.counts: Counter[str] = Counter()
        self._tx = tx
        self._scope = scope
        self._prepared = prepared
        self._insights = Insights.read(tx.connection, scope)
        self._rules = Rules.read(tx.connection, scope)

    def insight(self, found: Finding) -> None:
        """Keep an insight, in the place of those that rest on the same."""
        grounds = self._grounds(found, "insights")
        if not grounds:
            return
        if self._insights.know(found) or any(compare(found.text, row.text) in ("same", "less") for row in grounds):
            self.counts["insights known"] += 1
            return
        [new, *_] = self._add(found, "insight", grounds)
        for old in self._insights.replaced_by(found):
            passages.replace_by(self._tx, self._scope, old, new, writer="sleeptime")
            self.counts["insights superseded"] += 1
        self.counts["insights"] += 1

    def rule(self, found: Finding) -> None:
        """Propose a rule, unless the user has seen it before."""
        grounds = self._grounds(found, "rules")
        if not grounds:
            return
        if known := self._rules.known(found):
            self.counts[f"rules {known}"] += 1
            return
        self._add(found, "rule", grounds)
        self.counts["rules proposed"] += 1

    def _grounds(self, found: Finding, name: str) -> list[Row[Any]]:
        """What it rests on, as far as that is there still; nothing where it is too little by now."""
        grounds = grounded(self._tx.connection, self._scope, found.evidence)
        if len(grounds) >= FEWEST_FOR[name]:
            return grounds
        self.counts["forgotten"] += 1
        return []

    def _add(self, found: Finding, kind: str, grounds: Sequence[Row[Any]]) -> list[str]:
        draft = Draft(
            found.text,
            kind=kind,
            status="proposed" if kind == "rule" else "active",
            basis="reflected",
            evidence=tuple(row.id for row in grounds),
            source=tuple(dict.fromkeys(source for row in grounds for source in row.source)),
            confidence=found.confidence,
            importance=max(row.importance for row in grounds),
        )
        return passages.add(self._tx, self._scope, [draft], [self._prepared[found.text]], writer="sleeptime")
