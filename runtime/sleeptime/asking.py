"""Putting a question whose answer is JSON to a model, and reading the answer strictly."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from ...prompts import load
from ..arguments import cleaned, parse_arguments
from ..errors import ModelError, ToolError
from ..models.base import REPLY_TOOL, Model, ModelReply, ModelRequest, Purpose

MOST_TOKENS = 4096
"""Of a reply."""

_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?```\s*\Z", re.DOTALL)


@dataclass(slots=True)
class Cost:
    """What memory work has cost: calls of a model, and their tokens as far as they were reported."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def data(self) -> dict[str, int]:
        return {"calls": self.calls, "input_tokens": self.input_tokens, "output_tokens": self.output_tokens}


async def ask(
    model: Model, purpose: Purpose, question: dict[str, Any], schema: dict[str, Any], cost: Cost
) -> dict[str, Any]:
    """The answer to `question`: an object that should be valid by `schema`, which is left to who reads it.

    The prompt has the purpose's name. `cost` is added to, also where the answer cannot be used. Raises ModelError.
    """
    told = ({"role": "system", "content": load(purpose)}, {"role": "user", "content": _dump(question)})
    request = ModelRequest(told, (), MOST_TOKENS, purpose, schema)
    cost.calls += 1
    reply = ModelReply()
    async with aclosing(cast("AsyncGenerator[Any, None]", model.stream(request))) as stream:
        async for item in stream:
            if isinstance(item, ModelReply):
                reply = item
    cost.input_tokens += reply.usage.input_tokens or 0
    cost.output_tokens += reply.usage.output_tokens or 0
    called = [call.arguments for call in reply.calls if call.name == REPLY_TOOL]
    text = called[0] if called else reply.text
    fenced = _FENCED.match(text)
    try:
        return parse_arguments(cleaned(fenced[1] if fenced else text), reply.finish).arguments
    except ToolError:
        # What it said instead may hold what the user told, and this goes into logs.
        what = "was cut short" if reply.finish == "length" else "is not the JSON that was asked for"
        raise ModelError(f"{model.name}: the answer to memory work ({purpose}) {what}.") from None


def _dump(question: dict[str, Any]) -> str:
    return json.dumps(question, ensure_ascii=False, separators=(",", ":"))
