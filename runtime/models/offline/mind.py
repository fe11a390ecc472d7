"""Decides one step: the next tool calls, or the reply."""

from __future__ import annotations

from .acts import Asked, Forget, Small, Told
from .answering import answer, everything
from .forgetting import forget
from .hearing import hear
from .noting import note
from .phrasebook import Language, phrasebook
from .sentences import unread
from .stems import is_cjk
from .step import Step
from .view import View

MOST_TOLD = 12
"""Facts of one message that are noted."""
_FIRST: dict[Language, str] = {
    "en": "Only the beginning of this message was noted. The rest of it is in the conversation log alone.",
    "zh": "这条消息我只记下了前面的部分，其余的只保存在对话记录里。",
}
_PART: dict[Language, str] = {
    "en": "Only part of this message was read: it is too long for me. The whole is in the conversation log.",
    "zh": "这条消息太长，我只读了一部分。全文保存在对话记录里。",
}


def think(view: View) -> Step:
    """The next step of the turn that `view` shows."""
    step = Step()
    acts = hear(view.words)
    told = [act for act in acts if isinstance(act, Told)]
    if told:
        note(told[:MOST_TOLD], view, step)
    for act in acts:
        if isinstance(act, Asked):
            answer(act, view, step)
        elif isinstance(act, Forget):
            forget(act, view, step)
        elif isinstance(act, Small):
            if act.kind == "everything":
                everything(act, view, step)
            else:
                step.say(phrasebook(act.language), act.kind)
    if step.calls:
        return step
    language = acts[0].language if acts else _language(view)
    if not step.lines:
        step.say(phrasebook(language), "confused")
    if len(told) > MOST_TOLD:
        step.lines.append(_FIRST[language])
    elif view.gap or unread(view.words):
        step.lines.append(_PART[language])
    return step


def _language(view: View) -> Language:
    """The language of a message without words: that of its marks, or else of what was said before."""
    if is_cjk(view.words) or any(mark in view.words for mark in "。！？，；、：「」（）"):
        return "zh"
    return "zh" if is_cjk(view.last_words) and not any(c.isalpha() for c in view.words) else "en"
