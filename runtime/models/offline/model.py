"""The offline model: rules and a phrasebook in place of weights. What it replies depends on the request alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable

from ..base import CallDelta, Delta, ModelReply, ModelRequest, Purpose, TextDelta
from .extracting import extract
from .mind import think
from .reflecting import reflect
from .summary import summarise
from .view import read

_WORK: dict[Purpose, Callable[[ModelRequest], str]] = {"extract": extract, "reflect": reflect}
_PIECE = re.compile(r"\s*(?:[\u3400-\u9fff]{1,2}|[^\s\u3400-\u9fff]+)|\s+\Z")


class OfflineModel:
    """A Model that needs no network. It says plainly that it is no language model."""

    name = "offline"
    window = 32_000
    serves: frozenset[Purpose] = frozenset(("turn", "summary", "extract", "reflect"))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        """The reply in pieces of a word each, then whole."""
        reply = respond(request)
        for piece in _PIECE.findall(reply.text):
            yield TextDelta(piece)
            # A word is a step: whoever reads the stream can stop it between two.
            await asyncio.sleep(0)
        for index, call in enumerate(reply.calls):
            yield CallDelta(index, call.name, call.arguments)
        yield reply

    async def close(self) -> None:
        """Nothing to let go of."""


def respond(request: ModelRequest) -> ModelReply:
    """The reply to `request`: a pure function of it."""
    if request.purpose == "summary":
        return ModelReply(text=summarise(request))
    if request.purpose in _WORK:
        return ModelReply(text=_WORK[request.purpose](request))
    step = think(read(request))
    if step.calls:
        return ModelReply(calls=tuple(step.calls), finish="calls")
    return ModelReply(text="\n".join(step.lines))
