"""What is asked in English: what looks like a question, and what stands before one."""

from __future__ import annotations

import re
from functools import cache

from .acts import Asked
from .ear import listed
from .person import open_up
from .phrasebook import phrasebook
from .stems import word_set

_AUXILIARY = word_set("am is are was were do does did can could will would should shall have has had")
_AFTER_AUXILIARY = word_set(
    "i we you my our the he she they it there any your this that anyone somebody someone these a"
)
ASKING = word_set("what which who whom whose when where why how")
_CLAUSE_AFTER_WH = word_set("i we my our the you he she it they")


def question(text: str, asks: bool) -> Asked | None:
    """What `text` asks, if it does; `asks` where a question mark says so."""
    book = phrasebook("en")
    asked = text
    prefixed = False
    while True:
        end = max((m.end() for p in _prefixes() if (m := p.match(asked, 0, 160))), default=0)
        rest = asked[end:].lstrip(" ,:-")
        if not end or not rest:
            break
        if (
            not asks
            and not prefixed
            and not inverted(rest)
            and not re.match(r"(?:if|whether|about|my|our|the name|where|what|who|when|how|why|which)\b", rest, re.I)
        ):
            break
        asked, prefixed = rest, True
    if not (asks or prefixed or inverted(asked)):
        return None
    low = f" {asked.lower()} "
    return Asked(
        asked,
        "en",
        book.about(re.sub(r"\s*,\s*", " ", open_up(asked, negations=False))) or book.about(_without_cues(asked)),
        previous=listed("en", "question", "previous").search(low) is not None,
        current=listed("en", "question", "current").search(low) is not None,
    )


def inverted(text: str) -> bool:
    """Whether `text` has a question's word order."""
    words = [word.strip(",.:").lower() for word in text.split()[:3]]
    if len(words) < 2:
        return bool(words) and words[0] in ASKING
    if words[0] in ASKING:
        return not clause_after(text)
    if words[0] in _AUXILIARY or words[0].removesuffix("n't") in _AUXILIARY:
        return words[1] in _AFTER_AUXILIARY
    return words[0] in ("in", "at", "on", "for", "with", "to", "from", "by", "since", "of") and words[1] in ASKING


def clause_after(text: str) -> bool:
    """Whether a question's word only opens a clause: "when I was ten", "what I like is"."""
    words = text.lower().split()
    return len(words) > 1 and words[0] != "which" and words[1] in _CLAUSE_AFTER_WH


def _without_cues(question: str) -> str:
    bare = listed("en", "question", "current").sub("", listed("en", "question", "previous").sub("", question))
    return re.sub(r"\s+", " ", bare).strip(" ,")


@cache
def _prefixes() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(pattern.source() + r"(?:\s*[,:-]\s*|\s+)", re.IGNORECASE)
        for pattern in phrasebook("en").patterns("question", "prefix")
    )
