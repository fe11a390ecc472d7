"""The model of a scripted conversation: it says what a step scripts, fails where the step says so, and else asks the
model that stands behind it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, get_args

from ..runtime.errors import (
    ContextExceeded,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    ScriptError,
    StreamDropped,
)
from ..runtime.models.around import Around
from ..runtime.models.base import (
    Delta,
    Model,
    ModelReply,
    ModelRequest,
    Purpose,
    RequestedCall,
    TextDelta,
    serves,
)
from ..runtime.models.scripted import ScriptedModel
from .answering import unused
from .templates import TemplateError, render

ERRORS: dict[str, tuple[type[ModelError], str]] = {
    "unavailable": (ModelUnavailable, "The model is overloaded."),
    "refused": (ModelRefused, "The key is not valid."),
    "timeout": (ModelTimeout, "Nothing came for too long."),
    "dropped": (StreamDropped, "The connection broke."),
    "exceeded": (ContextExceeded, "The request is larger than the window."),
}
"""By the name that a script has for it: the error, and what it says unless the script has other words."""


class PlayedModel(Around):
    """A Model that a script leads, turn by turn."""

    def __init__(self, behind: Model) -> None:
        super().__init__(behind)
        self._script: list[Any] | None = None
        self._pending: dict[str, str] = {}
        self._summaries: list[str] = []
        self._fault: dict[str, Any] = {}
        self._meanwhile: Callable[[int], Awaitable[None]] | None = None
        self.results: list[str] = []
        """What calls have given, oldest first; the player adds to it."""
        self.known: dict[str, str] = {}
        """The names that replies have set."""
        self.requests: list[ModelRequest] = []
        """What the model was asked in all turns."""
        self.asked = 0
        """How often it was asked in this turn."""
        self.trouble = ""
        """Why the script could not be followed in this turn."""

    @property
    def serves(self) -> frozenset[Purpose]:
        """What the model behind this one is up to."""
        return frozenset(purpose for purpose in get_args(Purpose) if serves(self._model, purpose))

    def begin(
        self,
        script: str | Sequence[Any] | None,
        summaries: Sequence[str] = (),
        fault: dict[str, Any] | None = None,
        meanwhile: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        """Begin a turn. Without a script the model behind this one answers; a text alone is the one reply.

        `meanwhile` is awaited in the middle of each answer, with the number of the request.
        """
        self._script = None if script is None else _unrolled(script)
        self._pending = {}
        self._summaries = list(summaries)
        self._fault = fault or {}
        self._meanwhile = meanwhile
        self.asked, self.trouble = 0, ""

    def end(self) -> int:
        """End the turn: set the names that its last reply sets. Returns how many scripted replies were not used."""
        self._settle()
        return len(self._script or ())

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        if request.purpose == "summary":
            behind = ScriptedModel(summaries=[self._summaries.pop(0)]) if self._summaries else self._model
            async for item in behind.stream(request):
                yield item
            return
        self.requests.append(replace(request, messages=tuple(dict(message) for message in request.messages)))
        self.asked += 1
        fault = self._fault if self.asked == self._fault.get("request", 1) else {}
        if "error" in fault:
            raise _error(fault)
        meanwhile = self._meanwhile
        async for item in self._source(request.purpose).stream(request):
            if meanwhile and isinstance(item, ModelReply):
                await meanwhile(self.asked)
            if isinstance(item, ModelReply) and "arguments" in fault and item.calls:
                first, *rest = item.calls
                item = replace(item, calls=(RequestedCall(first.name, fault["arguments"]), *rest))
            yield item
            if meanwhile and isinstance(item, TextDelta):
                await meanwhile(self.asked)
                meanwhile = None

    def _source(self, purpose: Purpose) -> Model:
        if self._script is None:
            return self._model
        try:
            self._settle()
            if not self._script:
                raise TemplateError(f"the step scripts no reply to request {self.asked} of its turn")
            reply = self._script.pop(0)
            pieces = _pieces(self._filled(reply))
            self._pending = reply.get("then", {}) if isinstance(reply, dict) else {}
        except TemplateError as error:
            self.trouble = str(error)
            raise ScriptError(f"The script cannot go on: {error}.") from None
        model = ScriptedModel()
        model.enqueue_for(purpose, pieces)
        return model

    def _filled(self, reply: Any) -> Any:
        if isinstance(reply, dict):
            reply = {key: value for key, value in reply.items() if key != "then"}
        return render(reply, self.results, self.known)

    def _settle(self) -> None:
        """Set the names that the last reply sets, now that its results are there."""
        pending, self._pending = self._pending, {}
        for name, value in pending.items():
            self.known[name] = render(value, self.results, self.known)

    def unused(self) -> str:
        """What of a recording behind this model was not asked for."""
        return unused(self._model)


def _unrolled(script: str | Sequence[Any]) -> list[Any]:
    out: list[Any] = []
    for reply in [script] if isinstance(script, str) else script:
        out += [reply] * (reply.get("repeat", 1) if isinstance(reply, dict) else 1)
    return out


def _pieces(reply: Any) -> list[Any]:
    """A filled-in reply of a script as ScriptedModel takes it."""
    if isinstance(reply, str):
        return _halves(reply)
    calls = [_call(one) for one in reply.get("calls", ())] + ([_call(reply)] if "call" in reply else [])
    pieces: list[Any] = [*_halves(reply.get("text", "")), *calls]
    if "error" in reply:
        pieces.append(_error(reply))
    elif "finish" in reply:
        pieces = [ModelReply(reply.get("text", ""), tuple(calls), reply["finish"])]
    return pieces


def _halves(text: str) -> list[str]:
    """The text in two pieces, so that something can happen in its middle."""
    middle = text.find(" ", len(text) // 2) + 1 or len(text)
    return [text[:middle], text[middle:]]


def _call(call: dict[str, Any]) -> RequestedCall:
    raw = call.get("raw")
    return RequestedCall(
        call["call"], json.dumps(call.get("with", {}), ensure_ascii=False) if raw is None else str(raw)
    )


def _error(fault: dict[str, Any]) -> ModelError:
    kind, words = ERRORS[fault["error"]]
    return kind(fault.get("words", words))
