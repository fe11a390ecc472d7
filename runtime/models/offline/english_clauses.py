"""English clauses: whether words make one, and whether it says something of the user or of something definite."""

from __future__ import annotations

from .phrasebook import phrasebook
from .stems import IRREGULAR, word_set

VERBS = frozenset(phrasebook("en").words("grammar", "verbs"))
OWN = word_set("i my we our mine me us")


def complete(clause: str) -> bool:
    """Whether `clause` can stand on its own: it has a subject and a verb."""
    words = clause.lower().split()
    if len(words) < 3:
        return len(words) == 2 and words[0] in ("i", "we")
    if words[0] in ("i", "we") or words[1] in ("i", "we"):
        return True
    return any(
        word in VERBS
        or (word in IRREGULAR and word not in ("kids", "children", "men", "women", "left"))
        or (word.endswith("ed") and len(word) > 4)
        for word in words[1:]
    )


def declares(text: str) -> bool:
    """Whether `text` says something that may be worth keeping: of the user, or of something definite."""
    words = [word.strip(",.'\"").lower() for word in text.split()]
    if set(words) & OWN:
        return len(words) > 1
    verb = any(
        word in VERBS
        or word in IRREGULAR
        or (word.endswith("ed") and len(word) > 4)
        or (word.endswith("s") and len(word) > 3)
        or word == "died"
        for word in words[1:]
    )
    return (verb and len(words) > 2) or (len(words) == 2 and words[1] == "died" and text[:1].isupper())
