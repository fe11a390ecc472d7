"""The file that a recorded model's replies are kept in: JSON lines, for people to read and for `ReplayModel` to play.

    {"cassette": 1, "model": "openai/gpt-4o", "window": 128000}
    {"fingerprint": "…", "request": {…}, "deltas": […], "reply": {…}}
    {"fingerprint": "…", "request": {…}, "deltas": […], "error": {"type": "ModelTimeout", "message": …, "hint": …}}

A request that was cancelled has neither reply nor error. Values of the environment that look like keys are cut out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .. import errors
from .base import CallDelta, Delta, ModelReply, ModelRequest, ReasoningDelta, RequestedCall, Retrying, TextDelta, Usage
from .failures import redact

VERSION = 1


def request_data(request: ModelRequest, secrets: Sequence[str]) -> dict[str, Any]:
    """The request as JSON, without secrets."""
    body = {
        "purpose": request.purpose,
        "max_tokens": request.max_tokens,
        "messages": list(request.messages),
        "tools": list(request.tools),
        **({"schema": request.schema} if request.schema is not None else {}),
    }
    copy: dict[str, Any] = json.loads(redact(dump(body), [json.dumps(each)[1:-1] for each in secrets]))
    return copy


def fingerprint(data: dict[str, Any]) -> str:
    """Equal for equal requests: 16 hexadecimal digits."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def dump(data: Any) -> str:
    """One line of JSON."""
    return json.dumps(data, ensure_ascii=False)


def delta_data(delta: Delta) -> dict[str, Any]:
    """A delta as JSON; its first key says its kind."""
    match delta:
        case TextDelta(text):
            return {"text": text}
        case ReasoningDelta(text):
            return {"reasoning": text}
        case CallDelta(index, name, arguments):
            return {"call": index, "name": name, "arguments": arguments}
        case Retrying(attempt, wait, reason):
            return {"retrying": attempt, "wait": wait, "reason": reason}


def delta_from(data: dict[str, Any]) -> Delta:
    """The inverse of `delta_data`."""
    match data:
        case {"text": text}:
            return TextDelta(text)
        case {"reasoning": text}:
            return ReasoningDelta(text)
        case {"call": index, "name": name, "arguments": arguments}:
            return CallDelta(index, name, arguments)
        case {"retrying": attempt, "wait": wait, "reason": reason}:
            return Retrying(attempt, wait, reason)
    raise ValueError(f"not a delta: {data!r}")


def reply_data(reply: ModelReply) -> dict[str, Any]:
    """A reply as JSON, without what is empty."""
    data = {name: value for name, value in asdict(reply).items() if value}
    return {**data, "usage": {name: value for name, value in data["usage"].items() if value is not None}}


def reply_from(data: dict[str, Any]) -> ModelReply:
    """The inverse of `reply_data`."""
    calls = tuple(RequestedCall(**call) for call in data.get("calls", ()))
    return ModelReply(**{**data, "calls": calls, "usage": Usage(**data.get("usage", {}))})


def error_data(error: errors.ModelError) -> dict[str, Any]:
    """An error as JSON."""
    return {"type": type(error).__name__, "message": error.message, "hint": error.hint}


def error_from(data: dict[str, Any]) -> errors.ModelError:
    """The inverse of `error_data`; a kind that is not known any more is a plain ModelError."""
    kind = getattr(errors, data["type"], None)
    known = kind if isinstance(kind, type) and issubclass(kind, errors.ModelError) else errors.ModelError
    return known(data["message"], hint=data["hint"])


def difference(recorded: Any, asked: Any, path: str = "") -> str | None:
    """Where two requests first differ, and how; None if they are equal."""
    if type(recorded) is not type(asked):
        return f"{path or 'it'} was {_brief(recorded)}, and is {_brief(asked)}"
    if isinstance(recorded, dict):
        for key in [*recorded, *(key for key in asked if key not in recorded)]:
            where = f"{path}.{key}" if path else str(key)
            if key not in asked:
                return f"{where} is missing"
            if key not in recorded:
                return f"{where} is new: {_brief(asked[key])}"
            if found := difference(recorded[key], asked[key], where):
                return found
        return None
    if isinstance(recorded, list):
        for index, (old, new) in enumerate(zip(recorded, asked, strict=False)):
            if found := difference(old, new, f"{path}[{index}]"):
                return found
        if len(recorded) != len(asked):
            rest = asked[len(recorded) :] or recorded[len(asked) :]
            word = "is new" if len(asked) > len(recorded) else "is missing"
            return f"{path}[{min(len(recorded), len(asked))}] {word}: {_brief(rest[0])}"
        return None
    if recorded == asked:
        return None
    if isinstance(recorded, str):
        at = next((i for i, (old, new) in enumerate(zip(recorded, asked, strict=False)) if old != new), None)
        at = min(len(recorded), len(asked)) if at is None else at
        start = max(0, at - 30)
        old, new = recorded[start : at + 50], asked[start : at + 50]
        return f"{path} differs from character {at} on: it was {old!r}, and is {new!r}"
    return f"{path} was {recorded!r}, and is {asked!r}"


def _brief(value: Any) -> str:
    text = dump(value)
    return text if len(text) <= 120 else text[:117] + "..."
