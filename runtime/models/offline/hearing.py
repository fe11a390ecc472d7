"""What a user's message does, sentence by sentence, in either language."""

from __future__ import annotations

from .acts import Act, Small, add
from .chinese import Chinese
from .english import English
from .sentences import sentences


def hear(text: str) -> list[Act]:
    """The acts of a message, in order. Small talk beside something that matters is left out."""
    english, chinese = English(), Chinese()
    acts: list[Act] = []
    for sentence in sentences(text):
        ear = english if sentence.language == "en" else chinese
        for act in ear.hear(sentence, acts[-1] if acts else None):
            add(acts, act)
    matters = [act for act in acts if not isinstance(act, Small) or act.kind in ("identity", "everything")]
    return matters or acts[:1]
