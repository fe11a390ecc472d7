"""A scrolling list of which only what is in view is ever rendered; the transcript and the blocks are two of it.

Each item is rendered to strips once for a width and a theme. Items that were never in view have a guessed height;
a guess is replaced before it can be seen, and what the reader looks at stays where it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from .look import Look, look


class Item:
    """One thing in the list. A change of it is shown after `StripView.touch(item)`."""

    foldable = False
    folded = False

    def render(self, width: int, look: Look) -> list[Strip]:
        """Its rows, each of at most `width` cells."""
        raise NotImplementedError

    def guess(self, width: int) -> int:
        """About how many rows it has, without rendering it."""
        return 1

    def words(self) -> str:
        """What copying it gives."""
        return ""


class _Slot:
    """An item's place in the list."""

    __slots__ = ("height", "item", "strips")

    def __init__(self, item: Item, height: int) -> None:
        self.item = item
        self.height = height
        self.strips: list[Strip] | None = None


class StripView(ScrollView, can_focus=True):
    """The list. Up and down choose an item, Enter opens or closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", "Previous", show=False),
        Binding("down", "choose(1)", "Next", show=False),
        Binding("enter,space", "fold", "Open or close", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("home", "scroll_home", show=False),
        Binding("end", "scroll_end", show=False),
        Binding("y", "copy", "Copy", show=False),
    ]

    class Copied(Message):
        """The reader asks for the words of an item."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._slots: list[_Slot] = []
        self._tops: list[int] | None = None
        self._width = 0
        self._chosen: Item | None = None
        self._settling = False
        self.follows = False
        """Whether the end is kept in view as the list grows."""
        self.renderings = 0
        """How often an item was rendered."""

    # What is in the list

    @property
    def items(self) -> list[Item]:
        return [slot.item for slot in self._slots]

    def add(self, *items: Item) -> None:
        """Put items at the end."""
        self._slots += [_Slot(item, item.guess(self._width or 80)) for item in items]
        self._changed()

    def add_above(self, items: Iterable[Item]) -> None:
        """Put items at the beginning; what is in view stays in view."""
        place = self._place()
        self._slots[:0] = [_Slot(item, item.guess(self._width or 80)) for item in items]
        self._changed(place)

    def replace_all(self, items: Iterable[Item]) -> None:
        """Show these items instead; those that were there keep their strips."""
        place = self._place()
        known = {slot.item: slot for slot in self._slots}
        self._slots = [known.get(item) or _Slot(item, item.guess(self._width or 80)) for item in items]
        self._changed(place)

    def take_out(self, item: Item) -> None:
        place = self._place()
        self._slots = [slot for slot in self._slots if slot.item is not item]
        self._changed(place)

    def touch(self, *items: Item) -> None:
        """Show changes of these items."""
        place = self._place()
        wanted = set(map(id, items))
        # What changes is mostly near the end.
        for slot in reversed(self._slots):
            if id(slot.item) in wanted:
                slot.strips = None
                wanted.discard(id(slot.item))
                if not wanted:
                    break
        self._changed(place)

    def redraw(self) -> None:
        """Render everything anew, for other colours or another width."""
        place = self._place()
        for slot in self._slots:
            slot.strips = None
            slot.height = slot.item.guess(self._width or 80)
        self._changed(place)

    # Heights and places

    @property
    def look(self) -> Look:
        return look(self.app.theme)

    def _starts(self) -> list[int]:
        """The first row of each item, and last the number of rows."""
        if self._tops is None:
            self._tops = list(accumulate((slot.height for slot in self._slots), initial=0))
        return self._tops

    def _index_at(self, y: int) -> int:
        return min(max(bisect_right(self._starts(), y) - 1, 0), len(self._slots) - 1)

    def _place(self) -> tuple[_Slot, int] | None:
        """What the first row in view shows: an item, and which of its rows."""
        if not self._slots:
            return None
        y = self.scroll_offset.y
        index = self._index_at(y)
        return self._slots[index], y - self._starts()[index]

    def _changed(self, place: tuple[_Slot, int] | None = None) -> None:
        self._tops = None
        self._settle(place)
        self.refresh()

    def _measure(self, slot: _Slot) -> bool:
        """Render the item if it is not; whether its height was another than thought."""
        if slot.strips is not None:
            return False
        base = self.rich_style
        self.renderings += 1
        slot.strips = [strip.apply_style(base) for strip in slot.item.render(self._width, self.look)]
        changed = slot.height != len(slot.strips)
        slot.height = len(slot.strips)
        if changed:
            self._tops = None
        return changed

    def _settle(self, place: tuple[_Slot, int] | None = None) -> None:
        """Render what is in view, and a page above it, and keep the place (or the end) where it is."""
        height = self.scrollable_content_region.height
        if self._settling or not self._width or not height:
            return
        self._settling = True
        try:
            if self.follows:
                self._measure_up(len(self._slots) - 1, 2 * height)
                self._resize_to(max(0, self._starts()[-1] - height))
            else:
                slot, offset = place or self._place() or (None, 0)
                index = next((i for i, other in enumerate(self._slots) if other is slot), None)
                if index is None:
                    index, offset = (self._index_at(self.scroll_offset.y) if self._slots else -1), 0
                self._measure_down(index, height + offset)
                self._measure_up(index - 1, height)
                starts = self._starts()
                if index >= 0:
                    offset = min(offset, max(self._slots[index].height - 1, 0))
                    self._resize_to(starts[index] + offset)
                    # At the end a page may reach further up than the place.
                    self._measure_up(len(self._slots) - 1, height if starts[-1] - starts[index] < height else 0)
                self._resize_to(None)
        finally:
            self._settling = False

    def _measure_up(self, index: int, rows: int) -> None:
        while index >= 0 and rows > 0:
            self._measure(self._slots[index])
            rows -= self._slots[index].height
            index -= 1

    def _measure_down(self, index: int, rows: int) -> None:
        while 0 <= index < len(self._slots) and rows > 0:
            self._measure(self._slots[index])
            rows -= self._slots[index].height
            index += 1

    def _resize_to(self, y: int | None) -> None:
        """Tell Textual the number of rows, and scroll to row `y`."""
        size = Size(self._width, self._starts()[-1])
        if self.virtual_size != size:
            self.virtual_size = size
        if y is not None and round(self.scroll_y) != min(y, self.max_scroll_y):
            self.scroll_target_y = self.scroll_y = y

    # What Textual calls

    def on_resize(self, event: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            self.redraw()
        else:
            self._settle()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._settling:
            self._settle()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_attached and self._width:
            self.redraw()

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        y += self.scroll_offset.y
        width = self._width
        if not self._slots or y >= self._starts()[-1]:
            return Strip.blank(width, base)
        index = self._index_at(y)
        slot = self._slots[index]
        offset = y - self._starts()[index]
        strip = slot.strips[offset] if slot.strips and offset < len(slot.strips) else Strip.blank(width, base)
        if slot.item is self._chosen and self.has_focus:
            strip = strip.extend_cell_length(width, base)
            strip = Strip(Segment.apply_style(strip, post_style=self.look.cursor), width)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(y)) is not None:
            strip = self._selected(strip, *span)
        return strip.crop_extend(0, width, base).apply_offsets(0, y)

    # Choosing, folding, copying

    def action_choose(self, step: int) -> None:
        """Move to the next item that can be opened or copied."""
        candidates = [slot for slot in self._slots if slot.item.foldable or slot.item.words()]
        if not candidates:
            return
        at = next((i for i, slot in enumerate(candidates) if slot.item is self._chosen), None)
        if at is None:
            at = len(candidates) if step < 0 else -1
        slot = candidates[min(max(at + step, 0), len(candidates) - 1)]
        self._chosen = slot.item
        self._show(slot)
        self.refresh()

    def _show(self, slot: _Slot, matters: tuple[int, int] | None = None) -> None:
        """Scroll as little as needed to have the item in view.

        Where it is taller than the view, its beginning is; or, if its rows between the two numbers of `matters` would
        not be seen then, those are.
        """
        height = self.scrollable_content_region.height
        index = self._slots.index(slot)
        # Before the target is reckoned: a guess that is replaced on the way would move it, and Textual would clamp it
        # to the rows that it knows of.
        self._measure_down(index, height + slot.height)
        self._measure_up(index - 1, height)
        self._resize_to(None)
        top, rows = self._starts()[index], slot.height
        if matters is not None and matters[1] > height:
            top, rows = top + matters[0], matters[1] - matters[0]
        y = self.scroll_offset.y
        if top < y or rows > height:
            self.scroll_to(y=top, animate=False)
        elif top + rows > y + height:
            self.scroll_to(y=top + rows - height, animate=False)

    def action_fold(self) -> None:
        if self._chosen is not None and self._chosen.foldable:
            self.fold(self._chosen, not self._chosen.folded)

    def fold(self, item: Item, folded: bool) -> None:
        """Close or open one item."""
        item.folded = folded
        follows, self.follows = self.follows, False
        self.touch(item)
        self.follows = follows and self.is_vertical_scroll_end

    def action_copy(self) -> None:
        if self._chosen is not None and (text := self._chosen.words()):
            self.post_message(self.Copied(text))

    def item_at(self, y: int) -> tuple[Item, int] | None:
        """The item at row `y` of the view, and which of its rows that is."""
        y += self.scroll_offset.y
        if not self._slots or y >= self._starts()[-1]:
            return None
        index = self._index_at(y)
        return self._slots[index].item, y - self._starts()[index]

    def on_click(self, event: events.Click) -> None:
        hit = self.item_at(event.y)
        if hit is not None and hit[0].foldable and self.text_selection is None:
            self._chosen = hit[0]
            self.fold(hit[0], not hit[0].folded)

    # Selecting with the mouse

    @property
    def allow_select(self) -> bool:
        return True

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        starts = self._starts()
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else starts[-1] - 1
        rows = []
        for y in range(first, min(last, starts[-1] - 1) + 1):
            index = self._index_at(y)
            self._measure(self._slots[index])
            strips = self._slots[index].strips or []
            offset = y - starts[index]
            text = strips[offset].text if offset < len(strips) else ""
            span = selection.get_span(y) or (0, -1)
            rows.append(text[span[0] : None if span[1] == -1 else span[1]].rstrip())
        return "\n".join(rows), "\n"

    def _selected(self, strip: Strip, start: int, end: int) -> Strip:
        """The strip with its characters from `start` to `end` (-1: to the last) marked."""
        mark = self.look.selection
        out: list[Segment] = []
        at = 0
        for segment in strip:
            text, style = segment.text, segment.style
            left = min(max(start - at, 0), len(text))
            right = len(text) if end == -1 else min(max(end - at, left), len(text))
            for piece, marked in ((text[:left], False), (text[left:right], True), (text[right:], False)):
                if piece:
                    out.append(Segment(piece, (style + mark if style else mark) if marked else style))
            at += len(text)
        return Strip(out, strip.cell_length)
