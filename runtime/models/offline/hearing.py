"""What a user's message does, sentence by sentence, in either language."""

from __future__ import annotations

from dataclasses import replace

from .acts import Act, Forget, Small, Told, add
from .chinese import Chinese
from .english import English
from .sentences import Sentence, sentences
from .stems import is_cjk
from .unkept import wanted


def hear(text: str) -> list[Act]:
    """The acts of a message, in order. Small talk beside something that matters is left out."""
    wish = wanted(text)
    if wish.leans:
        return [Forget("这个" if is_cjk(text) else "that", "zh" if is_cjk(text) else "en", "last")]
    english, chinese = English(), Chinese()
    acts: list[Act] = []
    for sentence in sentences(wish.heard):
        ear = english if sentence.language == "en" else chinese
        for act in _hear(ear, sentence, acts[-1] if acts else None):
            add(acts, act)
    if wish.heard != text:
        acts.append(Small("unkept", "zh" if is_cjk(text) else "en"))
    matters = [act for act in acts if not isinstance(act, Small) or act.kind in ("identity", "everything", "unkept")]
    return matters or acts[:1]


def _hear(ear: English | Chinese, sentence: Sentence, before: Act | None) -> list[Act]:
    """What a sentence does. Emoji stay in what it tells ("I love 🍕"), unless no template fits then."""
    corrects = ear.corrects
    plain = ear.hear(sentence, before)
    if sentence.whole == sentence.text:
        return plain
    after, ear.corrects = ear.corrects, corrects
    whole = ear.hear(replace(sentence, text=sentence.whole), before)
    more = _understood(whole) - _understood(plain)
    if more > 0 or (more == 0 and all(isinstance(act, Told) for act in [*plain, *whole])):
        return whole
    ear.corrects = after
    return plain


def _understood(acts: list[Act]) -> int:
    return sum(isinstance(act, Told) and bool(act.attribute) for act in acts)
