"""A model that says what a test tells it to, and remembers what it was asked.

    model = ScriptedModel(
        "Hello.",                                                   a reply of text
        call("core_memory_append", label="human", content="Ada"),   a reply of one call
        ["Let me ", "see.", call("a"), call("b", n=1)],             a reply in pieces, one delta each
        ["Half a rep", StreamDropped("gone")],                      text, and then an error
        [gate, "Late."],                                            waits at a Gate (or an asyncio.Event) first
        lambda request: request.messages[-1]["content"].upper(),    any of these, from the request; may be async
        ModelUnavailable("Overloaded."),                            an error
    )

The replies are used in order, each once. Summaries have a queue of their own; where it is empty, asking for one raises
ScriptError, so that the runtime's own fallback is used.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

from ..errors import ScriptError
from .base import (
    CallDelta,
    Delta,
    ModelReply,
    ModelRequest,
    Purpose,
    ReasoningDelta,
    RequestedCall,
    Retrying,
    TextDelta,
)
from .collect import Collector, deltas_of


class Gate:
    """A place in a reply where the model waits until the test opens it."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._open = asyncio.Event()

    async def reached(self) -> None:
        """Return once a model waits here, or has waited."""
        await self._reached.wait()

    def open(self) -> None:
        """Let the model go on, now and ever after."""
        self._open.set()

    async def wait(self) -> None:
        """What the model does here."""
        self._reached.set()
        await self._open.wait()


Piece = str | RequestedCall | ModelReply | Delta | Gate | asyncio.Event | BaseException
Reply = Piece | Sequence[Piece] | Callable[[ModelRequest], Any]
"""A callable takes the request and returns another Reply, or an awaitable of one."""


def call(tool: str, /, **arguments: Any) -> RequestedCall:
    """A call of `tool` with these arguments as JSON."""
    return RequestedCall(tool, json.dumps(arguments, ensure_ascii=False))


class ScriptedModel:
    """Answers each request with the next scripted reply. A Model; see the head of this module for what a reply is."""

    def __init__(
        self, *replies: Reply, summaries: Sequence[Reply] = (), window: int = 128_000, name: str = "scripted"
    ) -> None:
        self.requests: list[ModelRequest] = []
        """Every request received, in order, as it was then."""
        self.closed = False
        self._name = name
        self._window = window
        self._replies: dict[Purpose, deque[Reply]] = {"turn": deque(replies), "summary": deque(summaries)}

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int:
        return self._window

    def enqueue(self, *replies: Reply) -> None:
        """Add replies behind those that are left."""
        self._replies["turn"].extend(replies)

    def enqueue_summaries(self, *replies: Reply) -> None:
        """Add replies to requests for a summary."""
        self._replies["summary"].extend(replies)

    def enqueue_for(self, purpose: Purpose, *replies: Reply) -> None:
        """Add replies to requests of memory work. A purpose that never got one is none that this model serves."""
        self._replies.setdefault(purpose, deque()).extend(replies)

    @property
    def serves(self) -> frozenset[Purpose]:
        return frozenset(self._replies)

    def assert_used(self) -> None:
        """Raise AssertionError if a reply was not asked for."""
        left = [reply for queue in self._replies.values() for reply in queue]
        if left:
            raise AssertionError(f"{len(left)} scripted replies were not used; the first is {left[0]!r}.")

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        # Copies, so that a message that is changed after it was sent does not rewrite what the test sees.
        self.requests.append(replace(request, messages=tuple(dict(message) for message in request.messages)))
        queue = self._replies.get(request.purpose)
        if not queue:
            raise ScriptError(
                f"The scripted model has no reply left for request {len(self.requests)} (a {request.purpose}), "
                f"which ends with {_last(request)}.",
                hint="Enqueue one.",
            )
        reply = await _resolve(queue.popleft(), request)
        pieces: Sequence[Any] = reply if isinstance(reply, list | tuple) else (reply,)
        collector, calls, whole = Collector(), 0, None
        for piece in pieces:
            # Every model lets others run between its deltas, and can be cancelled there.
            await asyncio.sleep(0)
            if isinstance(piece, Gate | asyncio.Event):
                await piece.wait()
                continue
            if isinstance(piece, BaseException):
                raise piece
            if isinstance(piece, ModelReply):
                whole = piece
            for delta in _deltas(piece, calls):
                calls = max(calls, delta.index + 1) if isinstance(delta, CallDelta) else calls
                collector.add(delta)
                yield delta
        made = collector.reply()
        yield replace(made, finish=whole.finish, usage=whole.usage) if whole else made

    async def close(self) -> None:
        self.closed = True


async def _resolve(reply: Any, request: ModelRequest) -> Any:
    while callable(reply):
        reply = reply(request)
        if inspect.isawaitable(reply):
            reply = await reply
    return reply


def _deltas(piece: Any, next_index: int) -> list[Delta]:
    match piece:
        case str():
            return [TextDelta(piece)] if piece else []
        case RequestedCall():
            return [CallDelta(next_index, piece.name, piece.arguments)]
        case ModelReply():
            return deltas_of(piece, next_index)
        case TextDelta() | ReasoningDelta() | CallDelta() | Retrying():
            return [piece]
    raise TypeError(f"A scripted reply cannot hold {piece!r}.")


def _last(request: ModelRequest) -> str:
    if not request.messages:
        return "no message"
    message = request.messages[-1]
    return f"{message['role']}: {str(message.get('content'))[:200]!r}"
