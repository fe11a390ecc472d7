"""Takes from a message what the user says in their own words: no document, no code, no quotation, no made-up scene."""

from __future__ import annotations

import re

from ..phrasebook import Language
from .keeping import keeping

_QUOTED = re.compile(
    r"[“\"「『]([^“”\"「」『』\n]{1,2000})[”\"」』]|(?<!\w)'([^'\n]{25,2000})'(?!\w)|(?:[“「『]|(?<!\S)\").*\Z",
    re.DOTALL,
)
_ANSWERED = re.compile(r"(?:^|(?<=[.?!:]) ?|\s)>\s[^\n]*")
"""What is quoted as mail programs do, in the middle of a line too."""
_NAMED = 3
"""Words up to which what stands in quotation marks is a name; of Chinese characters, twice as many."""
_ENDS = re.compile(r"[.!?。！？\n]\s*")


_TAKEN_BACK = re.compile(
    "(?:好了|行了|哈+)?[，,]?(?:我?不闹了|(?:刚才?)?(?:是)?[逗骗]你(?:玩)?(?:的|呢|啦)|(?<![不没爱欢])开个?玩笑(?:的|啦|呢|哈|而已))"
    "(?:[，,]我?(?:才|又)?(?:没|不是)[^，,。]*)?"
)
"""Takes back as a joke what was said before it."""
_SETTINGS = re.compile(r"(?:^[ \t]*[A-Za-z_][\w.-]*:[ \t]*[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
"""Lines of a settings file."""


def takes_back(text: str) -> bool:
    """Whether a Chinese message takes back as a joke what was said before it."""
    return _TAKEN_BACK.match(text) is not None


def own_words(text: str, language: Language) -> str:
    """The part of `text` that is the user's own."""
    if language == "zh":
        text = _SETTINGS.sub("", text[max((end.end() for end in _TAKEN_BACK.finditer(text)), default=0) :])
    for kind in ("fiction", "document"):
        found = keeping(language).pattern("drop", kind).search(text)
        if found:
            text = text[: max((end.end() for end in _ENDS.finditer(text, 0, found.start())), default=0)]
    text = _ANSWERED.sub(" ", text)
    code = keeping(language).pattern("drop", "code")
    text = "\n".join(line for line in text.split("\n") if not code.search(line) and not _shouted(line))
    return "\n".join(line for line in _QUOTED.sub(_unquoted, text).split("\n") if not code.search(line))


def _shouted(line: str) -> bool:
    """Whether a line is a notice in capitals, and not the user's own voice raised."""
    words = re.findall(r"[A-Za-z]{2,}", line)
    return len(words) > 3 and line.isupper() and not re.search(r"\b(?:I|I'M|MY|WE|OUR|ME)\b", line)


def _unquoted(found: re.Match[str]) -> str:
    inside = found[1] or ""
    named = len(inside.split()) <= _NAMED if inside.isascii() else len(inside) <= 2 * _NAMED
    return inside if named and not re.search(r"[.!?。！？，,]", inside) else " "
