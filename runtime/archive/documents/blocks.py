"""Putting blocks of a document (paragraphs, lists, code) together into pieces that are no longer than a passage."""

from __future__ import annotations

from collections.abc import Iterator

from ..chunks import chunk

LARGEST = 32_768
"""Characters after which a block comes in parts, so that a document without structure need not be in memory whole."""


class Packer:
    """Joins blocks for as long as they fit into `room` characters, and cuts only those that alone are too long."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._held = ""

    def add(self, block: str) -> Iterator[str]:
        """Take a block, with the white space around it; yield the pieces that are complete."""
        if not block.strip():
            block = block[:2]  # else a file of nothing but line breaks would be held in memory
        if len((self._held + block).strip("\n")) <= self._room:
            self._held += block
            return
        yield from self.end()
        if len(block.strip("\n")) <= self._room:
            self._held = block
        else:
            yield from chunk(block, self._room)

    def end(self) -> Iterator[str]:
        """Yield what is left."""
        piece, self._held = self._held.strip("\n"), ""
        if piece.strip():
            yield piece


class Block:
    """The lines of a block as they come."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0

    def add(self, line: str) -> None:
        """Take another line."""
        self._lines.append(line)
        self._size += len(line)

    @property
    def full(self) -> bool:
        """Whether it is so large that it is to be passed on before it ends."""
        return self._size > LARGEST

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self._lines)

    def take(self) -> str:
        """All of it, which leaves it empty."""
        text = "".join(self._lines)
        self._lines, self._size = [], 0
        return text
