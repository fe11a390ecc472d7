"""Memory work of one agent and user: what runs, when, and what is told of it.

It runs between turns and holds no turn's lock, so a reply never waits for it. What waits is what the journal says, so a
queue cannot run over: new words are one with those that wait. Of several processes one works at a time; a process that
dies leaves the cursor where it was, and the next one starts there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ..ageing.sweep import look, sweep
from ..archive.archive import Archive
from ..background import stop
from ..errors import PagekeeperError, words_of
from ..journal.journal import Journal
from ..locks import Locks
from ..models.base import Model, serves
from ..scope import Scope
from .asking import Cost
from .consolidating.consolidation import Consolidation
from .consolidating.tidy import Edit
from .delta import Delta, Waiting, failures, read_delta, waiting
from .due import pause
from .extract import Proposed, extract
from .keep import Overtaken, keep, make_ready
from .settings import WorkSettings

log = logging.getLogger(__name__)

TRIES = 3
"""How often a piece is begun anew because another process was faster."""


@dataclass(slots=True)
class Worked:
    """What memory work did. `counts` says what became of the memories that were proposed."""

    counts: dict[str, int] = field(default_factory=dict)
    messages: int = 0
    """Messages that it went through."""
    cost: Cost = field(default_factory=Cost)
    faults: list[str] = field(default_factory=list)
    """What of the model's answers could not be used."""
    error: str = ""
    """Why it stopped before it was through; what is left is tried again later."""
    busy: bool = False
    """Another process is at it."""


def lock_of(agent: str) -> str:
    """The name of the lock under which an agent's memory work runs."""
    return f"work-{agent}"


class MemoryWork:
    """The memory work of one agent and user in this process."""

    def __init__(
        self,
        scope: Scope,
        journal: Journal,
        archive: Archive,
        model: Model,
        locks: Locks,
        settings: WorkSettings,
        quiet: Callable[[], Awaitable[None]],
        edit: Edit | None = None,
    ) -> None:
        """Without `edit` there are no blocks, and so no rules that could stand in one."""
        self._scope = scope
        self._journal = journal
        self._archive = archive
        self._model = model
        self._locks = locks
        self._settings = settings
        self._quiet = quiet
        """Returns when no turn is under way here."""
        self._consolidation = Consolidation(scope, journal, archive, model, edit, settings.policy)
        self._told = asyncio.Event()
        self._working = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None

    @property
    def model_name(self) -> str:
        return self._model.name

    @property
    def served(self) -> bool:
        """Whether the model is up to it."""
        return serves(self._model, "extract")

    def start(self) -> None:
        """Work in the background from now on, whenever it is due."""
        if self._background is None and self.served:
            self._background = asyncio.create_task(self._tend(), name="memory work")

    def touch(self) -> None:
        """Say that a turn has ended."""
        self._told.set()

    async def close(self) -> None:
        """Stop. What was being worked on is begun anew next time."""
        await stop(self._background)
        self._background = None

    async def waiting(self) -> Waiting:
        """How much waits."""
        return await self._journal.read(lambda connection: waiting(connection, self._scope))

    async def run(self, *, consolidate: bool = True, progress: Callable[[Worked], None] | None = None) -> Worked:
        """Retire what is too old, go through all that waits, and then consolidate where anything has changed since.

        What goes wrong is in the result, in the journal, and tried again later. `progress` is told what is done so far,
        after each piece.
        """
        async with self._working:
            return await self._run(consolidate, progress)

    async def _run(self, consolidate: bool, progress: Callable[[Worked], None] | None = None) -> Worked:
        done = Worked()
        with self._locks.tried(lock_of(self._scope.agent)) as held, contextlib.suppress(_Stopped):
            done.busy = not held
            if held:
                await self._sweep(done)
            if not self.served:
                done.error = f"The model {self._model.name} is not up to memory work."
                return done
            while held and await self._piece(done):
                if progress is not None:
                    progress(done)
            if held and consolidate:
                await self._consolidate(done)
        return done

    async def run_if_due(self) -> Worked | None:
        """What of it is due, if it is done in the background here: for a process that is about to end."""
        if self._background is None or await self._pausing():
            return None
        consolidate = await self._consolidation_due()
        if not (consolidate or await self._due()):
            return None
        async with self._working:
            # The background was at it perhaps, and has failed: that is not tried again at once.
            return None if await self._pausing() else await self._run(consolidate)

    async def _piece(self, done: Worked) -> bool:
        """One piece of what waits; whether there was one. Raises _Stopped where it cannot be done now."""
        for _ in range(TRIES):
            await self._quiet()
            delta = await self._journal.read(lambda connection: read_delta(connection, self._scope))
            if delta is None:
                return False
            try:
                await self._attempt(done, lambda cost, delta=delta: self._through(delta, cost))  # type: ignore[misc]
            except Overtaken:
                continue
            done.messages += len(delta.entries)
            return True
        raise _Stopped

    async def _attempt(self, done: Worked, work: Callable[[Cost], Awaitable[tuple[dict[str, int], list[str]]]]) -> None:
        """Do a piece of work within the time limit, and add up what came of it. Raises _Stopped where it failed, which
        is then in the journal; and Overtaken."""
        cost = Cost()
        try:
            async with asyncio.timeout(self._settings.time_limit):
                counts, faults = await work(cost)
        except Overtaken:
            raise
        except TimeoutError:
            await self._fail(done, cost, f"It took longer than {self._settings.time_limit:g} seconds.")
        except PagekeeperError as error:
            await self._fail(done, cost, words_of(error))
        except Exception as error:
            log.exception("Memory work failed.")
            await self._fail(done, cost, words_of(error))
        else:
            _add(done, counts, faults, cost)

    async def _consolidate(self, done: Worked) -> None:
        """Tidy up, and then reflect on what is new, piece by piece. Raises _Stopped where a step failed."""
        await self._quiet()
        if (await self._consolidation.since()).changed:
            await self._attempt(done, lambda _cost: self._consolidation.tidy())
        try:
            while (await self._consolidation.since()).worth_reflecting():
                await self._quiet()
                await self._attempt(done, self._consolidation.reflect)
        except Overtaken:
            return  # another process is through with it

    async def _through(self, delta: Delta, cost: Cost) -> tuple[dict[str, int], list[str]]:
        """Extract and keep a piece."""
        proposed = Proposed([])
        now = self._journal.clock.now()
        if delta.told:
            proposed = await extract(self._model, self._archive, self._journal, self._scope, delta, now, cost)
        found = await make_ready(self._archive, self._scope, proposed.proposals)
        kept = await self._journal.write(
            lambda tx: keep(tx, self._scope, delta, found, proposed, cost, self._settings.policy)
        )
        self._archive.touch()
        return kept.counts, [*proposed.faults, *kept.refused]

    async def _sweep(self, done: Worked) -> None:
        """Retire what is too old, for which no model is needed. Mostly nothing is, so it is looked first."""
        keeping, now = self._settings.keeping, self._journal.clock.now()
        if await self._journal.read(lambda connection: look(connection, self._scope, keeping, now)):
            swept = await self._journal.write(lambda tx: sweep(tx, self._scope, keeping))
            _add(done, {f"retired: {one.reason}": len(one.texts) for one in swept}, [], Cost())
            self._archive.touch()

    async def _fail(self, done: Worked, cost: Cost, reason: str) -> None:
        done.error = reason
        _add(done, {}, [], cost)
        payload = {"user": self._scope.user, "reason": reason, "cost": cost.data()}
        await self._journal.write(
            lambda tx: tx.append("sleep.failed", payload, stream=self._scope.agent, writer="sleeptime")
        )
        raise _Stopped

    async def _tend(self) -> None:
        """Look after each turn, and now and then, whether it is due."""
        while True:
            try:
                # Not wait_for: in Python 3.11 it can lose a cancellation, and closing would wait for ever.
                async with asyncio.timeout(self._settings.between.total_seconds()):
                    await self._told.wait()
            except TimeoutError:
                pass
            self._told.clear()
            try:
                await self.run_if_due()
            except PagekeeperError as error:
                log.warning("Memory work could not be looked after: %s", error)

    async def _due(self) -> bool:
        """Whether what was said is to be looked at."""
        return not await self._pausing() and self._settings.due(await self.waiting(), self._journal.clock.now())

    async def _consolidation_due(self) -> bool:
        return self._settings.consolidated(await self._consolidation.since(), self._journal.clock.now())

    async def _pausing(self) -> bool:
        """Whether it has failed a moment ago."""
        count, _, at = await self._journal.read(lambda connection: failures(connection, self._scope))
        return at is not None and self._journal.clock.now() < at + pause(count)


class _Stopped(Exception):
    """The rest is left for later."""


def _add(done: Worked, counts: dict[str, int], faults: list[str], cost: Cost) -> None:
    for name, count in counts.items():
        done.counts[name] = done.counts.get(name, 0) + count
    done.faults += faults
    done.cost.calls += cost.calls
    done.cost.input_tokens += cost.input_tokens
    done.cost.output_tokens += cost.output_tokens
