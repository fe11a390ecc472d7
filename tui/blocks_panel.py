"""The blocks of core memory, and in each what changed since the user last spoke."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.strip import Strip

from .calls import flat, shortened
from .excerpt import ROWS, Excerpt, Line, excerpt, new_line
from .look import Look
from .rendering import row
from .strip_view import Item, StripView
from .wrapping import visible, wrap

if TYPE_CHECKING:
    from ..runtime.core.blocks import Block

MOST_LINES = 400
"""Where more lines than these differ, they are shown as gone and come, without a comparison."""

MOST_CHARACTERS = 60_000
"""Of a value that are drawn when its block is opened."""


def changed_lines(before: str, after: str) -> list[Line]:
    """The lines of `after`, with those that went and those that came marked as such."""
    old = before.split("\n") if before else []
    new = after.split("\n") if after else []
    start = end = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = _compared(old[start : len(old) - end], new[start : len(new) - end])
    return [("same", line) for line in new[:start]] + middle + [("same", line) for line in new[len(new) - end :]]


def _compared(old: list[str], new: list[str]) -> list[Line]:
    if len(old) + len(new) > MOST_LINES:
        return [("removed", line) for line in old] + [("added", line) for line in new]
    out: list[Line] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            out += [("same", line) for line in new[c:d]]
        else:
            out += [("removed", line) for line in old[a:b]]
            out += [("added", line) for line in new[c:d]]
    return out


def _opened(lines: Sequence[Line], width: int) -> Excerpt:
    """All rows, of a value that is not all too long."""
    rows: list[tuple[int, str]] = []
    room = MOST_CHARACTERS
    for number, (_, line) in enumerate(lines):
        if room <= 0:
            return Excerpt(rows, 0, len(lines) - number)
        rows += [(number, text) for text in wrap(visible(line[:room]), width)]
        room -= len(line) + 1
    return Excerpt(rows, 0, 0)


class BlockItem(Item):
    """One block. It remembers its value of before the turn, to show what changed."""

    foldable = True
    folded = True

    def __init__(self, label: str, before: str | None) -> None:
        self.label = label
        self.before = before
        """The value when the user last spoke; None where there was no such block."""
        self.value: str | None = before
        """None once it is deleted."""
        self.description = ""
        self.limit = 0
        self.read_only = False
        self.pinned = False
        self.revision = 0
        self.writer = ""
        self.resident = True
        self.marked: tuple[int, int] | None = None
        """Where the first change stands in what was rendered last: its first row, and the row behind its last."""

    def update(self, block: Block, resident: bool) -> bool:
        """Take over what the block is now; whether anything is new."""
        was = self._state()
        self.value, self.description, self.limit = block.value, block.description, block.limit
        self.read_only, self.pinned = block.read_only, block.pinned
        self.revision, self.writer, self.resident = block.revision, block.writer, resident
        return self._state() != was

    def _state(self) -> tuple[object, ...]:
        return (
            self.value,
            self.description,
            self.limit,
            self.read_only,
            self.pinned,
            self.revision,
            self.writer,
            self.resident,
        )

    @property
    def changed(self) -> bool:
        """Whether the value is another than when the user last spoke."""
        return self.value != self.before

    def words(self) -> str:
        return self.value or ""

    def guess(self, width: int) -> int:
        if not self.resident and self.folded and not self.changed:
            return 2
        size = min(len(self.words()), MOST_CHARACTERS)
        rows = self.words().count("\n", 0, size) + size // max(width - 2, 10) + 1
        return 3 + (min(rows, ROWS) if self.folded else rows)

    def render(self, width: int, look: Look) -> list[Strip]:
        width -= 1
        self.marked = None
        strips = [self._head(width, look)]
        if self.resident or self.changed or not self.folded:
            strips += self._lines(width, look)
            strips.append(self._meter(width, look))
        else:
            strips.append(row(("  " + shortened(flat(self.description) or "(no description)", width - 2), look.dim)))
        return [*strips, Strip([])]

    def _head(self, width: int, look: Look) -> Strip:
        who = f"r{self.revision} {self.writer}".rstrip()
        if self.value is None:
            who = f"deleted by {self.writer}".removesuffix(" by ")
        elif not self.resident:
            who += ", paged out"
        mark, style = ("● ", look.accent) if self.changed else ("  ", look.dim)
        name_style = (look.text if self.resident else look.dim) + Style(bold=True)
        name = shortened(flat(self.label), max(width - 4 - cell_len(who), 8))
        space = " " * max(width - 2 - cell_len(name) - cell_len(who), 1)
        return row(
            (mark, style), (name, name_style), (space, look.dim), (who, style if self.changed else look.dim)
        ).crop(0, width)

    def _lines(self, width: int, look: Look) -> list[Strip]:
        if not self.value and not (self.changed and self.before):
            return [row(("  (empty)", look.dim))]
        styles = {"same": look.text if self.resident else look.dim, "added": look.added, "removed": look.removed}
        lines = changed_lines(self.before or "", self.value or "") if self.changed else self._unchanged()
        shown = excerpt(lines, width - 2) if self.folded else _opened(lines, width - 2)
        above, below = shown.above, shown.below
        strips = [row(("  ", look.dim), (text or " ", styles[lines[number][0]])) for number, text in shown.rows]
        if above:
            strips.insert(0, row((f"  … {above:,} lines above" if above > 1 else "  … more above", look.dim)))
        if below:
            strips.append(row((f"  … {below:,} more lines" if below > 1 else "  … more", look.dim)))
        if self.changed:
            # The head is above, and perhaps what was said of the lines that are left out.
            new, top = new_line(lines), 2 if above else 1
            marked = [at for at, (number, _) in enumerate(shown.rows, top) if number == new]
            self.marked = (marked[0], marked[-1] + 1) if marked else None
        return strips

    def _unchanged(self) -> list[Line]:
        return [("same", line) for line in (self.value or "").split("\n")]

    def _meter(self, width: int, look: Look) -> Strip:
        """How much of its limit the value takes, in characters."""
        size = len(self.value or "")
        words = f" {size:,}/{self.limit:,}" + (" read-only" if self.read_only else "")
        room = max(width - 2 - len(words), 4)
        full = min(room, -(-size * room // self.limit)) if self.limit > 0 else room
        style = look.error if size > self.limit else look.warning if size * 10 > self.limit * 9 else look.success
        return row(("  ", look.dim), ("━" * full, style), ("━" * (room - full), look.faint), (words, look.dim)).crop(
            0, width
        )


class BlocksPanel(StripView):
    """All blocks: those in view of the model first, then those that are paged out."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._by_label: dict[str, BlockItem] = {}
        self._known = False
        self._shown: BlockItem | None = None
        """The changed block that was brought into view, until the reader scrolls or speaks."""

    @property
    def blocks(self) -> list[BlockItem]:
        """In the order in which they are shown."""
        return [item for item in self.items if isinstance(item, BlockItem)]

    def begin_turn(self) -> None:
        """What changed so far is seen; from now on the changes of a new turn are marked."""
        self._shown = None
        for item in self.blocks:
            if item.value is None:
                self._by_label.pop(item.label, None)
            elif item.changed:
                item.before = item.value
                self.touch(item)
        self._arrange()

    def show(self, blocks: Sequence[Block], resident: Collection[str]) -> None:
        """Show these blocks as they are; the first call tells what there was to begin with."""
        fresh: list[Item] = []
        for block in blocks:
            item = self._item(block.label, block.value if not self._known else None)
            if item.update(block, block.label in resident):
                fresh.append(item)
        present = {block.label for block in blocks}
        for item in self._by_label.values():
            if item.label not in present and item.value is not None:
                item.value = None
                fresh.append(item)
        self._known = True
        self._arrange()
        self.touch(*fresh)
        self._reveal(fresh)

    def change(self, label: str, revision: int, value: str | None, writer: str) -> None:
        """Show one edit at once."""
        item = self._item(label, None)
        item.revision, item.value, item.writer = revision, value, writer
        self._arrange()
        self.touch(item)
        self._reveal([item])

    def _item(self, label: str, before: str | None) -> BlockItem:
        return self._by_label.setdefault(label, BlockItem(label, before))

    def _arrange(self) -> None:
        items = sorted(self._by_label.values(), key=_rank)
        if items != self.items:
            self.replace_all(items)

    def _reveal(self, fresh: Sequence[Item]) -> None:
        """Bring a changed block into view."""
        changed = [item for item in self.blocks if item in fresh and item.changed]
        if changed:
            self._shown = changed[0]
            self._keep_shown()

    def _keep_shown(self) -> None:
        slot = next((slot for slot in self._slots if slot.item is self._shown), None)
        if slot is None or self._shown is None or not self._width:
            return
        self._measure(slot)
        shown, self._shown = self._shown, None
        self._show(slot, shown.marked)
        self._shown = shown

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        # The gauge below grows with what it has to say, and would cover the last rows.
        self._keep_shown()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        clamped = new_value < old_value and new_value == self.max_scroll_y
        if not self._settling and not clamped:
            self._shown = None
        super().watch_scroll_y(old_value, new_value)


def _rank(item: BlockItem) -> tuple[bool, bool, str]:
    return not (item.resident or item.changed), not item.pinned, item.label
