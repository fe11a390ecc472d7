"""Replies that can be stored and shown, whatever a provider sends: no half of a UTF-16 pair leaves this module.

A provider that cuts its stream by UTF-16 units sends an emoji as two halves in two deltas. They are joined again; a
half without its other becomes U+FFFD in text. In a call's arguments it becomes its JSON escape, which means the same,
so that the model is told of it rather than that its words are changed.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace

from ..text import storable
from .around import Around
from .base import CallDelta, Delta, ModelReply, ModelRequest, ReasoningDelta, RequestedCall, Retrying, TextDelta

_HALF = re.compile(r"[\ud800-\udfff]")


class WellFormed(Around):
    """`model`, with replies that are Unicode. A Model."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        held = ""
        async for item in self._model.stream(request):
            if isinstance(item, TextDelta):
                text = held + item.text
                held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
                text = text.removesuffix(held) if held else text
                if text:
                    yield TextDelta(storable(text))
            elif isinstance(item, ModelReply):
                if held:
                    yield TextDelta(storable(held))
                calls = tuple(RequestedCall(storable(call.name), mend_json(call.arguments)) for call in item.calls)
                yield replace(item, text=storable(item.text), reasoning=storable(item.reasoning), calls=calls)
            elif isinstance(item, ReasoningDelta):
                yield ReasoningDelta(storable(item.text))
            elif isinstance(item, CallDelta):
                yield CallDelta(item.index, storable(item.name), mend_json(item.arguments))
            else:
                held = "" if isinstance(item, Retrying) else held
                yield item


def mend_json(text: str) -> str:
    """`text` with halves joined to pairs, and the escape of JSON for those that have no other half."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", joined)
