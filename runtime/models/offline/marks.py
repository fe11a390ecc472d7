"""The marks that only the runtime writes unescaped: what stands between them is data, and the rest is what was said.

Nothing in it is obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...text import unescape
from ..base import ChatMessage
from .sentences import after_gap, before_gap

_OPENED = re.compile(
    r"<(block|block_edit|memory_update|memory_pressure|memory|summary|other_blocks)((?: \w+=\"[^\"]*\")*)>\n"
)
GAP = re.compile(r"\n?<left_out[^<>\n]*/>\n?")
"""Where the runtime left characters out of a text that is too long; what users write of it is escaped."""
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
NOTES = ("memory_update", "memory_pressure", "memory")


@dataclass(frozen=True, slots=True)
class Marked:
    """A piece of a message between two of the runtime's markers."""

    tag: str
    attributes: dict[str, str]
    body: str
    start: int
    end: int


def marked(text: str, *, inside: bool = False) -> list[Marked]:
    """The marked pieces of a message, in order; with `inside` also those that stand in notes."""
    found: list[Marked] = []
    unclosed: set[str] = set()
    at = 0
    while opened := _OPENED.search(text, at):
        at = opened.end()
        tag = opened[1]
        if tag in unclosed:
            continue
        close = text.find(f"</{tag}>", at)
        if close < 0:
            unclosed.add(tag)
            continue
        end = close + len(tag) + 3
        end += text.startswith("\n", end)
        body = text[at:close].removesuffix("\n")
        found.append(Marked(tag, dict(_ATTRIBUTE.findall(opened[2])), body, opened.start(), end))
        if not (inside and tag in NOTES):
            at = end
    return found


def content(message: ChatMessage) -> str:
    """A message's text, whether it is one string or a list of parts."""
    value = message.get("content")
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "\n".join(str(part.get("text", "")) for part in value if isinstance(part, dict))
    return ""


def said(text: str) -> str:
    """The user's words in the text of a user's message; of sentences that were shown in part, nothing."""
    pieces = GAP.split(without_notes(text))
    for n in range(1, len(pieces)):
        pieces[n - 1], pieces[n] = before_gap(pieces[n - 1]), after_gap(pieces[n])
    return unescape("\n".join(pieces)).strip()


def without_notes(text: str) -> str:
    """What stands in a message beside the runtime's notes, still escaped."""
    out, at = [], 0
    for note in marked(text):
        if note.tag in NOTES:
            out.append(text[at : note.start])
            at = note.end
    return "".join([*out, text[at:]])
