"""The `<memory>` note of a turn: what memory holds about the user's words, and nothing where that is nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..archive.archive import Archive
from ..archive.lines import line
from ..archive.query import Hit, Query
from ..archive.terms import count_words
from ..context.tokens import TokenCounter
from ..scope import Scope
from .choosing import best, holds, in_order, without_repetitions
from .known import is_known
from .rewriting import Said
from .router import Route, route

LONGEST = 600
"""Characters of one memory."""
ENOUGH = 3
"""So many memories of the kinds that a question asks for are enough; where there are fewer, any kind is looked for."""
QUESTION = 20
"""Words up to which a single sentence that asks tells nothing besides."""
POOL = 12
"""Results of a search, of which the best are chosen."""
PRESENT = ("active", "disputed")
PAST = ("active", "disputed", "superseded")
WITH_NEIGHBOURS = 2
"""So many of the results that fit best come with their neighbours, if they are episodes."""
WHOLE = 60
"""Passages up to which a store may be small, so that all of it is told if the budget has room for it."""


@dataclass(frozen=True, slots=True)
class RecalledNote:
    """What stands in the `<memory>` note: one line for each memory. It is not escaped yet."""

    text: str
    ids: tuple[str, ...]


class Recall:
    """Looks into an archive before a turn. It searches once; twice only where a kind was asked for and hardly found."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def note(
        self,
        scope: Scope,
        words: str,
        in_view_ids: Collection[str],
        budget_tokens: int,
        counter: TokenCounter,
        *,
        before: Sequence[Said] = (),
        known: Collection[str] = (),
    ) -> RecalledNote | None:
        """The note for the user's `words`; None where there is nothing that is worth its tokens.

        `before` are the messages before them, oldest first. What is in view is not recalled, nor what a line of
        `known`, those of the blocks in view, says already. `budget_tokens` is the most that the note's lines may take.
        Raises ArchiveError.
        """
        now = self._archive.clock.now()
        way = route(words, before, now, scope.timezone)
        if budget_tokens <= 0 or way is None:
            return None
        in_view = frozenset(in_view_ids)
        found = await self._look(scope, way, in_view)
        if not found:
            return None
        # What was before is told with its dates, which a block does not have.
        news = [hit for hit in _prefer(found, way, now) if way.when.past or not is_known(hit.text, known)]
        picked = best(without_repetitions(news), way.most, now)
        chosen = in_order(await self._both_sides(picked, in_view), now)
        chosen += await self._beside(scope, picked, {hit.id for hit in chosen} | in_view)
        every = [hit for hit in await self._whole(scope, in_view) if not is_known(hit.text, known)]

        def said(hit: Hit) -> str:
            return line(hit, scope.timezone, question=way.text, most=LONGEST)

        whole = without_repetitions([*chosen, *in_order(every, now)])
        told = _within(whole, said, budget_tokens, counter)
        if len(told) < len(whole):
            told = _within(chosen, said, budget_tokens, counter)
        return RecalledNote("\n".join(told.values()), tuple(told)) if told else None

    async def _look(self, scope: Scope, way: Route, in_view: frozenset[str]) -> list[Hit]:
        """What has to do with the words, best first; of the kinds that they ask for first."""
        start, until = way.when.span or (None, None)
        asked = Query(
            scope,
            way.text,
            valid_at=start,
            valid_until=until,
            statuses=PAST if way.when.past else PRESENT,
            exclude=in_view,
            limit=POOL,
        )
        found: list[Hit] = []
        if way.kinds:
            found = await self._strong(replace(asked, kinds=way.kinds))
        if len(found) < ENOUGH:
            there = {hit.id for hit in found}
            found += [hit for hit in await self._strong(asked) if hit.id not in there]
        return found

    async def _strong(self, query: Query) -> list[Hit]:
        return [hit for hit in await self._archive.search(query) if not hit.weak and not _only_asks(hit)]

    async def _whole(self, scope: Scope, in_view: frozenset[str]) -> list[Hit]:
        """All that is archived, where that is little."""
        every = Query(scope, "", tables=("passage",), statuses=PRESENT, exclude=in_view, limit=WHOLE)
        return await self._archive.whole(every) or []

    async def _both_sides(self, hits: list[Hit], in_view: frozenset[str]) -> list[Hit]:
        """`hits`, each of which that contradicts another beside that one."""
        there = {hit.id for hit in hits} | in_view
        others = {one for hit in hits for one in (hit.disputes, *hit.disputed_by) if one and one not in there}
        return [*hits, *await self._archive.show([("passage", one) for one in sorted(others)])] if others else hits

    async def _beside(self, scope: Scope, picked: Sequence[Hit], there: Collection[str]) -> list[Hit]:
        """What was told just before and after the episodes that fit best: it may be what the words are about."""
        told = [hit.id for hit in picked[:WITH_NEIGHBOURS] if hit.label == "episode"]
        return [hit for hit in await self._archive.beside(scope, told) if hit.id not in there] if told else []


def _only_asks(hit: Hit) -> bool:
    """Whether it is a question that was put once: it tells nothing, and its answer is found by itself."""
    return (
        hit.table == "message"
        and hit.text.rstrip().endswith(("?", "？"))
        and count_words(hit.text) <= QUESTION
        and not re.search(r"[.!;。！；]\s*\S", hit.text)
    )


def _prefer(hits: list[Hit], way: Route, now: datetime) -> list[Hit]:
    """`hits` with those first that are of the time that is asked about; else they stay as they come."""
    if way.when.span:
        return hits
    return sorted(hits, key=lambda hit: holds(hit, now) is way.when.former)


def _within(hits: Sequence[Hit], said: Callable[[Hit], str], budget: int, counter: TokenCounter) -> dict[str, str]:
    """The lines of as many of `hits` as fit, in their order, by id. What is too long makes no room for others."""
    told: dict[str, str] = {}
    for hit in hits:
        text = said(hit)
        cost = counter.count(text) + 1
        if cost <= budget:
            budget -= cost
            told[hit.id] = text
    return told
