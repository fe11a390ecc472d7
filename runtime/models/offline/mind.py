"""Decides one step: the next tool calls, or the reply."""

from __future__ import annotations

from .acts import Asked, Forget, Small, Told
from .answering import answer, everything
from .forgetting import forget
from .hearing import hear
from .noting import note
from .phrasebook import phrasebook
from .step import Step
from .view import View

MOST_TOLD = 12
"""Facts of one message that are noted."""


def think(view: View) -> Step:
    """The next step of the turn that `view` shows."""
    step = Step()
    acts = hear(view.words)
    told = [act for act in acts if isinstance(act, Told)][:MOST_TOLD]
    if told:
        note(told, view, step)
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
    if not step.calls and not step.lines:
        step.say(phrasebook("en"), "confused")
    return step
