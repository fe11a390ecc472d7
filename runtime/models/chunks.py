"""Reads a reply in the OpenAI format, chunk by chunk or whole, as deltas, a finish and a usage.

Providers disagree on how calls are streamed: some give every call index 0, some give none, some send a whole call in
one chunk or repeat its name with every piece. An id that differs begins another call; without ids, a name after
arguments that are already whole does.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Literal

from .base import CallDelta, Delta, ModelReply, ReasoningDelta, RequestedCall, TextDelta, Usage
from .collect import Collector

Finish = Literal["stop", "calls", "length", "filtered"]

_FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
    "safety": "filtered",
    "refusal": "filtered",
}


class ChunkReader:
    """Takes a reply's chunks in order, and gives their deltas; `reply()` is the whole."""

    def __init__(self) -> None:
        self._collector = Collector()
        self._finish = ""
        self._usage = Usage()
        self._open: dict[int, int] = {}
        """The provider's index -> the number of the call that its pieces go to now."""
        self._ids: list[str] = []
        self._arguments: list[str] = []

    def deltas(self, chunk: Any) -> list[Delta]:
        """What `chunk` adds to the reply."""
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            self._usage = read_usage(usage)
        if not getattr(chunk, "choices", None):
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        delta = choice.delta
        found: list[Delta] = []
        reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
        if isinstance(reasoning, str) and reasoning:
            found.append(ReasoningDelta(reasoning))
        if isinstance(delta.content, str) and delta.content:
            found.append(TextDelta(delta.content))
        found += [self._call(piece) for piece in getattr(delta, "tool_calls", None) or []]
        for each in found:
            self._collector.add(each)
        return found

    def _call(self, piece: Any) -> CallDelta:
        index = getattr(piece, "index", None) or 0
        identity = getattr(piece, "id", None) or ""
        name = getattr(piece.function, "name", None) or ""
        arguments = getattr(piece.function, "arguments", None) or ""
        number = self._open.get(index)
        if number is None or self._begins(number, identity, name):
            number = self._open[index] = len(self._ids)
            self._ids.append(identity)
            self._arguments.append("")
        self._ids[number] = self._ids[number] or identity
        self._arguments[number] += arguments
        return CallDelta(number, name, arguments)

    def _begins(self, number: int, identity: str, name: str) -> bool:
        if not name:
            return False
        if identity and self._ids[number]:
            return identity != self._ids[number]
        return _whole(self._arguments[number])

    def reply(self, *, usage: bool = True) -> ModelReply:
        """The reply; without `usage`, what was said of tokens is left out."""
        made = self._collector.reply(self._usage if usage else None)
        return replace(made, finish=finish_of(self._finish, made.calls))


def read_whole(response: Any) -> ModelReply:
    """A reply that came in one piece."""
    choice = response.choices[0]
    message = choice.message
    calls = tuple(
        RequestedCall(made.function.name or "", made.function.arguments or "")
        for made in getattr(message, "tool_calls", None) or []
    )
    return ModelReply(
        text=message.content or "",
        calls=calls,
        finish=finish_of(choice.finish_reason or "", calls),
        reasoning=getattr(message, "reasoning_content", None) or "",
        usage=read_usage(getattr(response, "usage", None)),
    )


def finish_of(reason: str, calls: tuple[RequestedCall, ...]) -> Finish:
    """Our word for a finish_reason. Some providers say `stop` with calls, or `tool_calls` without any."""
    return _FINISHES.get(reason.lower()) or ("calls" if calls else "stop")


def read_usage(usage: Any) -> Usage:
    """Tokens as reported; a zero is not believed."""
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(
        input_tokens=getattr(usage, "prompt_tokens", None) or None,
        output_tokens=getattr(usage, "completion_tokens", None) or None,
        cached_tokens=getattr(details, "cached_tokens", None) or None,
    )


def _whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except ValueError:
        return False
    return True
