"""The parts that a message is made of, and how each is rendered into a request.

A message in the journal holds typed parts, not a string, because a part is rendered differently once its epoch is
over: the value of a block in an old message reads "see core memory". Within an epoch a message's rendering never
changes. What users, models and tools wrote is escaped, so that no text can imitate a part.
"""

from __future__ import annotations

from typing import Any, Literal

from ..text import attribute, escape
from .tokens import TokenCounter

Part = dict[str, Any]
"""`{"type": "text" | "block" | "edit" | "note", ...}`; it is stored as JSON."""

NoteKind = Literal["memory_update", "memory_pressure", "memory"]

FORGOTTEN = "[forgotten at the user's request]"


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


def note_part(kind: NoteKind, at: str, parts: list[Part]) -> Part:
    """Background for the model, from the runtime: dated in the agent's time zone, and no instruction."""
    return {"type": "note", "kind": kind, "at": at, "parts": parts}


def render_block(label: str, revision: int, value: str, extra: str = "") -> str:
    """A block's whole value between markers. The value is everything between the first and the last line break."""
    return f'<block label="{attribute(label)}" rev="{revision}"{extra}>\n{escape(value)}\n</block>'


def render_part(part: Part, counter: TokenCounter, cap: int, *, old: bool = False, bare: bool = False) -> str:
    """The text of one part in a request.

    `cap` is the most tokens that a text may take before it is shortened. `old` is for messages that are older than
    the epoch; `bare` leaves notes of recall out of those.
    """
    kind = part["type"]
    if part.get("withheld"):
        return FORGOTTEN
    if kind == "text":
        return escape(counter.shorten(part["text"], cap))
    if kind == "block":
        if old:
            return f"[block {part['label']}, revision {part['rev']}: see core memory]"
        return render_block(part["label"], part["rev"], part["value"])
    if kind == "edit":
        if old:
            return f"[block {part['label']}, revision {part['from']} to {part['to']}: see core memory]"
        lines = [f"-{line}" for line in part["old"]] + [f"+{line}" for line in part["new"]]
        marks = (
            f'label="{attribute(part["label"])}" from_rev="{part["from"]}" to_rev="{part["to"]}" line="{part["line"]}"'
        )
        return f"<block_edit {marks}>\n" + escape("\n".join(lines)) + "\n</block_edit>"
    if bare and part["kind"] == "memory":
        return ""
    inner = render_parts(part["parts"], counter, cap, old=old, bare=bare)
    return f'<{part["kind"]} at="{attribute(part["at"])}">\n{inner}\n</{part["kind"]}>'


def render_parts(parts: list[Part], counter: TokenCounter, cap: int, *, old: bool = False, bare: bool = False) -> str:
    """The parts of a message, one after the other, each on lines of its own."""
    pieces = (render_part(part, counter, cap, old=old, bare=bare) for part in parts)
    return "\n".join(piece for piece in pieces if piece)


def words(parts: list[Part]) -> str:
    """The words alone: what was said, without notes and blocks."""
    return "\n".join(part["text"] for part in parts if part["type"] == "text" and not part.get("withheld"))
