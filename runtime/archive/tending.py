"""What goes on in the background of an open archive: embedding what is committed, and having it flushed and maintained.

Each flush leaves a fragment in a table, and a search reads all of them: ten flushes of a turn each would double its
time. So changes wait in memory, where they are searched, until they are enough to be worth it, or nothing else goes on.
"""

from __future__ import annotations

import asyncio
import contextlib

from ..background import stop
from ..errors import PagekeeperError
from .keeper import FLUSH_ROWS, Keeper
from .view import View

BURST_SECONDS = 0.25
"""How long a change waits for others that come with it."""
IDLE_SECONDS = 120.0
"""Seconds without a change after which even a few changes are flushed, and the tables are put in order."""


class Tending:
    """Tends an archive while `run` runs."""

    def __init__(self, view: View, keeper: Keeper, idle: float) -> None:
        self.trouble: str | None = None
        """Why the last upkeep failed, until it succeeds."""
        self.changed = asyncio.Event()
        """Set by whoever has, or will have, committed something."""
        self._view = view
        self._keeper = keeper
        self._idle = idle
        self._working: asyncio.Task[None] | None = None
        self._loose = False
        """Whether the tables may be put in better order than they are."""

    async def run(self) -> None:
        """Embed, flush and maintain, until cancelled."""
        with contextlib.suppress(PagekeeperError):
            await self._view.catch_up()
            if self._view.stored:
                await self._view.generation()
        if self._keeper.pending():
            self.changed.set()
        try:
            while True:
                await self._once()
        finally:
            await stop(self._working)

    async def _once(self) -> None:
        """Wait for a change, or for none to come, and do what is to be done then."""
        try:
            # Not wait_for: in Python 3.11 it can lose a cancellation, and closing would wait for ever.
            async with asyncio.timeout(self._idle):
                await self.changed.wait()
        except TimeoutError:
            with contextlib.suppress(PagekeeperError):
                await self._keeper.embed_missing()
            if self._keeper.pending() or self._loose:
                self._begin(all_of_it=True)
            return
        self.changed.clear()
        await asyncio.sleep(BURST_SECONDS)
        with contextlib.suppress(PagekeeperError):
            await self._keeper.embedding.pending()
        if self._keeper.pending() >= FLUSH_ROWS:
            self._begin(all_of_it=False)

    def _begin(self, *, all_of_it: bool) -> None:
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self.settle(all_of_it=all_of_it), name="upkeep")

    async def settle(self, *, all_of_it: bool = False) -> None:
        """Flush and maintain; what goes wrong is kept in `trouble`, since nobody waits for it."""
        try:
            await self._keeper.work_apart(all_of_it=all_of_it)
            self.trouble = None
            self._loose = not all_of_it
            if self._keeper.pending() >= FLUSH_ROWS:
                self.changed.set()
        except PagekeeperError as error:
            self.trouble = str(error)
