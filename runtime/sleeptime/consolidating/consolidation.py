"""The steps of consolidation of one agent and user. Who calls them sees to it that one process does it at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from ...archive.archive import Archive
from ...errors import EditRefused
from ...journal.journal import Journal
from ...models.base import Model, serves
from ...scope import Scope
from ..asking import Cost
from ..keep import Overtaken
from ..reconcile import Policy
from .reflecting import keep_findings, next_matter, reflect
from .state import Since, since
from .tidy import Edit, Plan, carry_out, plan

TRIES = 3
"""How often the block is read anew because it has changed, before the proposal is dropped."""


class Consolidation:
    """Consolidates the memory of one user of an agent."""

    def __init__(
        self, scope: Scope, journal: Journal, archive: Archive, model: Model, edit: Edit | None, policy: Policy
    ) -> None:
        self._scope = scope
        self._journal = journal
        self._archive = archive
        self._model = model
        self._edit = edit
        self._merging = policy != "append-only"

    async def since(self) -> Since:
        """What has happened since the last time, as far as it is of use."""
        found = await self._journal.read(lambda connection: since(connection, self._scope))
        return found if serves(self._model, "reflect") else replace(found, episodes=0)

    async def tidy(self) -> tuple[dict[str, int], list[str]]:
        """Merge, bring `human` up to date, and let go of insights without ground; what came of it, and why edits were
        dropped, if they were."""
        now = self._journal.clock.now()
        # All that is kept is read, so it has a thread of its own: no turn waits for it.
        reader = self._journal.reader("consolidation")
        try:
            return await self._tidy(lambda: reader.read(lambda it: plan(it, self._scope, now, self._merging)))
        finally:
            await asyncio.to_thread(reader.close)

    async def _tidy(self, look: Callable[[], Awaitable[Plan]]) -> tuple[dict[str, int], list[str]]:
        dropped = ""
        for last in [False] * (1 + TRIES) + [True]:
            wanted = await look()
            if last:
                counts = {name: count for name, count in wanted.counts.items() if name.startswith("left in human")}
                counts["not written to human"] = len(wanted.edits)
                wanted = replace(wanted, edits=(), counts=counts)
            try:
                done = await self._journal.write(
                    lambda tx, wanted=wanted: carry_out(tx, self._scope, wanted, self._edit)  # type: ignore[misc]
                )
            except EditRefused as error:
                dropped = f"an edit of the block `human`: {error.message}"
                continue
            break
        self._archive.touch()
        return done, [dropped] if last and dropped else []

    async def reflect(self, cost: Cost) -> tuple[dict[str, int], list[str]]:
        """Reflect on the oldest new episodes; what came of it, and what of the answer could not be used.

        Raises ModelError, ArchiveError, or Overtaken where they are too few; and then nothing is done.
        """
        matter = await self._journal.read(lambda connection: next_matter(connection, self._scope))
        if matter is None:
            raise Overtaken("Another process has reflected on this.")
        now = self._journal.clock.now()
        found = await reflect(self._model, self._archive, self._journal, self._scope, matter, now, cost)
        if self._edit is None:
            found = replace(found, rules=[])
        texts = list(dict.fromkeys(one.text for one in (*found.insights, *found.rules)))
        prepared = dict(zip(texts, await self._archive.prepare(texts), strict=True))
        counts = await self._journal.write(lambda tx: keep_findings(tx, self._scope, matter, found, prepared, cost))
        self._archive.touch()
        return counts, found.faults
