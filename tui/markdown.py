"""Replies as Markdown: Rich's renderer, made for what models write.

- HTML is text: Rich would drop it, and with it the `<T>` of `Vec<T>`.
- A line break is a line break, as models mean it.
- The addresses of links are shown, so that no text can hide where it leads.
- Text in Chinese and the like breaks between ideographs.

It brings Pygments, which takes a while to import; so this module is imported when the first reply is drawn.
"""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import markdown as base
from rich.console import Console, ConsoleOptions, RenderResult
from rich.syntax import Syntax
from rich.text import Text
from textual.strip import Strip

from .look import Look
from .rendering import plain, rendered
from .wrapping import ScriptText, visible


def markdown(text: str, width: int, look: Look) -> list[Strip]:
    """A reply in at most `width` cells. What cannot be rendered as Markdown is shown as it is."""
    text = visible(text)
    try:
        strips = without_double_gaps(rendered(Reply(text, look), width, look))
    except Exception:
        # Rich raises all sorts on deep nesting in narrow windows; a reply must be readable in any case.
        strips = []
    return strips or plain(text, width, look.text)


def without_double_gaps(strips: list[Strip]) -> list[Strip]:
    """Rich leaves two empty rows behind some blocks; one is enough. Empty rows of code have a background and stay."""
    out: list[Strip] = []
    empty = True
    for strip in strips:
        before = empty
        empty = not strip.text.strip() and not any(part.style and part.style.bgcolor for part in strip)
        if not (empty and before):
            out.append(strip)
    return out[:-1] if out and empty else out


class Paragraph(base.Paragraph):
    def on_enter(self, context: Any) -> None:
        super().on_enter(context)
        self.text = ScriptText(justify="left")


class Heading(base.Heading):
    def on_enter(self, context: Any) -> None:
        super().on_enter(context)
        self.text = ScriptText("#" * int(self.tag[1:]) + " ", context.current_style)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text


class CodeBlock(base.CodeBlock):
    background = "default"

    @classmethod
    def create(cls, markdown: base.Markdown, token: Token) -> CodeBlock:
        lexer, _, _ = (token.info or "").partition(" ")
        block = cls(lexer or "text", markdown.code_theme)
        if isinstance(markdown, Reply):
            block.background = markdown.look.code_background
        return block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Syntax(
            str(self.text).rstrip("\n"),
            self.lexer_name,
            theme=self.theme,
            word_wrap=True,
            padding=(0, 1),
            background_color=self.background,
        )


class HorizontalRule(base.HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("─" * options.max_width, style="markdown.hr")


class Reply(base.Markdown):
    """One reply, parsed."""

    elements = {  # noqa: RUF012
        **base.Markdown.elements,
        "paragraph_open": Paragraph,
        "heading_open": Heading,
        "fence": CodeBlock,
        "code_block": CodeBlock,
        "hr": HorizontalRule,
    }

    def __init__(self, text: str, look: Look) -> None:
        super().__init__("", code_theme=look.code_theme, hyperlinks=False)
        self.look = look
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.parse(text)
        for token in self.parsed:
            for child in token.children or ():
                if child.type == "softbreak":
                    child.type = "hardbreak"
