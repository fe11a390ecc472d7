"""Plain text: cut between paragraphs."""

from __future__ import annotations

from collections.abc import Iterator

from ..chunks import LONGEST
from .blocks import Block, Packer


def pieces(lines: Iterator[str], longest: int = LONGEST) -> Iterator[str]:
    """A text in pieces of at most `longest` characters; nothing but white space between them is lost."""
    packer = Packer(longest)
    for paragraph in _paragraphs(lines):
        yield from packer.add(paragraph)
    yield from packer.end()


def _paragraphs(lines: Iterator[str]) -> Iterator[str]:
    """The paragraphs, each with the empty lines after it."""
    block = Block()
    ended = False
    for line in lines:
        blank = not line.strip()
        if block.full or (ended and not blank):
            yield block.take()
        block.add(line)
        ended = blank
    yield block.take()
