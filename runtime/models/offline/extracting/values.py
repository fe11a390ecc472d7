"""The value of a fact, bare: "Nordlys Maps on 20 April, as a data engineer" is Nordlys Maps."""

from __future__ import annotations

import re
from datetime import date

from ....when import stretches
from ..phrasebook import Language

MOST = 120
"""Characters of a value."""
_CUT = re.compile(
    r",(?!\d)| [-–—] | (?:because|since|with|and|but|who|which|where|until|after|before|when|so|now|these days|as of|"
    r"for the|from|last|next|yesterday|today|at the moment)\b",
    re.I,
)
_TAIL = re.compile(
    r"[ ,]+(?:again|any ?more|too|as well|instead|for good|at last|finally|already|on|in|at|by|since|as|"
    r"(?:this|last|next) (?:week|month|year|morning|evening)|from now|right now|currently|of course)$",
    re.I,
)
_AS = re.compile(r" as (?:an?|the|their|its|head|chief|lead)\b.*$", re.I)
_BEFORE_DATE = re.compile(r"[ ,]*\b(?:on|in|at|by|since|from|as of|starting|until|till|to|around|the)\s*$", re.I)
_ARTICLE = re.compile(
    r"^(?:now|(?:newspaper|magazine|journal|paper|service)(?= [A-Z])|the|a|an|my|our|in|at|on|to|back (?:to|on|in|at)) "
)
_TAIL_ZH = re.compile(r"(?:了|的|啦|呢|吧|上班|工作)+$")
_PLACED = frozenset(("workplace", "home"))


def bare_value(text: str, attribute: str, language: Language, today: date) -> str:
    """`text` without what only tells when, why and as what; its own first words where nothing else is left."""
    if language == "zh":
        return (_TAIL_ZH.sub("", _undated(text, today)) or text)[:MOST]
    cut = _CUT.search(text)
    value = text[: cut.start()] if cut and cut.start() > 1 else text
    if attribute not in ("deadline", "schedule", "birthday", "age", "plan"):
        value = _undated(value, today)
    if attribute in _PLACED:
        value = _AS.sub("", value)
    while (shorter := _TAIL.sub("", value)) != value and shorter:
        value = shorter
    while (shorter := _ARTICLE.sub("", value.strip())) != value and shorter:
        value = shorter
    return value.strip(" ,.")[:MOST]


def _undated(text: str, today: date) -> str:
    """`text` up to the first date in it, and without the preposition before that."""
    found = next(iter(stretches(text, today)), None)
    if found is None or found.start < 2:
        return text
    return _BEFORE_DATE.sub("", text[: found.start].rstrip()) or text
