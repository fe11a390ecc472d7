"""The parts that a message is made of, and how each is rendered into a request.

A message in the journal holds typed parts, not a string, because a part is rendered differently once its epoch is
over: the value of a block in an old message reads "see core memory". Within an epoch a message's rendering never
changes. What users, models and tools wrote is escaped, so that no text can imitate a part.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from ..text import attribute, escape
from .tokens import TokenCounter

Part = dict[str, Any]
"""`{"type": "text" | "block" | "edit" | "note", ...}`; it is stored as JSON."""

NoteKind = Literal["memory_update", "memory_pressure", "memory"]

FORGOTTEN = "[forgotten at the user's request]"
ERASED = "[erased at the user's request]"
"""Stands in the journal itself, in the place of what is gone for good (runtime/erasing/)."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a message is rendered."""

    cap: int
    """Tokens that one text in it may take; a longer one is shortened."""
    old: bool = False
    """Whether it is older than the epoch: the head shows the blocks now."""
    resident: Collection[str] = ()
    """The blocks that the head shows."""
    bare: bool = False
    """Whether notes of recall are left out."""


def text_part(text: str) -> Part:
    """Words of a user, a model or a tool."""
    return {"type": "text", "text": text}


def block_part(label: str, revision: int, value: str) -> Part:
    """The whole value of a block."""
    return {"type": "block", "label": label, "rev": revision, "value": value}


def edit_part(label: str, from_rev: int, to_rev: int, before: str, after: str) -> Part:
    """The change of a block from `before` to `after`, as the one run of lines that differs.

    Lines are parted by "\\n" alone, so that they join to the exact value again.
    """
    old, new = before.split("\n"), after.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return {
        "type": "edit",
        "label": label,
        "from": from_rev,
        "to": to_rev,
        "line": start + 1,
        "old": old[start : len(old) - end],
        "new": new[start : len(new) - end],
    }


def note_part(kind: NoteKind, at: str, parts: list[Part], ids: Collection[str] = ()) -> Part:
    """Background for the model, from the runtime: dated in the agent's time zone, and no instruction.

    `ids` are those of the memories in it.
    """
    return {"type": "note", "kind": kind, "at": at, "parts": parts, **({"ids": list(ids)} if ids else {})}


def render_block(label: str, revision: int, value: str, extra: str = "") -> str:
    """A block's whole value between markers. The value is everything between the first and the last line break."""
    return f'<block label="{attribute(label)}" rev="{revision}"{extra}>\n{escape(value)}\n</block>'


def render_part(part: Part, counter: TokenCounter, manner: Manner) -> str:
    """The text of one part in a request."""
    kind = part["type"]
    if part.get("withheld"):
        return FORGOTTEN
    if kind == "text":
        return counter.shorten(part["text"], manner.cap, escape)
    if kind in ("block", "edit"):
        if manner.old:
            where = "see core memory" if part["label"] in manner.resident else "not in view now"
            return f"[block {part['label']}, revision {part.get('rev', part.get('to'))}: {where}]"
        return _render_edit(part) if kind == "edit" else render_block(part["label"], part["rev"], part["value"])
    if (manner.bare and part["kind"] == "memory") or (manner.old and part["kind"] == "memory_pressure"):
        return ""
    inner = render_parts(part["parts"], counter, manner)
    return f'<{part["kind"]} at="{attribute(part["at"])}">\n{inner}\n</{part["kind"]}>'


def _render_edit(part: Part) -> str:
    lines = [f"-{line}" for line in part["old"]] + [f"+{line}" for line in part["new"]]
    marks = f'label="{attribute(part["label"])}" from_rev="{part["from"]}" to_rev="{part["to"]}" line="{part["line"]}"'
    shown = escape("\n".join(lines)) + "\n" if lines else ""  # none where only a setting was changed
    return f"<block_edit {marks}>\n{shown}</block_edit>"


def render_parts(parts: list[Part], counter: TokenCounter, manner: Manner) -> str:
    """The parts of a message, one after the other, each on lines of its own."""
    pieces = (render_part(part, counter, manner) for part in parts)
    return "\n".join(piece for piece in pieces if piece)


_NOTES = ("memory_update", "memory_pressure", "memory")


def in_order(role: str, parts: list[Part]) -> list[Part]:
    """A message's parts in the order in which they are rendered; the journal has them in the order they came in.

    Notes stand before the user's words, and end a tool's result; those of one kind stay as they came.
    """
    notes = sorted((part for part in parts if part["type"] == "note"), key=lambda part: _NOTES.index(part["kind"]))
    said = [part for part in parts if part["type"] != "note"]
    return notes + said if role == "user" else said + notes


def is_erased(text: str) -> bool:
    """Whether erasing has left nothing of a text."""
    return ERASED in text and not text.replace(ERASED, "").strip()


def words(parts: list[Part]) -> str:
    """The words alone: what was said, without notes and blocks."""
    return "\n".join(part["text"] for part in parts if part["type"] == "text" and not part.get("withheld"))
