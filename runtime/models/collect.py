"""Joins the deltas of a stream into the whole reply."""

from __future__ import annotations

from .base import CallDelta, Delta, ModelReply, ReasoningDelta, RequestedCall, TextDelta, Usage


class Collector:
    """Takes a reply's deltas in order; `reply()` is what they make. Calls stand in the order of their first piece."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._names: dict[int, str] = {}
        self._arguments: dict[int, list[str]] = {}

    def add(self, delta: Delta) -> None:
        if isinstance(delta, TextDelta):
            self._text.append(delta.text)
        elif isinstance(delta, ReasoningDelta):
            self._reasoning.append(delta.text)
        elif isinstance(delta, CallDelta):
            # Some providers send the name with every piece, so the first one counts.
            self._names[delta.index] = self._names.get(delta.index) or delta.name
            self._arguments.setdefault(delta.index, []).append(delta.arguments)

    def reply(self, usage: Usage | None = None) -> ModelReply:
        """The reply so far; its finish is `calls` if it has any, else `stop`."""
        calls = tuple(RequestedCall(name, "".join(self._arguments[index])) for index, name in self._names.items())
        return ModelReply(
            text="".join(self._text),
            calls=calls,
            finish="calls" if calls else "stop",
            reasoning="".join(self._reasoning),
            usage=usage or Usage(),
        )


def deltas_of(reply: ModelReply, first_index: int = 0) -> list[Delta]:
    """A whole reply as deltas: reasoning, text, then one for each call, counted from `first_index`."""
    deltas: list[Delta] = []
    if reply.reasoning:
        deltas.append(ReasoningDelta(reply.reasoning))
    if reply.text:
        deltas.append(TextDelta(reply.text))
    deltas += [CallDelta(index, call.name, call.arguments) for index, call in enumerate(reply.calls, first_index)]
    return deltas
