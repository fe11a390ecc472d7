"""Markdown: cut at headings, then between blocks. Each piece says the headings that it stands under.

A piece's first line is their path, as in `Guide > Install`; the headings themselves are left out. Code between fences
is cut only where it is longer than a passage. Front matter is a piece of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ..chunks import LONGEST
from .blocks import Block, Packer

TITLE = 100
"""Characters of a heading in a path. A longer one also stays in the text."""
BETWEEN = " > "
FRONT = 200
"""Lines within which front matter has to end."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\n?$")
_TITLE = re.compile(r" {0,3}(?![-*+>|#`~=]|\d+[.)])\S.*\n$")
"""A line that an underline makes a heading."""
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(`{3,}(?=[^`]*$)|~{3,})")
_FRONT_END = re.compile(r"(---|\.\.\.)[ \t]*\n?$")


def pieces(lines: Iterator[str], longest: int = LONGEST) -> Iterator[str]:
    """A document in pieces of at most `longest` characters. `longest` must be more than six headings take."""
    front, lines = _front_matter(lines)
    packer = Packer(longest)
    yield from packer.add(front)
    yield from packer.end()
    path = _Path()
    for block in _blocks(lines):
        if isinstance(block, str):
            yield from map(path.above, packer.add(block))
            continue
        yield from map(path.above, packer.end())
        level, title, source = block
        if path.unsaid(level):
            yield path.text
        path.enter(level, title)
        packer = Packer(longest - len(path.text) - 1)
        if len(title) > TITLE:
            yield from map(path.above, packer.add(source))
    yield from map(path.above, packer.end())
    if path.unsaid(0):
        yield path.text


class _Path:
    """The headings above the present place."""

    def __init__(self) -> None:
        self._titles: list[tuple[int, str]] = []
        self._said = True
        self.text = ""

    def enter(self, level: int, title: str) -> None:
        """Come to a heading."""
        self._titles = [one for one in self._titles if one[0] < level]
        short = title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"
        self._titles.append((level, short))
        self.text = BETWEEN.join(title for _, title in self._titles)
        self._said = False

    def above(self, piece: str) -> str:
        """The piece with the path above it."""
        self._said = True
        return f"{self.text}\n{piece}" if self.text else piece

    def unsaid(self, level: int) -> bool:
        """Whether the last heading has nothing under it, and none of `level` that would say it in its own path."""
        return not self._said and level <= self._titles[-1][0]


def _front_matter(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """What stands between lines of dashes at the start of a document, and the lines after it."""
    seen: list[str] = []
    for line in lines:
        seen.append(line)
        if len(seen) == 1 and line.rstrip() != "---":
            break
        if len(seen) > 1 and _FRONT_END.match(line):
            return "".join(seen), lines
        if len(seen) > FRONT:
            break
    return "", chain(seen, lines)


def _blocks(lines: Iterator[str]) -> Iterator[str | tuple[int, str, str]]:
    """The blocks, each with the empty lines after it; of a heading its level, its title and its source."""
    block, fence, ended = Block(), "", False
    for line in lines:
        if block.full:
            yield block.take()
        if fence:
            block.add(line)
            if _closes(line, fence):
                yield block.take()
                fence, ended = "", False
            continue
        if opened := _FENCE.match(line):
            yield block.take()
            block.add(line)
            fence = opened[1]
            continue
        if (heading := _HEADING.match(line)) and (title := _title(line[heading.end() :])):
            yield block.take()
            yield len(heading[1]), title, line
            ended = False
            continue
        if block.lines == 1 and not ended and (underline := _UNDERLINE.match(line)):
            above = block.take()
            if _TITLE.match(above):
                yield 1 if underline[1][0] == "=" else 2, above.strip(), above
                continue
            block.add(above)
        blank = not line.strip()
        if ended and not blank:
            yield block.take()
        block.add(line)
        ended = blank
    yield block.take()


def _title(text: str) -> str:
    """What a heading says, without the marks that may close it; empty where it says nothing."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and (not bare or bare[-1] in " \t") else text


def _closes(line: str, fence: str) -> bool:
    bare = line.strip().lstrip("> \t")
    return len(bare) >= len(fence) and set(bare) == {fence[0]}
