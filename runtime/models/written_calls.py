"""Tool calls that a model writes into its text, because it has no other way to make them.

    Let me look.
    <tool_call>
    {"name": "archival_search", "arguments": {"query": "tea"}}
    </tool_call>

The form is the one that open models are trained on. The arguments are cut out as they were written, and never mended
here: whether they are good JSON is for runtime/arguments.py to say.
"""

from __future__ import annotations

import json
import re

from .base import RequestedCall

OPEN, CLOSE = "<tool_call>", "</tool_call>"

_HEAD = re.compile(r'\s*\{\s*"name"\s*:\s*"([^"\\]*)"\s*,\s*"(?:arguments|parameters)"\s*:\s*')
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]*)"')
_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_FOOT = re.compile(r"\s*\}?\s*(?:</tool_call>|\Z)")
_NEXT = re.compile(r"\s*<tool_call>")


def write_call(name: str, arguments: str) -> str:
    """A call as a model should write it; `arguments` is its raw text."""
    return f'{OPEN}\n{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {arguments or "{}"}}}\n{CLOSE}'


def read_calls(text: str) -> tuple[str, tuple[RequestedCall, ...]]:
    """A reply's text before its calls, and the calls.

    Only calls that follow each other directly count: what comes after them, be it text or a result that the model
    imagines, is left out, and so is what it calls on the strength of that.
    """
    start = text.find(OPEN)
    if start < 0:
        return text, ()
    calls: list[RequestedCall] = []
    position = start + len(OPEN)
    while True:
        call, position = _read_call(text, position)
        calls.append(call)
        following = _NEXT.match(text, position)
        if following is None:
            return text[:start].rstrip(), tuple(calls)
        position = following.end()


class ShownText:
    """Takes a reply piece by piece, and gives back what can be shown: nothing of a call, nor of the space before it."""

    def __init__(self) -> None:
        self._held = ""
        self._over = False

    def add(self, piece: str) -> str:
        """What is known to be text for the reader, now that `piece` has come."""
        if self._over:
            return ""
        text = self._held + piece
        at = text.find(OPEN)
        if at >= 0:
            self._over = True
            self._held = ""
            return text[:at].rstrip()
        kept = len(text)
        for length in range(min(len(OPEN) - 1, len(text)), 0, -1):
            if text.endswith(OPEN[:length]):
                kept -= length
                break
        kept = len(text[:kept].rstrip())
        self._held = text[kept:]
        return text[:kept]

    def rest(self) -> str:
        """What was held back, and turns out to be text when the reply ends."""
        held, self._held = self._held, ""
        return held


def _read_call(text: str, start: int) -> tuple[RequestedCall, int]:
    """The call whose inside begins at `start`, and where it ends."""
    if head := _HEAD.match(text, start):
        end = _end_of_value(text, head.end())
        foot = _FOOT.match(text, end) if end is not None else None
        if foot is not None:
            return RequestedCall(head[1], text[head.end() : end]), foot.end()
    close = text.find(CLOSE, start)
    inside = text[start : close if close >= 0 else len(text)].strip()
    end = close + len(CLOSE) if close >= 0 else len(text)
    if head:
        return RequestedCall(head[1], inside[len(head[0].lstrip()) :]), end
    return _read_other(inside), end


def _read_other(inside: str) -> RequestedCall:
    """A call in another order of names, or one that is broken: then all of it goes on, and the model is told."""
    try:
        value = json.loads(inside)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        arguments = value.get("arguments", value.get("parameters", {}))
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        return RequestedCall(value["name"], raw)
    name = _NAME.search(inside)
    return RequestedCall(name[1] if name else "", inside)


def _end_of_value(text: str, start: int) -> int | None:
    """Where the object or list that begins at `start` ends; None if it does not. Brackets in strings do not count."""
    depth = 0
    if text[start : start + 1] not in ("{", "["):
        return None
    for found in _BRACKET.finditer(text, start):
        if found[0] == '"':
            return None  # a string that never ends
        if found[0] in ("{", "["):
            depth += 1
        elif found[0] in ("}", "]"):
            depth -= 1
        if depth == 0:
            return found.end()
    return None
