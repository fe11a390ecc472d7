"""The context gauge: how full the model's window is, and with what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from .look import Look, look

if TYPE_CHECKING:
    from ..runtime.context.overview import Overview


@dataclass(frozen=True)
class Filling:
    """What the gauge shows, in tokens. No number is negative, and `free` is what the window leaves."""

    parts: tuple[tuple[str, int], ...]
    """The sections without what is free."""
    usable: int
    """The window without what is reserved for the reply."""
    reserve: int
    used: int
    """As counted here."""
    free: int
    reported: int | None
    """What the provider said of a request, or None where it said nothing."""
    difference: int
    """How much more the provider counted than was counted here, of the same request."""
    epoch: int

    @classmethod
    def of(cls, overview: Overview) -> Filling:
        parts = tuple((name, max(0, tokens)) for name, tokens in overview.sections if name != "free")
        return cls(
            parts,
            max(0, overview.window - overview.reserve),
            max(0, overview.reserve),
            max(0, overview.used),
            max(0, overview.free),
            overview.reported or None,
            overview.difference or 0,
            overview.epoch,
        )

    @property
    def share(self) -> float:
        """Of the usable window, from 0 to 1."""
        return min(1.0, self.used / self.usable) if self.usable else 1.0

    @property
    def brief(self) -> str:
        """In a few words, for the status line."""
        return f"context {percent(self.share)}" if self.used <= self.usable else "context over the window"


def percent(share: float) -> str:
    """A share in percent: full or empty only where it is."""
    if share <= 0:
        return "0%"
    return "under 1%" if share < 0.01 else f"{int(share * 100)}%"


def cells(tokens: Sequence[int], window: int, width: int) -> list[int]:
    """How many of the bar's cells each section gets: at least one if it has any, and never more than there are."""
    whole = max(window, sum(tokens), 1)
    out = [min(-(-count * width // whole), width) if count else 0 for count in tokens]
    while sum(out) > width:
        out[out.index(max(out))] -= 1
    return out


class Gauge(Widget):
    """A bar by section, what it means, and whether the numbers are counted here or reported by the provider."""

    filling: reactive[Filling | None] = reactive(None, layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width, look(self.app.theme)))

    def render(self) -> Text:
        return Text("\n", no_wrap=True).join(self._lines(self.size.width, look(self.app.theme)))

    def _lines(self, width: int, look: Look) -> list[Text]:
        filling = self.filling
        if filling is None:
            return [Text("context: not known yet", look.dim)]
        over = filling.used > filling.usable
        head = Text(f"{filling.used:,}", look.error if over else look.text, no_wrap=True)
        head.append(f" of {filling.usable:,}", look.dim)
        head.append(" (over)" if over else f" ({percent(filling.share)})", look.error if over else look.dim)
        bar = Text(no_wrap=True)
        counts = cells([tokens for _, tokens in filling.parts], filling.usable, width)
        for (name, _), count in zip(filling.parts, counts, strict=True):
            bar.append("█" * count, look.section(name))
        bar.append("░" * (width - sum(counts)), look.faint)
        lines = [head, bar]
        legend = [*filling.parts, ("free", filling.free)]
        lines += (
            self._packed(legend, width, look) if self.screen.has_class("-low") else self._table(legend, width, look)
        )
        lines += [Text(words, look.dim, no_wrap=True) for words in _told(filling, width)]
        return lines

    @staticmethod
    def _table(legend: list[tuple[str, int]], width: int, look: Look) -> list[Text]:
        columns = 2 if width >= 36 else 1
        column = width // columns
        lines = []
        for start in range(0, len(legend), columns):
            line = Text(no_wrap=True)
            for name, tokens in legend[start : start + columns]:
                number = f"{tokens:,}"
                line.append("░ " if name == "free" else "█ ", look.section(name))
                line.append(name.ljust(column - 4 - len(number)), look.dim)
                line.append(number + "  ", look.text)
            lines.append(line)
        return lines

    @staticmethod
    def _packed(legend: list[tuple[str, int]], width: int, look: Look) -> list[Text]:
        """For low terminals: what is there, one behind the other."""
        lines = [Text(no_wrap=True)]
        for name, tokens in legend:
            if not tokens:
                continue
            entry = Text.assemble(
                ("░" if name == "free" else "█", look.section(name)),
                (name, look.dim),
                (f" {brief(tokens)} ", look.text),
            )
            if lines[-1].cell_len + entry.cell_len > width + 1:
                lines.append(Text(no_wrap=True))
            lines[-1].append_text(entry)
        return lines


def brief(tokens: int) -> str:
    """A number of tokens in at most four characters."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 9_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000:.0f}k" if tokens < 999_500 else f"{tokens / 1_000_000:.1f}M"


def _told(filling: Filling, width: int) -> list[str]:
    """Where the numbers come from."""
    if filling.reported is None:
        return ["counted; reported: nothing"]
    reported = f"reported {filling.reported:,} ({filling.difference:+,})"
    whole = f"counted; {reported}"
    return [whole] if len(whole) <= width else ["counted here", reported]
