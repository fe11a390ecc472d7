"""The colours: two themes for Textual, and the same colours as Rich styles for what is drawn as strips."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rich.console import Console
from rich.style import Style
from rich.theme import Theme as RichTheme
from textual.color import Color
from textual.theme import Theme

DARK = Theme(
    name="pagekeeper-dark",
    primary="#7aa2f7",
    secondary="#9d7cd8",
    accent="#e0af68",
    warning="#e0af68",
    error="#f7768e",
    success="#9ece6a",
    foreground="#c8d0e8",
    background="#16161e",
    surface="#1c1d29",
    panel="#24283b",
    dark=True,
)
LIGHT = Theme(
    name="pagekeeper-light",
    primary="#2e5cb8",
    secondary="#7847bd",
    accent="#8f5e15",
    warning="#8f5e15",
    error="#b3263f",
    success="#3f6d1c",
    foreground="#2b2f40",
    background="#fafaf7",
    surface="#f1f1ec",
    panel="#e4e5de",
    dark=False,
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


@dataclass(frozen=True)
class Look:
    """Rich styles of one theme. Backgrounds are left out where the widget's own shows."""

    theme: Theme

    def _color(self, name: str) -> Color:
        value: str | None = getattr(self.theme, name)
        return Color.parse(value or self.theme.primary)

    def _mix(self, name: str, other: str, share: float) -> str:
        return self._color(name).blend(self._color(other), share).hex

    @cached_property
    def text(self) -> Style:
        return Style(color=self._color("foreground").hex)

    @cached_property
    def dim(self) -> Style:
        return Style(color=self._mix("foreground", "background", 0.42))

    @cached_property
    def faint(self) -> Style:
        return Style(color=self._mix("foreground", "background", 0.72))

    @cached_property
    def primary(self) -> Style:
        return Style(color=self._color("primary").hex)

    @cached_property
    def secondary(self) -> Style:
        return Style(color=self._color("secondary").hex)

    @cached_property
    def accent(self) -> Style:
        return Style(color=self._color("accent").hex)

    @cached_property
    def error(self) -> Style:
        return Style(color=self._color("error").hex)

    @cached_property
    def warning(self) -> Style:
        return Style(color=self._color("warning").hex)

    @cached_property
    def success(self) -> Style:
        return Style(color=self._color("success").hex)

    @cached_property
    def mine(self) -> Style:
        """The user's words."""
        return Style(color=self._color("foreground").hex, bgcolor=self._color("panel").hex)

    @cached_property
    def added(self) -> Style:
        return Style(color=self._color("foreground").hex, bgcolor=self._mix("background", "success", 0.28))

    @cached_property
    def removed(self) -> Style:
        return Style(
            color=self._mix("foreground", "error", 0.5), bgcolor=self._mix("background", "error", 0.16), strike=True
        )

    @cached_property
    def cursor(self) -> Style:
        """What the keyboard has chosen."""
        return Style(bgcolor=self._mix("background", "primary", 0.25))

    @cached_property
    def selection(self) -> Style:
        return Style(bgcolor=self._mix("background", "primary", 0.45))

    def section(self, name: str) -> Style:
        """The colour of a section of the window in the gauge."""
        colors = {
            "system": self._color("secondary").hex,
            "tools": self._mix("secondary", "primary", 0.6),
            "core": self._color("success").hex,
            "summary": self._mix("accent", "error", 0.45),
            "recalled": self._color("accent").hex,
            "messages": self._color("primary").hex,
        }
        return Style(color=colors[name]) if name in colors else self.faint

    @property
    def code_theme(self) -> str:
        """A Pygments style."""
        return "nord-darker" if self.theme.dark else "tango"

    @cached_property
    def code_background(self) -> str:
        return self._color("surface").hex

    @cached_property
    def console(self) -> Console:
        """Renders Rich renderables in these colours; it writes nowhere, and parses no markup."""
        plain, dim, primary = self.text, self.dim, self.primary
        markdown = {
            "paragraph": plain,
            "text": plain,
            "em": Style(italic=True),
            "strong": Style(bold=True),
            "s": Style(strike=True),
            "code": Style(color=self._color("accent").hex, bgcolor=self._color("surface").hex),
            "code_block": plain,
            "block_quote": dim,
            "list": plain,
            "item": plain,
            "item.bullet": primary,
            "item.number": primary,
            "hr": self.faint,
            "h1": primary + Style(bold=True),
            "h2": primary + Style(bold=True),
            "h3": primary + Style(bold=True),
            "h4": plain + Style(bold=True),
            "h5": plain + Style(bold=True),
            "h6": dim + Style(bold=True),
            "h1.border": self.faint,
            "link": primary,
            "link_url": dim,
            "table.border": self.faint,
            "table.header": plain + Style(bold=True),
        }
        return Console(
            file=io.StringIO(),
            width=80,
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            theme=RichTheme({f"markdown.{name}": style for name, style in markdown.items()}),
        )


@lru_cache(maxsize=4)
def look(theme: str) -> Look:
    """The styles of a theme, by its name."""
    return Look(THEMES.get(theme, DARK))


def prefers_light(environment: dict[str, str]) -> bool:
    """Whether the terminal says that its background is light (`COLORFGBG`, set by rxvt, Konsole and others)."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")
