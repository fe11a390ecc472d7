"""Enough of English noun phrases to find what a figure is of, before it or behind it."""

from __future__ import annotations

import re

from ..data import load
from ..stems import word_set

_TABLE: dict[str, str] = load("figures_en.toml")
_STOP, _JOINS = word_set(_TABLE["stop"]), word_set(_TABLE["joins"])
_OWN = frozenset(("the", "my", "our"))
_DETERMINERS = _OWN | {"a", "an"}
_ADVERB = re.compile(r" (?:now|just|already|currently|also|since|even|all|so far|\w+ly)$")

PRONOUNS = frozenset(("i", "we"))
"""The user, or the user's team, in place of a noun phrase."""
_OTHERS = frozenset(("his", "her", "their", "your", "its"))
_DAY = re.compile(
    r" (?:of|for|on|in|at) (?:the )?(?:\d.*|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b.*)$"
)


def before(text: str) -> str | None:
    """The noun phrase that a text ends with, or one of PRONOUNS; None where there is none.

    Of "..., which" and "... whose size" it is what these hang on: "the index", "the size of the index".
    """
    text = text.rstrip()
    while adverb := _ADVERB.search(text):
        text = text[: adverb.start()]
    if whose := re.search(r",? whose (?P<what>[\w' -]+)$", text):
        owner = before(text[: whose.start()])
        return f"the {whose['what']} of {owner}" if owner and owner not in PRONOUNS else None
    if which := re.search(r",? (?:which|that)$", text):
        return before(text[: which.start()])
    segment = re.split(r"[,;:()\"]| - ", text)[-1]
    words = segment.split()
    if words and words[-1].lower() in PRONOUNS:
        return words[-1].lower()
    found: list[str] = []
    for at in range(len(words) - 1, -1, -1):
        word, low = words[at], words[at].lower()
        earlier = words[at - 1].lower() if at else ""
        if low in _OTHERS:
            return None
        if low in _DETERMINERS:
            found.insert(0, low)
            if earlier not in _JOINS:
                break
        elif low in _JOINS:
            if not found or not earlier or earlier in _STOP | _JOINS | _DETERMINERS:
                break
            found.insert(0, word)
        elif low in _STOP or (low.endswith("ed") and earlier in _STOP | {""}):
            break
        else:
            found.insert(0, word)
    return _DAY.sub("", " ".join(found)) or None


def after(text: str, *, joined: bool) -> str:
    """The noun phrase that a text begins with; with `joined` the prepositional phrase: "on the helpdesk board"."""
    words = re.split(r"[,;:()?!]|\.(?:\s|$)", text)[0].split()
    found: list[str] = []
    if not words or (words[0].lower() in _JOINS) is not joined:
        return ""
    for word in words:
        low = word.lower()
        if low in _STOP or (low not in _JOINS | _DETERMINERS and re.search(r"\d", word)):
            break
        found.append(word)
    while found and found[-1].lower() in _JOINS | _DETERMINERS:
        found.pop()
    words = _DAY.sub("", f" {' '.join(found[:9])}").split()
    return " ".join(words[:-1] if len(words) > 2 and words[-1].endswith("ed") else words)
