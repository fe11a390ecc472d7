"""The few rows of a block's value that are shown while it is folded: those about what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .wrapping import visible, wrap

ROWS = 8
"""So many; one more where that is all, since saying that there is one more takes as much room."""

Line = tuple[str, str]
"""`"same" | "added" | "removed"`, and the line."""


@dataclass(frozen=True)
class Excerpt:
    """Rows, each with the number of its line; and of how many lines something is left out above and below them."""

    rows: list[tuple[int, str]]
    above: int
    below: int


def new_line(lines: Sequence[Line]) -> int:
    """The number of the first line that came, or went without another in its place; 0 where all are the same."""
    first = _first_change(lines)
    for number, (kind, _) in enumerate(lines[first:], first):
        if kind != "removed":
            return number if kind == "added" else first
    return first


def excerpt(lines: Sequence[Line], width: int) -> Excerpt:
    """About ROWS rows of at most `width` cells, among which is the beginning of `new_line`.

    Before it stand what went in its place and one row more, where there is room.
    """
    if not lines:
        return Excerpt([], 0, 0)
    first, new = _first_change(lines), new_line(lines)
    most = ROWS * width
    # At most a row for each line is wanted, so what is further away needs no wrapping.
    begin = max(min(new - ROWS, len(lines) - ROWS), 0)
    rows: list[tuple[int, str]] = []
    starts: dict[int, int] = {}
    for number, (_, line) in enumerate(lines[begin:], begin):
        if number > new and len(rows) > starts[new] + ROWS + 1:
            break
        starts[number] = len(rows)
        # Of what stands before the change the end is near to it, of all else the beginning.
        piece = line[-most:] if number < first else line[:most]
        rows += [(number, text) for text in wrap(visible(piece), width)]
    if begin == 0 and len(rows) <= ROWS + 1:
        return Excerpt(rows, 0, len(lines) - 1 - rows[-1][0])
    came = starts[new]
    cut = min(max(starts.get(first, came) - 1, 0), max(len(rows) - ROWS, 0))
    if came >= cut + ROWS:
        cut = came - 1
    end = cut + ROWS
    whole_above, whole_below = cut == starts[rows[cut][0]], end >= len(rows) or rows[end][0] != rows[end - 1][0]
    shown = rows[cut:end]
    above = shown[0][0] + (not whole_above)
    below = len(lines) - 1 - shown[-1][0] + (not whole_below)
    return Excerpt(shown, above, below)


def _first_change(lines: Sequence[Line]) -> int:
    return next((number for number, (kind, _) in enumerate(lines) if kind != "same"), 0)
