"""A message as it stands in the window: its row in the log, and its rendering in the chat format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from ..models.base import ChatMessage
from .parts import FORGOTTEN, Part, render_part, render_parts
from .tokens import TokenCounter

OVERHEAD = 4
"""Tokens that a chat format adds to each message (OpenAI's published figure is 3 to 4)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the window."""

    id: str
    ordinal: int
    role: str
    turn: str | None
    at: str
    parts: list[Part]
    calls: list[dict[str, str]]
    chat: ChatMessage
    tokens: int
    recalled: int
    """Of these, what notes of recall take."""
    old: bool
    """Whether it is older than the epoch."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How messages are rendered: what part may take how much, and what old ones leave out."""

    cap: int
    old_cap: int
    bare: bool


def make_entry(row: Row[Any], hidden: set[int | None], counter: TokenCounter, manner: Manner, *, old: bool) -> Entry:
    """Render a row of the table `messages`.

    `hidden` holds the parts that are withheld, by index; None stands for all of them.
    """
    whole = None in hidden
    parts: list[Part] = [
        {**part, "withheld": True} if whole or index in hidden else part for index, part in enumerate(row.parts)
    ]
    calls = [dict(call, arguments="{}") for call in row.calls] if whole else row.calls
    cap, bare = (manner.old_cap, manner.bare) if old else (manner.cap, False)
    text = FORGOTTEN if whole else _text(row.role, parts, counter, cap, old=old, bare=bare)
    if old:
        calls = [_shortened(call, counter, cap) for call in calls]
    chat = _chat(row, text, calls)
    said = text + "".join(call["name"] + call["arguments"] for call in calls)
    recalled = 0
    for part in parts:
        if part["type"] == "note" and part["kind"] == "memory" and not part.get("withheld"):
            recalled += counter.count(render_part(part, counter, cap, old=old, bare=bare))
    tokens = counter.count(said) + OVERHEAD * (1 + len(calls))
    return Entry(row.id, row.ordinal, row.role, row.turn, row.at, parts, calls, chat, tokens, recalled, old)


def _text(role: str, parts: list[Part], counter: TokenCounter, cap: int, *, old: bool, bare: bool) -> str:
    if role == "assistant":
        # The model's own words go back as they came: it is not the one to be protected from.
        return "\n".join(counter.shorten(part["text"], cap) if old else part["text"] for part in parts)
    return render_parts(parts, counter, cap, old=old, bare=bare)


def _chat(row: Row[Any], text: str, calls: list[dict[str, str]]) -> ChatMessage:
    if row.role == "tool":
        return {"role": "tool", "tool_call_id": row.call_id, "content": text}
    if not calls:
        return {"role": row.role, "content": text}
    made = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls
    ]
    return {"role": row.role, "content": text or None, "tool_calls": made}


def _shortened(call: dict[str, str], counter: TokenCounter, cap: int) -> dict[str, str]:
    """An old call whose arguments are too long for the window: still JSON, with as much as fits."""
    arguments = call["arguments"]
    if counter.count(arguments) <= cap:
        return call
    kept = counter.shorten(arguments, max(8, cap // 2))
    return {**call, "arguments": json.dumps({"shortened": kept}, ensure_ascii=False)}
