"""The status line: what goes on, and what can be done about it."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from .calls import shortened
from .look import look
from .wrapping import visible


class StatusLine(Widget):
    """One row: the state on the left, a hint on the right. A message stands there instead until one types."""

    state: reactive[str] = reactive("opening …")
    queued: reactive[int] = reactive(0)
    hint: reactive[str] = reactive("")
    message: reactive[str] = reactive("")
    suggestion: reactive[str] = reactive("")

    def render(self) -> Text:
        styles = look(self.app.theme)
        width = self.size.width
        if words := self.suggestion or self.message:
            return Text(shortened(_line(words), width), styles.accent, no_wrap=True)
        left = self.state
        if self.queued:
            left += f" · {self.queued} waiting to be sent"
        left = shortened(_line(left), width)
        room = width - cell_len(left) - 2
        right = _line(self.hint)
        line = Text(left, styles.primary, no_wrap=True)
        if cell_len(right) <= room:
            line.append(" " * (width - cell_len(left) - cell_len(right)))
            line.append(right, styles.dim)
        return line


def _line(text: str) -> str:
    return visible(text).replace("\n", " ")
