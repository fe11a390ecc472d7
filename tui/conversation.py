"""Opens the agent, and runs the user's inputs one after the other; the app shows what happens."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..runtime.stream import StreamEvent
from .session import OpenAgent

if TYPE_CHECKING:
    from ..runtime.agent import LiveAgent


@dataclass(frozen=True)
class Job:
    """Turns to be run: those that answer `text`, or (where it is empty) what was left unanswered before."""

    text: str
    start: Callable[[LiveAgent], AsyncGenerator[StreamEvent, None]]


class Listener(Protocol):
    """What a conversation tells the app."""

    async def opened(self, session: LiveAgent) -> None:
        """The agent is there. Inputs are sent once this returns."""
        ...

    async def sending(self, text: str) -> None:
        """An input leaves the queue; `text` is empty where it is one of an earlier process."""
        ...

    async def happened(self, event: StreamEvent) -> None: ...

    async def failed(self, error: Exception, *, opening: bool) -> None:
        """The agent could not be opened, or a turn raised."""
        ...

    async def idle(self) -> None:
        """No turn runs now."""
        ...


class Conversation:
    """One agent from opening to closing, in one task: `run`. Inputs may come before the agent is there."""

    def __init__(self, open_agent: OpenAgent, listener: Listener) -> None:
        self._open_agent = open_agent
        self._listener = listener
        self._wake = asyncio.Event()
        self._closing = False
        self.queue: deque[Job] = deque()
        """Inputs that wait for the agent or for the turn before them."""
        self.session: LiveAgent | None = None
        self.busy = False
        """Whether a turn runs."""

    def submit(self, text: str) -> None:
        """Send `text` as soon as its turn comes."""
        self._put(Job(text, lambda session: session.stream(text)))

    def resume(self, retry: bool) -> None:
        """Answer what a dead process left unanswered; with `retry`, also what it had begun to answer."""
        self._put(Job("", lambda session: session.resume(retry)))

    def _put(self, job: Job) -> None:
        self.queue.append(job)
        self._wake.set()

    def stop(self) -> bool:
        """Stop the turn that runs; whether there was one."""
        if self.busy and self.session is not None:
            self.session.cancel()
            return True
        return False

    def close(self) -> None:
        """Stop what runs and let `run` return. What is queued is not sent."""
        self._closing = True
        self.stop()
        self._wake.set()

    async def run(self) -> None:
        """Until `close`, or until the agent could not be opened."""
        try:
            async with self._open_agent() as session:
                self.session = session
                await self._listener.opened(session)
                await self._converse(session)
        except Exception as error:
            # Whatever it was, the user must see it; the app itself stays usable for reading and copying.
            await self._listener.failed(error, opening=True)
        finally:
            self.session = None

    async def _converse(self, session: LiveAgent) -> None:
        while not self._closing:
            if not self.queue:
                self._wake.clear()
                await self._wake.wait()
                continue
            job = self.queue.popleft()
            self.busy = True
            try:
                await self._listener.sending(job.text)
                # Whatever goes wrong in drawing it, the turn is not left running unread.
                async with aclosing(job.start(session)) as events:
                    async for event in events:
                        await self._listener.happened(event)
            except Exception as error:
                await self._listener.failed(error, opening=False)
            finally:
                self.busy = False
            await self._listener.idle()
