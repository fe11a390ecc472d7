"""Where the user types. Enter sends; Ctrl+J makes a new line on every terminal; a paste never sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from .input_history import InputHistory


class Prompt(TextArea):
    """A text area that grows with its text, and knows what was typed before."""

    class Submitted(Message):
        """The user sends `text`."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class CompletionWanted(Message):
        """Tab was pressed behind the beginning of a command."""

    class PageWanted(Message):
        """The reader wants to see another page of the conversation: -1 up, 1 down."""

        def __init__(self, pages: int) -> None:
            super().__init__()
            self.pages = pages

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder="Say something.  /help lists what else there is.",
        )
        self.inputs = InputHistory()

    async def _on_key(self, event: events.Key) -> None:
        # Here, in the queue of all keys, and not as priority bindings: those would overtake what was typed just before.
        action = self._KEYS.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            action(self)

    def forget_inputs(self) -> None:
        """Keep nothing of what was typed before, neither for the Up key nor for undoing."""
        self.inputs.clear()
        self.history.clear()

    def submit(self) -> None:
        """Send the text, and make room for the next."""
        text = self.text
        if text.strip():
            self.clear()
            self.post_message(self.Submitted(text))

    def new_line(self) -> None:
        """Break the line at the cursor."""
        self._replace_via_keyboard("\n", *self.selection)
        self.scroll_cursor_visible()

    def complete(self) -> None:
        """Complete a command, or go on to the next widget."""
        if self.text.startswith("/"):
            self.post_message(self.CompletionWanted())
        else:
            self.screen.focus_next()

    _KEYS: ClassVar[dict[str, Callable[[Prompt], None]]] = {
        "enter": submit,
        "ctrl+j": new_line,
        "shift+enter": new_line,
        "alt+enter": new_line,
        "tab": complete,
    }

    def action_cursor_up(self, select: bool = False) -> None:
        """Up recalls what was typed before, but only from the top line."""
        if not select and self.cursor_at_first_wrapped_line:
            text = self.inputs.older(self.text)
            if text is not None:
                self.put(text)
            return
        super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not select and self.cursor_at_last_line:
            text = self.inputs.newer()
            if text is not None:
                self.put(text)
                return
        super().action_cursor_down(select)

    @property
    def cursor_at_first_wrapped_line(self) -> bool:
        """Whether the cursor is on the topmost row, also where the first line is wrapped."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y == 0

    def put(self, text: str) -> None:
        """Replace the text, with the cursor at its end."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def action_cursor_page_up(self) -> None:
        self.post_message(self.PageWanted(-1))

    def action_cursor_page_down(self) -> None:
        self.post_message(self.PageWanted(1))

    async def _on_paste(self, event: events.Paste) -> None:
        # Some terminals send the line breaks of a paste as carriage returns.
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        event.stop()
        event.prevent_default()
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)
