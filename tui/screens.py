"""The modal screens: something to read, a tool call to allow or deny, and things to choose for forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Button, Static

from .calls import full_arguments
from .look import Look
from .rendering import row
from .strip_view import Item, StripView
from .wrapping import visible, wrap

if TYPE_CHECKING:
    from ..runtime.forgetting.candidates import Candidate


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


class Choice(Item):
    """Something that may be forgotten: it is chosen while it is open."""

    foldable = True
    ROWS = 4
    """Of its text that are shown."""

    def __init__(self, candidate: Candidate, zone: tzinfo) -> None:
        self.id = candidate.id
        self._head = f"{candidate.at.astimezone(zone):%Y-%m-%d}  {visible(candidate.label)}"
        self._text = candidate.text

    @property
    def chosen(self) -> bool:
        return not self.folded

    def words(self) -> str:
        return self._text

    def guess(self, width: int) -> int:
        return 2

    def render(self, width: int, look: Look) -> list[Strip]:
        most = self.ROWS * width
        rows = wrap(visible(" ".join(self._text[: 2 * most].split())), width - 4)
        if len(rows) > self.ROWS or len(self._text) > 2 * most:
            rows = [*rows[: self.ROWS - 1], "…"]
        mark, style = ("[x] ", look.accent) if self.chosen else ("[ ] ", look.dim)
        words = look.text if self.chosen else look.dim
        head = row((mark, style), (self._head, look.dim)).crop(0, width)
        return [head, *(row(("    ", look.dim), (text, words)) for text in rows)]


class Forgetting(ModalScreen[list[str] | None]):
    """Asks which of the candidates are to be forgotten: their ids, or None where none are.

    Nothing is forgotten but by the button, which is not where the screen opens.
    """

    AUTO_FOCUS = "#choices"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    def __init__(self, candidates: Sequence[Candidate], zone: tzinfo) -> None:
        super().__init__()
        self._choices = [Choice(candidate, zone) for candidate in candidates]

    def compose(self) -> ComposeResult:
        with Vertical(id="forgetting") as box:
            box.border_title = "Forget these, and all that carries the same?"
            box.border_subtitle = "Space chooses · Tab · Esc cancels"
            yield StripView(id="choices")
            with Horizontal(id="forgetting-buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Forget", id="forget", variant="warning")

    def on_mount(self) -> None:
        self.query_one(StripView).add(*self._choices)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        chosen = [choice.id for choice in self._choices if choice.chosen]
        self.dismiss(chosen if event.button.id == "forget" and chosen else None)
