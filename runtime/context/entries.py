"""A message as it stands in the window: its row in the log, and its rendering in the chat format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from ..models.base import ChatMessage
from .parts import FORGOTTEN, Manner, Part, in_order, render_part, render_parts, words
from .tokens import TokenCounter

OVERHEAD = 4
"""Tokens that a chat format adds to each message (OpenAI's published figure is 3 to 4)."""

Call = dict[str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the window."""

    id: str
    ordinal: int
    role: str
    turn: str | None
    at: str
    parts: list[Part]
    calls: list[Call]
    chat: ChatMessage
    tokens: int
    recalled: int
    """Of these, what notes of recall take."""
    shown: int
    """Of these, what values and changes of blocks take."""
    old: bool
    """Whether it is older than the epoch."""

    @property
    def words(self) -> str:
        """What was said in it, without notes and blocks."""
        return words(self.parts)

    @property
    def recalled_ids(self) -> list[str]:
        """The ids of the memories that its notes of recall show."""
        shown = [part for part in self.parts if part["type"] == "note" and not part.get("withheld")]
        return [one for part in shown for one in part.get("ids", ())] if self.recalled else []


def make_entry(row: Row[Any], hidden: set[int | None], counter: TokenCounter, manner: Manner) -> Entry:
    """Render a row of the table `messages`.

    `hidden` holds the parts that are withheld, by index; None stands for all of them.
    """
    whole = None in hidden
    parts: list[Part] = row.parts
    if hidden:
        parts = [{**part, "withheld": True} if whole or i in hidden else part for i, part in enumerate(row.parts)]
    parts = in_order(row.role, parts)
    calls = [{**call, "arguments": "{}"} for call in row.calls] if whole else row.calls
    text = FORGOTTEN if whole else _text(row.role, parts, counter, manner)
    chat = chat_message(row.role, text, [_sendable(call, counter, manner) for call in calls], row.call_id)
    recalled, shown = _shares(parts, counter, manner)
    return Entry(
        row.id,
        row.ordinal,
        row.role,
        row.turn,
        row.at,
        parts,
        calls,
        chat,
        size_of(chat, counter),
        recalled,
        shown,
        manner.old,
    )


def resize(entry: Entry, counter: TokenCounter, manner: Manner) -> int:
    """The tokens that the message would take if it were rendered in this manner."""
    text = _text(entry.role, entry.parts, counter, manner)
    calls = [_sendable(call, counter, manner) for call in entry.calls]
    return size_of(chat_message(entry.role, text, calls, ""), counter)


def size_of(message: ChatMessage, counter: TokenCounter) -> int:
    """The tokens of one message in a request, as counted here."""
    calls = [call["function"] for call in message.get("tool_calls", ())]
    said = (message["content"] or "") + "".join(call["name"] + call["arguments"] for call in calls)
    return counter.count(said) + OVERHEAD * (1 + len(calls))


def chat_message(role: str, text: str, calls: list[Call], call_id: str | None) -> ChatMessage:
    """A message in the chat format."""
    if role == "tool":
        return {"role": "tool", "tool_call_id": call_id, "content": text}
    if not calls:
        return {"role": role, "content": text}
    made = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls
    ]
    return {"role": role, "content": text or None, "tool_calls": made}


def _text(role: str, parts: list[Part], counter: TokenCounter, manner: Manner) -> str:
    if role == "assistant" and not any(part.get("withheld") for part in parts):
        # The model's own words go back as they came: it is not the one to be protected from.
        return "\n".join(counter.shorten(part["text"], manner.cap) if manner.old else part["text"] for part in parts)
    return render_parts(parts, counter, manner)


def _shares(parts: list[Part], counter: TokenCounter, manner: Manner) -> tuple[int, int]:
    """What notes of recall take, and what values and changes of blocks."""
    recalled = shown = 0
    for part in parts:
        if part.get("withheld"):
            continue
        if part["type"] == "note":
            if part["kind"] == "memory":
                recalled += counter.count(render_part(part, counter, manner))
            else:
                shown += _shares(part["parts"], counter, manner)[1]
        elif part["type"] in ("block", "edit") and not manner.old:
            shown += counter.count(render_part(part, counter, manner))
    return recalled, shown


def _sendable(call: Call, counter: TokenCounter, manner: Manner) -> Call:
    """The call with arguments that are JSON, as some providers demand, and fit into the window."""
    arguments = call["arguments"]
    if not _is_object(arguments):
        return {**call, "arguments": counter.shorten(arguments, manner.cap, wrap=_broken)}
    if manner.old and counter.count(arguments) > manner.cap:
        return {**call, "arguments": counter.shorten(arguments, manner.cap, wrap=_shortened)}
    return call


def _is_object(text: str) -> bool:
    """Whether a provider's library can read the text as an object, and write it again."""
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _broken(arguments: str) -> str:
    return json.dumps({"not_valid_json": arguments}, ensure_ascii=False)


def _shortened(arguments: str) -> str:
    return json.dumps({"shortened": arguments}, ensure_ascii=False)
