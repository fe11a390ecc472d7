"""Calls that wait until a person has decided whether they run."""

from __future__ import annotations

import asyncio

from .errors import NotFound


class Approvals:
    """The decisions that are waited for, by call id."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[bool]] = {}

    async def wait(self, call_id: str) -> bool:
        """Return what is decided about the call."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[call_id] = future
        try:
            return await future
        finally:
            del self._waiting[call_id]

    def decide(self, call_id: str, run: bool) -> None:
        """Let the call run, or decline it. Raises NotFound where no such call waits."""
        future = self._waiting.get(call_id)
        if future is None or future.done():
            raise NotFound(f"No call {call_id!r} waits for a decision.")
        future.set_result(run)
