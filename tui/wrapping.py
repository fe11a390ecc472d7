"""Text made safe for a terminal, and broken into lines where a reader of its script would break it.

Rich breaks at spaces alone, so that a Chinese sentence behind a short English word leaves most of a line empty. Here a
line may also end between two ideographs, though not before a closing mark nor after an opening one.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, split_graphemes
from rich.console import Console, JustifyMethod, OverflowMethod
from rich.containers import Lines
from rich.text import Text

_IDEOGRAPH = (
    r"\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3100-\u31ff\u3400-\u9fff"
    r"\uf900-\ufaff\uff10-\uff5a\U00020000-\U0003ffff"
)
_OPENING = r"「『（《〈【〔〖［｛“‘"
_CLOSING = r"」』）》〉】〕〗］｝”’，。、！？；：…—～·％"
_PIECE = re.compile(
    rf"\s*(?:[{_OPENING}(\[{{\"']*[{_IDEOGRAPH}][\u200d\ufe0e\ufe0f\u0300-\u036f\u3099\u309a]*[{_CLOSING},.!?:;)\]}}\"'%]*"
    rf"|[{_OPENING}]*[^\s{_IDEOGRAPH}{_OPENING}{_CLOSING}]+[{_CLOSING}]*"
    rf"|[{_OPENING}{_CLOSING}]+)\s*"
)

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """`text` without anything that a terminal would obey: controls become their pictures, as in `␛`.

    Marks that change the direction of what follows are left out, since they would reorder the app's own words.
    """
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code in (0x2028, 0x2029):
        return "\n"
    return "" if code >= 0x2000 and code < 0xD800 else "\ufffd"


def breaks(line: str, width: int) -> list[int]:
    """The offsets at which `line` (without line breaks) is cut so that each piece fits into `width` cells.

    Spaces at the end of a piece do not count.
    """
    width = max(width, 2)
    cuts: list[int] = []
    used = 0
    for match in _PIECE.finditer(line):
        piece = match[0]
        solid = cell_len(piece.rstrip())
        if used and used + solid > width:
            cuts.append(match.start())
            used = 0
        if solid <= width:
            used += cell_len(piece)
            continue
        for start, _end, cells in split_graphemes(piece)[0]:
            if used + cells > width:
                cuts.append(match.start() + start)
                used = 0
            used += cells
    return cuts


def wrap(text: str, width: int) -> list[str]:
    """`text` as rows of at most `width` cells."""
    rows: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        start = 0
        for cut in breaks(line, width):
            rows.append(line[start:cut].rstrip())
            start = cut
        rows.append(line[start:].rstrip())
    return rows


class ScriptText(Text):
    """Rich text that is broken by `breaks`."""

    def wrap(
        self,
        console: Console,
        width: int,
        *,
        justify: JustifyMethod | None = None,
        overflow: OverflowMethod | None = None,
        tab_size: int = 8,
        no_wrap: bool | None = None,
    ) -> Lines:
        if no_wrap or self.no_wrap or overflow == "ignore":
            return super().wrap(console, width, justify=justify, overflow=overflow, tab_size=tab_size, no_wrap=no_wrap)
        lines = Lines()
        for line in self.split(allow_blank=True):
            if "\t" in line:
                line.expand_tabs(tab_size)
            rows = line.divide(breaks(line.plain, width))
            for row in rows:
                row.rstrip_end(width)
            rows.justify(console, width, justify=justify or self.justify or "left", overflow="fold")
            lines.extend(rows)
        return lines
