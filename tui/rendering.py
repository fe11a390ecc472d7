"""From text and Rich renderables to strips, the rows that the virtual views draw."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from .look import Look
from .wrapping import visible, wrap


def row(*pieces: tuple[str, Style]) -> Strip:
    """One strip of pieces of text, each in its style. The text must be visible and on one line."""
    return Strip([Segment(text, style) for text, style in pieces if text])


def plain(text: str, width: int, style: Style) -> list[Strip]:
    """Words as they are, wrapped."""
    return [row((line, style)) for line in wrap(visible(text), width)]


def prefixed(strips: Iterable[Strip], first: Strip, rest: Strip | None = None) -> list[Strip]:
    """The strips behind a margin: `first` before the first one, `rest` before the others."""
    margin = first
    out = []
    for strip in strips:
        out.append(Strip.join([margin, strip]))
        margin = rest or first
    return out


def rendered(renderable: RenderableType, width: int, look: Look) -> list[Strip]:
    """Any Rich renderable."""
    options = look.console.options.update(width=max(width, 8), height=None)
    return [Strip(line) for line in look.console.render_lines(renderable, options, style=look.text, pad=False)]
