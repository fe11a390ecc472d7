"""A stand-in for an agent: it plays the turns that a test writes down, event by event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pagekeeper.runtime.stream import ReplyDelta, StreamEvent, TurnEnded, TurnStarted


@dataclass(frozen=True)
class Block:
    label: str
    value: str
    description: str = ""
    limit: int = 5000
    read_only: bool = False
    pinned: bool = True
    revision: int = 1
    writer: str = "user"


@dataclass(frozen=True)
class Overview:
    sections: Sequence[tuple[str, int]]
    window: int = 8000
    used: int = 2000
    reported: int | None = None
    epoch: int = 1


@dataclass(frozen=True)
class Call:
    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    id: str
    ordinal: int
    role: str
    text: str
    calls: Sequence[Call] = ()
    call_id: str | None = None
    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    partial: bool = False


Step = StreamEvent | asyncio.Event | Exception | Callable[[], None]


@dataclass
class FakeSession:
    """Each turn is a list of events; an asyncio.Event in it waits until the test sets it, an exception is raised."""

    turns: list[list[Step]] = field(default_factory=list)
    log: list[Message] = field(default_factory=list)
    stored: list[Block] = field(default_factory=list)
    out: set[str] = field(default_factory=set)
    fill: Overview = field(default_factory=lambda: Overview([("system", 500), ("messages", 1500), ("free", 6000)]))
    inputs: list[str] = field(default_factory=list)
    answers: list[tuple[str, bool]] = field(default_factory=list)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    closed: bool = False
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def memory(self) -> FakeSession:
        return self

    @property
    def context(self) -> FakeSession:
        return self

    async def blocks(self) -> list[Block]:
        return list(self.stored)

    async def resident(self) -> set[str]:
        return {block.label for block in self.stored} - self.out

    async def overview(self) -> Overview:
        return self.fill

    async def history(self, *, limit: int, before: int | None = None) -> list[Message]:
        older = [message for message in self.log if before is None or message.ordinal < before]
        return older[-limit:]

    def cancel(self) -> None:
        self._stop.set()

    def approve(self, call_id: str, allowed: bool) -> None:
        self.answers.append((call_id, allowed))
        self.answered.set()

    async def stream(self, text: str) -> AsyncIterator[StreamEvent]:
        self.inputs.append(text)
        self._stop.clear()
        turn = self.turns.pop(0) if self.turns else [ReplyDelta(f"You said: {text}")]
        yield TurnStarted("t", "i", text)
        said = ""
        for step in turn:
            if isinstance(step, asyncio.Event):
                waits = [asyncio.ensure_future(step.wait()), asyncio.ensure_future(self._stop.wait())]
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                for wait in waits:
                    wait.cancel()
                if self._stop.is_set():
                    yield TurnEnded("t", "cancelled", said)
                    return
            elif isinstance(step, Exception):
                raise step
            elif callable(step):
                step()
            else:
                said += step.text if isinstance(step, ReplyDelta) else ""
                yield step
                if isinstance(step, TurnEnded):
                    return
        yield TurnEnded("t", "done", said)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[FakeSession]:
        try:
            yield self
        finally:
            self.closed = True
