"""Locks across processes: who may run a conversation's turn, and which processes are alive.

They are OS file locks, which a process gives up when it dies, however it dies. Their files are named by our own ids.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from filelock import AcquireReturnProxy, FileLock, Timeout

from .home import errors_of

_WAITS = (0.001, 0.002, 0.005, 0.01, 0.02)
"""Seconds between tries for a lock, the last one repeated."""


class Locks:
    """The locks of a home."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._turns = home / "locks"
        self._owners = home / "owners"
        self._turns.mkdir(exist_ok=True)
        self._owners.mkdir(exist_ok=True)

    @contextlib.asynccontextmanager
    async def turn(self, conversation: str) -> AsyncIterator[None]:
        """Hold the lock under which a conversation's turns run, one at a time. Raises HomeError."""
        lock = FileLock(self._turns / f"{conversation}.lock", thread_local=False)
        with errors_of(self._home):
            await _acquire(lock)
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def tried(self, conversation: str) -> Iterator[bool]:
        """Hold that lock if it is free at once; gives whether it was. Raises HomeError."""
        lock = FileLock(self._turns / f"{conversation}.lock", thread_local=False)
        with errors_of(self._home), contextlib.suppress(Timeout):
            lock.acquire(blocking=False)
        try:
            yield lock.is_locked
        finally:
            lock.release()

    @contextlib.asynccontextmanager
    async def turns(self, conversations: list[str]) -> AsyncIterator[None]:
        """Hold the turn locks of several conversations, taken in one order so that no two callers wait in a circle."""
        async with contextlib.AsyncExitStack() as stack:
            for conversation in sorted(conversations):
                await stack.enter_async_context(self.turn(conversation))
            yield

    def own(self, owner: str) -> FileLock:
        """Show that the owner lives, until the returned lock is released or the process dies."""
        lock = FileLock(self._owners / f"{owner}.lock", thread_local=False)
        with self._probing():
            lock.acquire(blocking=False)
        for other in self._owners.glob("ow-*.lock"):
            self.alive(other.stem)  # clears away what a dead one left
        return lock

    def alive(self, owner: str) -> bool:
        """Whether the process that owns an input still lives."""
        path = self._owners / f"{owner}.lock"
        if not path.exists():
            return False
        lock = FileLock(path, thread_local=False)
        with errors_of(self._home), self._probing():
            try:
                lock.acquire(blocking=False)
            except Timeout:
                return True
            lock.release()
            path.unlink(missing_ok=True)
        return False

    def _probing(self) -> AcquireReturnProxy[FileLock]:
        """One at a time, since who looks whether an owner lives holds its lock for a moment."""
        return FileLock(self._owners / "probe", thread_local=False).acquire(poll_interval=0.001)

    def disown(self, owner: str, lock: FileLock) -> None:
        """The owner is done: what it left unanswered may be taken over."""
        (self._owners / f"{owner}.lock").unlink(missing_ok=True)
        lock.release()


async def pause(attempt: int) -> None:
    """Wait a little longer at each attempt."""
    await asyncio.sleep(_WAITS[min(attempt, len(_WAITS) - 1)])


async def _acquire(lock: FileLock) -> None:
    attempt = 0
    while True:
        try:
            lock.acquire(blocking=False)
        except Timeout:
            await pause(attempt)
            attempt += 1
        else:
            return
