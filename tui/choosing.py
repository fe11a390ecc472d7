"""The modal screens in which things are chosen: what to forget, what to erase, and which of two memories holds.

Nothing is done but by the button, which is not where a screen opens: it may open under the hands of someone who types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Button

from .look import Look
from .rendering import row
from .strip_view import Item, StripView
from .wrapping import visible, wrap

if TYPE_CHECKING:
    from ..runtime.erasing.survey import Erasable
    from ..runtime.forgetting.candidates import Candidate
    from ..runtime.sleeptime.disputes import Dispute
    from ..runtime.sleeptime.known import Known


class Choice(Item):
    """A text that may be chosen: it is while it is open. One that is `fixed` is chosen, or not, whatever one does."""

    ROWS = 4
    """Of its text that are shown."""

    def __init__(self, id: str, head: str, text: str, *, chosen: bool, fixed: bool = False) -> None:
        self.id = id
        self.folded = not chosen
        self.foldable = not fixed
        self._head = head
        self._text = text

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
        mark = ("[x] " if self.chosen else "[ ] ") if self.foldable else ("  ✕ " if self.chosen else "  · ")
        words = look.text if self.chosen else look.dim
        head = row((mark, look.accent if self.chosen else look.dim), (visible(self._head), look.dim)).crop(0, width)
        return [head, *(row(("    ", look.dim), (text, words)) for text in rows)]


Answer = TypeVar("Answer")


class Choosing(ModalScreen[Answer | None], Generic[Answer]):
    """A list of choices and two buttons. Escape, and the first button, answer None or what a screen says instead."""

    AUTO_FOCUS = "#choices"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    TITLE = ""
    HINT = "Space chooses · Tab · Esc cancels"
    NO, YES = "Cancel", "OK"

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__()
        self.choices = choices

    @property
    def title_words(self) -> str:
        return self.TITLE

    def compose(self) -> ComposeResult:
        with Vertical(id="choosing") as box:
            box.border_title = self.title_words
            box.border_subtitle = self.HINT
            yield StripView(id="choices")
            with Horizontal(id="choosing-buttons"):
                yield Button(self.NO, id="no")
                yield Button(self.YES, id="yes", variant="warning")

    def on_mount(self) -> None:
        self.query_one(StripView).add(*self.choices)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "no":
            self.dismiss(self.refused())
        else:
            self.accept([choice.id for choice in self.choices if choice.chosen and choice.foldable])

    def refused(self) -> Answer | None:
        """What the first button answers."""
        return None

    def accept(self, chosen: list[str]) -> None:
        """Dismiss with the answer that the chosen ids are."""
        raise NotImplementedError


class Forgetting(Choosing[list[str]]):
    """Asks which of the candidates are to be forgotten: their ids, or None where none are."""

    TITLE = "Forget these, and all that carries the same?"
    YES = "Forget"

    def __init__(self, candidates: Sequence[Candidate], zone: tzinfo) -> None:
        super().__init__([Choice(it.id, _head(it.at, it.label, zone), it.text, chosen=True) for it in candidates])

    def accept(self, chosen: list[str]) -> None:
        self.dismiss(chosen or None)


class Erasing(Choosing[list[str]]):
    """Shows what an erasure takes and leaves, and asks which texts that hold only a part of it go too: those, or None
    where nothing is to be erased. They stay unless they are chosen."""

    TITLE = "Erase this for good? Nothing brings it back"
    HINT = "Space takes what holds a part too · Tab · Esc cancels"
    YES = "Erase"

    def __init__(self, found: Erasable, shorts: Mapping[str, str]) -> None:
        choices = []
        for find in found.finds:
            places = ", ".join(f"{count} × {place}" for place, count in find.places.items())
            head = f"in part · {places}" if find.partial else f"goes · {places}"
            choices.append(Choice(find.text, head, find.text, chosen=not find.partial, fixed=not find.partial))
        stays = [(f"stays · may be about it · /why {shorts[one.id]}", one.text) for one in found.also]
        stays += [("stays · a name", name) for name in found.names]
        stays += [("stays · a file in the home, to be deleted by you", file) for file in found.files]
        forks = "`pagekeeper memory forget --erase --forks` erases it there too"
        stays += [(f"stays · in an agent of the same origin: {forks}", fork) for fork in found.forks]
        choices += [Choice("", head, text, chosen=False, fixed=True) for head, text in stays]
        super().__init__(choices)

    def accept(self, chosen: list[str]) -> None:
        self.dismiss(chosen)


Decision = Literal["new", "old", "both", "later"]


class Deciding(Choosing[Decision]):
    """Asks which of two memories that contradict each other holds, or whether both do; None leaves it, and the rest."""

    TITLE = "Which of these holds?"
    HINT = "Space chooses one, or both · Tab · Esc leaves"
    NO, YES = "Later", "Decide"

    def __init__(self, dispute: Dispute, shorts: Mapping[str, str], zone: tzinfo, place: str) -> None:
        self._place = place
        sides = (("new", "the newer", dispute.new), ("old", "the older", dispute.old))
        super().__init__(
            [
                Choice(id, f"{_said(side, zone)}  {name}  {shorts[side.id]}", side.text, chosen=False)
                for id, name, side in sides
            ]
        )

    @property
    def title_words(self) -> str:
        return f"{self.TITLE} ({self._place})"

    def refused(self) -> Decision:
        return "later"

    def accept(self, chosen: list[str]) -> None:
        if not chosen:
            self.query_one("#choosing").border_subtitle = "None is chosen: choose one, or both, or press Later"
            return
        self.dismiss("both" if len(chosen) == 2 else "new" if chosen == ["new"] else "old")


def _head(at: datetime, label: str, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d}  {label}"


def _said(side: Known, zone: tzinfo) -> str:
    at = side.event_time or side.created_at
    by_hand = ", by hand" if side.standing == 3 else ""
    return (f"{at.astimezone(zone):%Y-%m-%d}" if at else "undated") + by_hand
