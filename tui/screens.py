"""The modal screens that are read or answered: a page, and a tool call to allow or deny."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from .calls import full_arguments
from .wrapping import visible


class Reading(ModalScreen[None]):
    """Something to read; Escape, Enter or q closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,f1", "dismiss", "Close")]

    def __init__(self, title: str, content: Text) -> None:
        super().__init__()
        self._title = title
        self._content = content

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="reading") as box:
            box.border_title = self._title
            box.border_subtitle = "Esc closes"
            yield Static(self._content, markup=False)


class Approval(ModalScreen[bool]):
    """Asks whether a tool may run.

    Denying has the focus, and no letter answers: the screen may open under the hands of someone who is typing.
    """

    AUTO_FOCUS = "#deny"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", "Deny"),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(self, call_id: str, name: str, arguments: str) -> None:
        super().__init__()
        self.call_id = call_id
        self._tool = name
        self._arguments = arguments

    def compose(self) -> ComposeResult:
        with Vertical(id="approval") as box:
            box.border_title = "May this tool run?"
            yield Static(Text(visible(self._tool), "bold"), markup=False)
            with VerticalScroll(id="approval-arguments", can_focus=False):
                yield Static(self._shown(), markup=False)
            with Horizontal(id="approval-buttons"):
                yield Button("Deny", id="deny")
                yield Button("Allow once", id="allow", variant="warning")

    def _shown(self) -> Text:
        text = Text()
        for key, value in full_arguments(self._arguments):
            if text:
                text.append("\n")
            if key:
                text.append(visible(key) + ": ", "bold")
            text.append(visible(value))
        return text if text else Text("(no arguments)")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "allow")
