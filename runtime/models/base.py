"""What the loop asks of a model, and what it gets: `Model.stream(request)` yields deltas and, last, the reply."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

ChatMessage = dict[str, Any]
"""One message in the OpenAI chat format: `role`, `content`, and `tool_calls` or `tool_call_id` where they apply."""

REPLY_TOOL = "reply"
"""The tool whose arguments are the reply, of a model that keeps to a schema in no other way."""

Purpose = Literal["turn", "summary", "extract", "reflect"]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is told for one step."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[dict[str, Any], ...] = ()
    """In the OpenAI format: `{"type": "function", "function": {name, description, parameters}}`."""
    max_tokens: int = 4096
    """The reply reserve."""
    purpose: Purpose = "turn"
    """`summary` asks for a summary of old messages. The last two are memory work, whose reply is JSON. None of these
    has tools."""
    schema: dict[str, Any] | None = None
    """The JSON Schema of the reply, where it is to be JSON: it comes as text, or as a call of `REPLY_TOOL`."""

    def canonical(self) -> bytes:
        """The request as sorted JSON in UTF-8: equal requests have equal bytes."""
        body: dict[str, Any] = {"messages": list(self.messages), "tools": list(self.tools)}
        if self.schema is not None:
            body["schema"] = self.schema
        return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of what the model thinks aloud; it is shown, and never sent back."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a tool call: `index` tells the reply's calls apart; the pieces of `arguments` join to its JSON."""

    index: int
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The model is asked again after `wait` seconds, because of `reason` (the provider's words)."""

    attempt: int
    wait: float
    reason: str


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A tool call as the model made it. `arguments` is the raw text, which may be broken JSON."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them. A reported zero is not believed: it is None instead."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole reply. `finish` is `length` when it was cut short, and then no call's arguments may be repaired."""

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    finish: Literal["stop", "calls", "length", "filtered"] = "stop"
    reasoning: str = ""
    usage: Usage = field(default_factory=Usage)


Delta = TextDelta | ReasoningDelta | CallDelta | Retrying


class Model(Protocol):
    """A source of replies.

    `stream` yields deltas and then exactly one ModelReply, which holds the whole reply again. It raises a ModelError
    where there is none; StreamDropped and ModelTimeout may come after deltas. Cancelling the task that reads it stops
    the request.

    A model that is not up to every purpose says so by an attribute `serves`, a set of purposes; see `serves`.
    """

    @property
    def name(self) -> str:
        """What the user calls this model, e.g. `offline` or `openai/gpt-4o`."""
        ...

    @property
    def window(self) -> int:
        """The context window in tokens, the reply included."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]: ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


def serves(model: Model, purpose: Purpose) -> bool:
    """Whether `model` may be asked for this. One that does not say serves everything."""
    return purpose in getattr(model, "serves", (purpose,))
