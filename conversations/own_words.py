"""A script cannot contain its own answer: what is expected of a reply must not stand word for word in the reply that
the same step scripts. What a call found (`${results...}`), and what the runtime made of it, may be expected.
"""

from __future__ import annotations

import re
from typing import Any

from .source import Map, Mistake, Place
from .templates import TemplateError, literals

_HINT = "Cite what a call found, as in ${results[-1][0].text}, or expect it of a block, the archive or the request."


def check(steps: list[Any]) -> list[Mistake]:
    """The expectations of replies that scripted text alone would meet."""
    found: list[Mistake] = []
    said: list[str] = []
    for step in steps:
        if "say" in step or "resume" in step:
            said = _scripted(step.get("does", []))
        expected = step.get("expect")
        if said and isinstance(expected, Map) and "reply" in expected:
            found += _met(expected["reply"], expected.at("reply"), said)
    return found


def _scripted(replies: Any) -> list[str]:
    """The pieces of text that the replies of a step say word for word."""
    texts: list[str] = []
    for reply in [replies] if isinstance(replies, str) else replies:
        text = reply if isinstance(reply, str) else reply.get("text", "")
        try:
            texts += literals(text) if isinstance(text, str) else []
        except TemplateError:
            continue  # it is told of elsewhere
    return texts


def _met(expected: Any, place: Place, said: list[str]) -> list[Mistake]:
    if not isinstance(expected, Map):
        return [_mistake(place, text) for text in _texts(expected) if _holds(said, text)]
    found = [_mistake(expected.at("contains"), it) for it in _texts(expected.get("contains", [])) if _holds(said, it)]
    equals = expected.get("equals")
    if isinstance(equals, str) and any(piece.strip() == equals.strip() for piece in said):
        found.append(_mistake(expected.at("equals"), equals))
    pattern = expected.get("matches")
    if isinstance(pattern, str) and any(re.search(pattern, piece) for piece in said):
        found.append(_mistake(expected.at("matches"), pattern))
    return found


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]


def _holds(said: list[str], text: str) -> bool:
    return any(text.casefold() in piece.casefold() for piece in said)


def _mistake(place: Place, text: str) -> Mistake:
    return Mistake(place, f"the script contains its own answer: {text!r} is text that this step's `does` says.", _HINT)
