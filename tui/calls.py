"""A tool call in the transcript: one line with its name, its arguments and how it went, that opens to all of it."""

from __future__ import annotations

import json
from typing import Any, Literal

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual.strip import Strip

from .entries import FoldedEntry, cut
from .look import Look
from .rendering import plain, prefixed, row
from .wrapping import visible, wrap

MOST_ROWS = 200
"""Of a result; copying the call gives all of it."""

State = Literal["asking", "running", "done", "failed", "lost"]
_STATES = {"asking": "?", "running": "…", "done": "✓", "failed": "✕", "lost": "–"}


class CallEntry(FoldedEntry):
    """One call. An error is shown also while the call is folded."""

    gap = 0

    def __init__(self, call_id: str, name: str, arguments: str) -> None:
        self.call_id = call_id
        self.name = name
        self.arguments = arguments
        self.state: State = "running"
        self.result = ""

    def finish(self, result: str, *, error: bool) -> None:
        self.result = result
        self.state = "failed" if error else "done"

    def words(self) -> str:
        return f"{self.name} {self.arguments}\n{self.result}".rstrip()

    def _styles(self, look: Look) -> Style:
        return {
            "asking": look.warning,
            "running": look.accent,
            "done": look.success,
            "failed": look.error,
            "lost": look.dim,
        }[self.state]

    def body(self, width: int, look: Look) -> list[Strip]:
        style = self._styles(look)
        fold = "▸ " if self.folded else "▾ "
        name = visible(self.name).replace("\n", " ")
        head = row((fold, look.dim), (_STATES[self.state] + " ", style), (name, look.text + Style(bold=True)))
        room = width - head.cell_length - 3
        brief = "" if room < 8 else "  " + shortened(brief_arguments(self.arguments), room)
        strips = [Strip.join([head, row((brief, look.dim))]).crop(0, width)]
        if not self.folded:
            return strips + prefixed(self.inside(width - 6, look), row(("    │ ", look.faint)))
        if self.state == "failed":
            strips += prefixed(plain(self.result[:2000], width - 4, look.error)[:3], row(("    ", look.error)))
        return strips

    def inside(self, width: int, look: Look) -> list[Strip]:
        strips: list[Strip] = []
        for key, value in full_arguments(self.arguments):
            lead = visible(key).replace("\n", " ") + ": " if key else ""
            first, *rest = wrap(lead + visible(cut(value)), width)
            strips.append(row((first[: len(lead)], look.primary), (first[len(lead) :], look.text)))
            strips += [row((line, look.text)) for line in rest]
        if self.result:
            result = self._result(width, look)
            strips += [row(("→", look.dim)), *result[:MOST_ROWS]]
            if len(result) > MOST_ROWS:
                strips.append(row(("… there is more; copying the call gives all of it", look.dim)))
        return strips

    def _result(self, width: int, look: Look) -> list[Strip]:
        """The result as the model reads it; within an edit, the lines that went and that came are coloured."""
        if self.state == "failed":
            return plain(cut(self.result), width, look.error)
        strips: list[Strip] = []
        editing = False
        for line in cut(self.result).split("\n"):
            if len(strips) > MOST_ROWS:
                break
            style = look.text
            if line.startswith(("<block_edit ", "</block_edit>")):
                editing, style = line.startswith("<block_edit "), look.dim
            elif editing and line.startswith(("+", "-")):
                style = look.added if line.startswith("+") else look.removed
            strips += plain(line, width, style)
        return strips


def _parsed(arguments: str) -> dict[str, Any] | None:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def brief_arguments(arguments: str) -> str:
    """The arguments on one line: the values, named where that helps."""
    parsed = _parsed(arguments)
    if parsed is None:
        return flat(arguments)
    pieces = []
    for key, value in parsed.items():
        text = flat(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        pieces.append(text if key in ("label", "query", "content") else f"{key}={text}")
    return " · ".join(pieces)


def full_arguments(arguments: str) -> list[tuple[str, str]]:
    """Each argument with its value; one nameless pair where they are no JSON object."""
    parsed = _parsed(arguments)
    if parsed is None:
        return [("", arguments)]
    return [
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in parsed.items()
    ]


def flat(text: str) -> str:
    """`text` on one line."""
    return " ".join(visible(text[:2000]).split())


def shortened(text: str, width: int) -> str:
    """A line cut to `width` cells, with `…` where something is missing."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
