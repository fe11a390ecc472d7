"""The line in which the inputs of a conversation wait in one process, so that only the first one looks at the locks."""

from __future__ import annotations

import asyncio
import bisect
import contextlib
from collections.abc import AsyncIterator


class Line:
    """Those who wait, by their places; a later comer may have an earlier place."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, asyncio.Event]] = []

    @contextlib.asynccontextmanager
    async def stand(self, place: int) -> AsyncIterator[None]:
        """Go on once nobody stands before this place. When it is left, the next one goes on."""
        mine = (place, asyncio.Event())
        bisect.insort(self._waiting, mine, key=lambda each: each[0])
        self._call()
        try:
            await mine[1].wait()
            yield
        finally:
            self._waiting.remove(mine)
            self._call()

    def _call(self) -> None:
        if self._waiting:
            self._waiting[0][1].set()
