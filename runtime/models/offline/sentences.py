"""Cuts what the user said into sentences, leaving out what is quoted: code, quoted lines, and copies of our notes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...text import MARKERS
from .phrasebook import Language
from .stems import is_cjk

MOST = 8_000
"""Characters of a message that are read. A person says less at once; what is pasted is no disclosure."""
LONGEST = 400
"""Characters of a sentence that templates are matched against."""
MANY = 40
"""Sentences of a message that are read."""

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_COPIED = re.compile(rf"<({'|'.join(MARKERS)})\b[^>\n]{{0,200}}>(?:(?<=/>)|.*?(?:</\1>|\Z))", re.DOTALL | re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|- \[[\w:-]+\]).*$", re.MULTILINE)
_EMOTICON = re.compile(r"\s[:;]-?[)(DPp/]+")
_PICTURES = re.compile(r"(?:[\U0001F300-\U0001FAFF\u2600-\u27BF][\uFE0F\u200D\u20E3\U000E0020-\U000E007F]*)+|\uFE0F")
_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|etc|e\.g|i\.e|No|Inc|Ltd|approx|a\.m|p\.m|[A-Z])\.$")
_END = re.compile(r"(?<=[.!?…])[\"')\]”]*\s+|[ \t]*\n+\s*|(?<=[。！？；])|;\s+")
_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its last mark."""

    text: str
    """Its words, without pictures."""
    asks: bool
    """It ended in a question mark."""
    language: Language
    whole: str
    """Its words, with the emoji that stand among them."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of what the user said, the first of them if it is much."""
    return _read(text)[:MANY]


def unread(text: str) -> bool:
    """Whether `text` holds more than `sentences` reads of it."""
    return len(text) > MOST or len(_read(text)) > MANY


def _read(text: str) -> list[Sentence]:
    if len(text) > MOST:
        text = before_gap(text[:MOST])
    for quoted in (_CODE, _COPIED, _QUOTED_LINE):
        text = quoted.sub("\n", text)
    text = _EMOTICON.sub(" ", _CONTROL.sub(" ", text).replace("’", "'").replace("‘", "'"))
    found: list[Sentence] = []
    for piece, _ in pieces(text):
        _add(found, piece)
    return found


def pieces(text: str) -> list[tuple[str, str]]:
    """The sentences of `text` as they stand there, each with what parts it from the next."""
    found: list[tuple[str, str]] = []
    start = 0
    for end in _END.finditer(text):
        if not _ABBREVIATION.search(text[start : end.start()].strip()):
            found.append((text[start : end.start()], end[0]))
            start = end.end()
    return [*found, (text[start:], "")]


def before_gap(text: str) -> str:
    """`text` without its last sentence, whose end is missing."""
    return text[: max((end.end() for end in _END.finditer(text)), default=0)]


def after_gap(text: str) -> str:
    """`text` without its first sentence, whose beginning is missing."""
    end = _END.search(text)
    return text[end.end() :] if end else ""


def _add(found: list[Sentence], piece: str) -> None:
    piece = _LIST_MARK.sub("", piece.strip())
    plain = _PICTURES.sub(" ", piece).rstrip()
    bare = _bare(plain)
    if bare:
        tail = plain[-4:]
        found.append(Sentence(bare, "?" in tail or "？" in tail, "zh" if is_cjk(bare) else "en", _bare(piece)))


def _bare(piece: str) -> str:
    return re.sub(r"\s+", " ", piece).strip(' \t.!?…。！？；;~～"“”')
