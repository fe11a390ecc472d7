"""What the app needs of an agent. `pagekeeper.Agent` has it; a test may bring something smaller."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from ..runtime.stream import StreamEvent


class BlockView(Protocol):
    """A block of core memory, as the panel shows it."""

    @property
    def label(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def limit(self) -> int:
        """Characters."""
        ...

    @property
    def read_only(self) -> bool: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def revision(self) -> int: ...
    @property
    def writer(self) -> str: ...


class MemoryView(Protocol):
    async def blocks(self) -> Sequence[BlockView]: ...


class OverviewView(Protocol):
    """How full the window is, in tokens."""

    @property
    def sections(self) -> Sequence[tuple[str, int]]:
        """As counted here, in the order of the request."""
        ...

    @property
    def window(self) -> int: ...
    @property
    def used(self) -> int: ...
    @property
    def reported(self) -> int | None:
        """What the provider said the last request had, or None where it said nothing."""
        ...

    @property
    def epoch(self) -> int: ...


class ContextView(Protocol):
    async def overview(self) -> OverviewView: ...
    async def resident(self) -> Collection[str]:
        """Labels of the blocks whose values are in view of the model."""
        ...


class CallView(Protocol):
    @property
    def call_id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> str: ...


class MessageView(Protocol):
    """One message of the log, as it was said: without notes."""

    @property
    def id(self) -> str: ...
    @property
    def ordinal(self) -> int: ...
    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def calls(self) -> Sequence[CallView]: ...
    @property
    def call_id(self) -> str | None: ...
    @property
    def at(self) -> datetime: ...
    @property
    def partial(self) -> bool: ...


class Session(Protocol):
    """One conversation with an agent."""

    @property
    def memory(self) -> MemoryView: ...
    @property
    def context(self) -> ContextView: ...

    def stream(self, text: str) -> AsyncIterator[StreamEvent]: ...
    def cancel(self) -> object: ...
    def approve(self, call_id: str, allowed: bool, /) -> None: ...
    async def history(self, *, limit: int, before: int | None = None) -> Sequence[MessageView]: ...


OpenAgent = Callable[[], AbstractAsyncContextManager[Session]]
"""Opens the agent when it is entered, and closes it when it is left. It is called after the first paint."""
