"""Who goes first: a search that a person waits for, or the upkeep that nobody waits for.

Upkeep is a row of steps, and what runs in LanceDB cannot be stopped halfway. So it asks before each step: a search that
comes meanwhile shares the machine with the step that is under way, and with no other.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

PATIENCE = 1.0
"""Seconds that a step waits at most: where searches never pause, the tables must be put in order all the same."""


class GivingWay:
    """Counts the searches that are under way in this process, and lets steps of upkeep wait for them."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._searches = 0
        self._hurried = 0
        self._free = asyncio.Event()
        self._free.set()

    @contextlib.contextmanager
    def searching(self) -> Iterator[None]:
        """A search is under way."""
        self._searches += 1
        self._tell()
        try:
            yield
        finally:
            self._searches -= 1
            self._tell()

    @contextlib.contextmanager
    def hurried(self) -> Iterator[None]:
        """A search waits for the upkeep itself, which therefore waits for none."""
        self._hurried += 1
        self._tell()
        try:
            yield
        finally:
            self._hurried -= 1
            self._tell()

    async def before_step(self) -> None:
        """Wait until no search is under way, for `PATIENCE` seconds at most."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._free.wait()

    def _tell(self) -> None:
        if self._searches == 0 or self._hurried:
            self._free.set()
        else:
            self._free.clear()
