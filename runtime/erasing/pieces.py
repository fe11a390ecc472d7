"""A text as pieces, and what is left of it when some of them are erased.

A piece never spans lines, and what becomes of a line depends on that line alone. So it makes no difference whether
texts are first joined by line breaks and then erased from, or the other way round: folding does the former.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..context.parts import ERASED, is_erased

_BREAK = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")


def pieces_of(text: str) -> Iterator[str]:
    """The pieces of a text that say something, without the space around them."""
    for line in text.split("\n"):
        for piece, _gap in _cut(line):
            if (core := piece.strip()) and core != ERASED:
                yield core


def erased(text: str, gone: Callable[[str], bool]) -> str:
    """`text` with one marker in the place of each run of pieces that are `gone`; itself where none is."""
    lines = text.split("\n")
    new = [_erased(line, gone) for line in lines]
    return text if new == lines else "\n".join(new)


def without_marks(text: str) -> str:
    """What is left of a text, without the markers, and without the lines that hold nothing else."""
    lines = [(line, " ".join(line.replace(ERASED, " ").split(" "))) for line in text.split("\n")]
    return "\n".join(line if ERASED not in line else rest.strip() for line, rest in lines if not is_erased(line))


def _erased(line: str, gone: Callable[[str], bool]) -> str:
    out: list[str] = []
    before = False
    for piece, gap in _cut(line):
        core = piece.strip()
        now = bool(core) and core != ERASED and gone(core)
        if now and before:
            out[-1] = gap  # one marker stands for both
        else:
            out += [piece.replace(core, ERASED) if now else piece, gap]
        before = now
    return "".join(out)


def _cut(line: str) -> Iterator[tuple[str, str]]:
    """The sentences of a line, each with the space behind it."""
    start = 0
    for match in _BREAK.finditer(line):
        if match.start() > start:
            yield line[start : match.start()], match[0]
            start = match.end()
    if start < len(line):
        yield line[start:], ""
