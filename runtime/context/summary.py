"""Summing up messages that leave the window: by the model in chunks that fit, or plainly by extraction if it fails."""

from __future__ import annotations

import re
from typing import Any

from ...prompts import load
from ..errors import ModelError
from ..models.base import Model, ModelReply, ModelRequest
from ..text import escape
from .tokens import TokenCounter

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")


async def summarise(
    model: Model, before: str, said: list[dict[str, Any]], most: int, counter: TokenCounter, room: int
) -> tuple[str, str]:
    """A summary of the summary `before` and of what was said since, in at most `most` tokens; and what went wrong.

    `room` is how many tokens of text one request may hold. If the model fails, the extractive summary stands in, and
    the second value says why.
    """
    summary = before
    try:
        for chunk in _chunks(said, max(200, room - most - 400), counter):
            summary = _fit((await _ask(model, summary, chunk, most)).strip(), most, counter)
            if not summary:
                raise ModelError("The summary was empty.")
    except ModelError as error:
        return _fit(extract(before, said, most, counter), most, counter), str(error)
    return summary, ""


def _fit(summary: str, most: int, counter: TokenCounter) -> str:
    """The summary, shortened where it would take more than `most` tokens in a request, in which it is escaped."""
    cap = most
    while cap and counter.count(escape(summary)) > most:
        summary = counter.shorten(summary, cap)
        cap = cap * 3 // 4
    return summary


async def _ask(model: Model, before: str, chunk: str, most: int) -> str:
    text = (f"The summary so far:\n{before}\n\n" if before else "") + f"The messages since:\n{chunk}"
    messages = ({"role": "system", "content": load("summarise")}, {"role": "user", "content": text})
    async for item in model.stream(ModelRequest(messages, (), most, "summary")):
        if isinstance(item, ModelReply):
            return item.text
    return ""


def _chunks(said: list[dict[str, Any]], most: int, counter: TokenCounter) -> list[str]:
    """The transcript in pieces of at most `most` tokens; a message that is larger alone is shortened."""
    chunks: list[str] = []
    lines: list[str] = []
    size = 0
    for message in said:
        line = counter.shorten(_line(message), most)
        tokens = counter.count(line) + 1
        if lines and size + tokens > most:
            chunks.append("\n".join(lines))
            lines, size = [], 0
        lines.append(line)
        size += tokens
    return [*chunks, "\n".join(lines)] if lines else chunks


def _line(message: dict[str, Any]) -> str:
    return f"{message['at'][:10]} {message['role']}: {message['text']}"


def extract(before: str, said: list[dict[str, Any]], most: int, counter: TokenCounter) -> str:
    """A summary by rule: the older summary, and the first sentence of what was said since, the user's words first.
    What tools returned comes last.

    The newest come first in the choice, since the oldest are in the older summary.
    """
    half = most // 2
    kept = counter.shorten(before, half) if before else ""
    left = most - counter.count(kept) - 4
    chosen: dict[int, str] = {}
    for role in ("user", "assistant", "tool"):
        for index in range(len(said) - 1, -1, -1):
            if said[index]["role"] != role:
                continue
            first = next((piece for piece in _SENTENCE.split(said[index]["text"]) if piece.strip()), "").strip()
            line = f"{said[index]['at'][:10]} {role}: {first[:200]}"
            size = counter.count(line) + 1
            if size > left:
                break
            left -= size
            chosen[index] = line
    lines = [chosen[index] for index in sorted(chosen)]
    return "\n".join([*([kept] if kept else []), *lines])
