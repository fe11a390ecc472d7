"""Cutting a long text into passages, where its structure allows: headings, paragraphs, lines, sentences, words."""

from __future__ import annotations

import re

LONGEST = 1200
"""Characters of a passage. A longer one says so much at once that its vector says nothing."""

_CUTS = (
    re.compile(r"\n(?=#{1,6} )"),
    re.compile(r"\n[ \t]*\n+"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；…])"),
    re.compile(r"\s+"),
)


def chunk(text: str, longest: int = LONGEST) -> list[str]:
    """`text` in pieces of at most `longest` characters, in order; nothing but white space between them is lost.

    A text that is short enough is one piece, exactly as it is.
    """
    if len(text) <= longest:
        return [text]
    return [piece for piece in _split(text, longest, 0) if piece.strip()]


def _split(text: str, longest: int, level: int) -> list[str]:
    """Cut at the coarsest structure there is, then join what fits together."""
    if len(text) <= longest:
        return [text.strip("\n")]
    if level == len(_CUTS):
        return [text[i : i + longest] for i in range(0, len(text), longest)]
    out: list[str] = []
    held_start = held_end = 0
    for start, end in _spans(text, _CUTS[level]):
        if end - held_start <= longest:
            held_end = end
            continue
        if held_end > held_start:
            out += _split(text[held_start:held_end], longest, level + 1)
        held_start, held_end = start, end
    if held_start == 0 and held_end == len(text):
        return _split(text, longest, level + 1)
    return out + _split(text[held_start:held_end], longest, level + 1)


def _spans(text: str, cut: re.Pattern[str]) -> list[tuple[int, int]]:
    out, start = [], 0
    for found in cut.finditer(text):
        if found.start() > start:
            out.append((start, found.start()))
        start = found.end()
    if start < len(text):
        out.append((start, len(text)))
    return out
