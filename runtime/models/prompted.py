"""A model without tool calls of its own, made one with them: tools and calls are written as text.

Each message is rewritten by itself and always in the same way, so that a request which extends another still does
after it. Our tags inside other people's text are escaped, so that no text can imitate a call or a result.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from typing import Any

from ...prompts import load
from .around import Around
from .base import CallDelta, ChatMessage, Delta, ModelReply, ModelRequest, Retrying, TextDelta
from .written_calls import ShownText, read_calls, write_call

_TAG = re.compile(r"<(?=/?tool_(?:call|result)(?![\w-]))", re.IGNORECASE)


class PromptedModel(Around):
    """`model`, which then takes requests with tools. A Model; calls come as deltas once the reply is whole."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        shown = ShownText()
        async for item in self._model.stream(as_text(request)):
            if isinstance(item, TextDelta):
                if text := shown.add(item.text):
                    yield TextDelta(text)
            elif isinstance(item, ModelReply):
                reply = _with_calls(item)
                if not reply.calls and (text := shown.rest()):
                    yield TextDelta(text)
                for index, call in enumerate(reply.calls):
                    yield CallDelta(index, call.name, call.arguments)
                yield reply
            else:
                if isinstance(item, Retrying):
                    shown = ShownText()
                yield item


def as_text(request: ModelRequest) -> ModelRequest:
    """The same request without tools: they, the calls and the results are written into the messages."""
    messages = [message for group in _groups(request.messages) for message in group]
    if request.tools:
        described = "\n\n".join(_describe(tool["function"]) for tool in request.tools)
        _tell(messages, load("prompted_tools").replace("{tools}", described))
    if request.schema is not None:
        _tell(messages, load("reply_schema").replace("{schema}", json.dumps(request.schema, ensure_ascii=False)))
    return replace(request, messages=tuple(messages), tools=(), schema=None)


def _tell(messages: list[ChatMessage], more: str) -> None:
    """Add to the system's words."""
    if messages and messages[0]["role"] == "system":
        messages[0] = {**messages[0], "content": f"{messages[0]['content']}\n\n{more}"}
    else:
        messages.insert(0, {"role": "system", "content": more})


def _with_calls(reply: ModelReply) -> ModelReply:
    text, calls = read_calls(reply.text)
    if not calls:
        return reply
    return replace(reply, text=text, calls=calls, finish="calls" if reply.finish == "stop" else reply.finish)


def _groups(messages: Iterable[ChatMessage]) -> Iterable[list[ChatMessage]]:
    """The messages rewritten; the results of one step, which come together, make one message of the user."""
    names: dict[str, str] = {}
    results: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            name = names.get(message["tool_call_id"], "")
            results.append(f'<tool_result name="{name}">\n{_escape(message["content"])}\n</tool_result>')
            continue
        if results:
            yield [{"role": "user", "content": "\n".join(results)}]
            results = []
        calls = message.get("tool_calls") or ()
        names |= {call["id"]: call["function"]["name"] for call in calls}
        pieces = [_escape(message.get("content") or "")]
        pieces += [write_call(call["function"]["name"], call["function"]["arguments"]) for call in calls]
        rest = {key: value for key, value in message.items() if key != "tool_calls"}
        yield [rest | {"content": "\n".join(piece for piece in pieces if piece)}]
    if results:
        yield [{"role": "user", "content": "\n".join(results)}]


def _escape(text: str) -> str:
    return _TAG.sub("&lt;", text)


def _describe(function: dict[str, Any]) -> str:
    """A tool in a few lines: how it is called, what it does, and what its parameters mean."""
    schema = function["parameters"]
    kinds = {name: _kind(value) for name, value in schema.get("properties", {}).items()}
    if None in kinds.values():
        whole = json.dumps(schema, ensure_ascii=False)
        return f"{function['name']}: {function['description']}\nIts arguments, as a JSON schema: {whole}"
    required = schema.get("required", ())
    parameters = (f"{name}{'' if name in required else '?'}: {kind}" for name, kind in kinds.items())
    lines = [f"{function['name']}({', '.join(parameters)})", function["description"]]
    for name, value in schema.get("properties", {}).items():
        if "description" in value:
            lines.append(f"- {name}: {value['description']}")
    return "\n".join(lines)


def _kind(schema: Any) -> str | None:
    """A parameter's type in short; None where only its JSON schema can say it."""
    if not isinstance(schema, dict):
        return None
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "anyOf" in schema:
        kinds = [_kind(option) for option in schema["anyOf"]]
        return None if None in kinds else " | ".join(str(kind) for kind in kinds)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(kind)
    if kind == "array" and schema.get("items"):
        inner = _kind(schema["items"])
        return None if inner is None else f"({inner})[]" if " " in inner else f"{inner}[]"
    return None if "properties" in schema else kind
