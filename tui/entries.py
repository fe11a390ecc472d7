"""What stands in the transcript: words of the user, replies, thoughts, recalled memories and notices."""

from __future__ import annotations

from typing import Literal

from rich.style import Style
from textual.strip import Strip

from ..runtime.text import counted
from .look import Look
from .rendering import plain, prefixed, row
from .strip_view import Item
from .wrapping import visible, wrap

MARGIN = 2
"""Cells to the left of everything; marks stand in them."""


LONGEST = 60_000
"""Characters of one text that are drawn; copying it gives all of them."""
MOST_LINES = 3_000
"""The same in lines."""


def cut(text: str) -> str:
    """The beginning and the end of a text that is too long to be drawn."""
    head = tail = ""
    if len(text) > LONGEST:
        head, tail = text[: LONGEST // 2], text[-LONGEST // 2 :]
    if text.count("\n") > MOST_LINES:
        first, last = text.split("\n", MOST_LINES // 2), text.rsplit("\n", MOST_LINES // 2)
        head = min(head or text, "\n".join(first[:-1]), key=len)
        tail = min(tail or text, "\n".join(last[1:]), key=len)
    if not head:
        return text
    left_out = f"[… {len(text) - len(head) - len(tail):,} characters are not shown here; /copy and y have them …]"
    return f"{head}\n\n{left_out}\n\n{tail}"


def guess_rows(text: str, width: int) -> int:
    """About how many rows `text` takes."""
    size = min(len(text), LONGEST)
    return text.count("\n", 0, LONGEST) + size // max(width - MARGIN, 10) + 1


class Entry(Item):
    """One thing in the transcript. `gap` is the number of empty rows above it."""

    gap = 1

    def body(self, width: int, look: Look) -> list[Strip]:
        """The rows of the entry itself."""
        raise NotImplementedError

    def render(self, width: int, look: Look) -> list[Strip]:
        return [Strip([])] * self.gap + self.body(width, look)

    def guess(self, width: int) -> int:
        return self.gap + guess_rows(self.words(), width)


class UserEntry(Entry):
    """What the user said."""

    def __init__(self, text: str) -> None:
        self.text = text

    def words(self) -> str:
        return self.text

    def body(self, width: int, look: Look) -> list[Strip]:
        bar = Style(color=look.primary.color, bgcolor=look.mine.bgcolor)
        strips = plain(cut(self.text), width - MARGIN - 1, look.mine)
        return [strip.extend_cell_length(width, look.mine) for strip in prefixed(strips, row(("▌ ", bar)))]


class ReplyEntry(Entry):
    """What the agent said. While it is `live` it is plain text that grows; then it becomes Markdown."""

    def __init__(self, text: str = "", *, live: bool = False, partial: bool = False) -> None:
        self.text = text
        self.live = live
        self.partial = partial
        """The reply was cut short."""
        self._fresh = text
        self._rows: list[str] = [""]
        self._strips: list[Strip] = []
        self._drawn_for: tuple[int, Look] | None = None

    def words(self) -> str:
        return self.text

    def append(self, delta: str) -> None:
        """Add to a live reply."""
        self.text += delta
        self._fresh += delta

    def finish(self, *, partial: bool = False) -> None:
        """The reply is whole (or, with `partial`, will never be)."""
        self.live = False
        self.partial = partial
        self._fresh, self._rows, self._strips = "", [""], []

    def body(self, width: int, look: Look) -> list[Strip]:
        if self.live:
            return self._live_body(width, look)
        from .markdown import markdown

        strips = markdown(cut(self.text.strip("\n")), width - MARGIN - 1, look) if self.text.strip() else []
        if self.partial:
            strips = [*strips, row(("■ cut short", look.warning))]
        return prefixed(strips, row(("  ", look.text)))

    def _live_body(self, width: int, look: Look) -> list[Strip]:
        """Only the last row is wrapped again: those above it can no longer change."""
        if self._drawn_for != (width, look):
            self._drawn_for = (width, look)
            self._fresh, self._rows, self._strips = self.text.lstrip("\n"), [""], []
        if self._fresh or not self._strips:
            rows = wrap(self._rows.pop() + visible(self._fresh), width - MARGIN - 1)
            if self._fresh.endswith(" ") and rows[-1]:
                # Wrapping strips a row; a space at its end still parts two words.
                rows[-1] += " "
            del self._strips[len(self._rows) :]
            self._rows += rows
            self._strips += prefixed((row((line, look.text)) for line in rows), row(("  ", look.text)))
            self._fresh = ""
        return self._strips


class FoldedEntry(Entry):
    """One line that opens to more."""

    foldable = True
    folded = True

    def title(self, look: Look) -> list[tuple[str, Style]]:
        """What the line says."""
        raise NotImplementedError

    def inside(self, width: int, look: Look) -> list[Strip]:
        """What is shown when it is open."""
        raise NotImplementedError

    def body(self, width: int, look: Look) -> list[Strip]:
        mark = ("▸ " if self.folded else "▾ ", look.dim)
        line = row(mark, *self.title(look)).crop(0, width)
        if self.folded:
            return [line]
        return [line, *prefixed(self.inside(width - 4, look), row(("  │ ", look.faint)))]

    def guess(self, width: int) -> int:
        return self.gap + (1 if self.folded else guess_rows(self.words(), width))


class ThoughtEntry(FoldedEntry):
    """What the model thought aloud."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def append(self, delta: str) -> None:
        self.text += delta

    def words(self) -> str:
        return self.text

    def title(self, look: Look) -> list[tuple[str, Style]]:
        return [(f"thought ({len(self.text):,} characters)", look.dim + Style(italic=True))]

    def inside(self, width: int, look: Look) -> list[Strip]:
        return plain(cut(self.text.strip()), width, look.dim)


class RecalledEntry(FoldedEntry):
    """What was recalled before the turn."""

    gap = 0

    def __init__(self, text: str, count: int) -> None:
        self.text = text
        self.count = count

    def words(self) -> str:
        return self.text

    def title(self, look: Look) -> list[tuple[str, Style]]:
        what = counted(self.count, "memory", "memories")
        return [(f"recalled {what}", look.accent)]

    def inside(self, width: int, look: Look) -> list[Strip]:
        return plain(cut(self.text.strip()), width, look.dim)


Kind = Literal["info", "warning", "error", "stopped"]
_MARKS = {"info": "·", "warning": "!", "error": "✕", "stopped": "■"}


class NoticeEntry(Entry):
    """What the app says itself. It is for the reader: the model never sees it."""

    gap = 0

    def __init__(self, kind: Kind, text: str, hint: str = "") -> None:
        self.kind = kind
        self.text = text
        self.hint = hint
        self.gap = 1 if kind == "error" else 0

    def words(self) -> str:
        return f"{self.text}\n{self.hint}" if self.hint else self.text

    def body(self, width: int, look: Look) -> list[Strip]:
        styles = {"info": look.dim, "warning": look.warning, "error": look.error, "stopped": look.warning}
        style = styles[self.kind]
        strips = plain(cut(self.text), width - MARGIN, style)
        if self.hint:
            strips += plain(self.hint, width - MARGIN, look.dim)
        return prefixed(strips, row((_MARKS[self.kind] + " ", style)), row(("  ", style)))


class ForgottenEntry(NoticeEntry):
    """Marks a message that was forgotten, in the words that stand in its place in the model's window."""

    def __init__(self) -> None:
        super().__init__("info", "[forgotten at the user's request]: the model does not see this any more")


class RuleEntry(Entry):
    """A line across, with words in it: where older messages became a summary."""

    def __init__(self, text: str) -> None:
        self.text = text

    def words(self) -> str:
        return self.text

    def guess(self, width: int) -> int:
        return self.gap + 1

    def body(self, width: int, look: Look) -> list[Strip]:
        line = row(("── ", look.faint), (visible(self.text), look.dim), (" ", look.dim))
        return [Strip.join([line, row(("─" * max(width - line.cell_length, 0), look.faint))]).crop(0, width)]
