"""What goes on in the background of a process."""

from __future__ import annotations

import asyncio
import contextlib


async def stop(task: asyncio.Task[None] | None) -> None:
    """Cancel a task, where there is one, and wait until it is over."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
