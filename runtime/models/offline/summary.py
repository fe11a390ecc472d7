"""A summary by rule: the sentences in which the user told something, and what an earlier summary held."""

from __future__ import annotations

import re

from ..base import ModelRequest
from .acts import Told
from .facts import line_of
from .hearing import hear
from .phrasebook import phrasebook
from .sentences import sentences
from .stems import is_cjk
from .view import content, said

CHARACTERS_A_TOKEN = 2
MOST = 60


def summarise(request: ModelRequest) -> str:
    """What the messages of `request` told, the newest kept where not all of it fits."""
    texts = [said(content(message)) for message in request.messages if message["role"] != "system"]
    whole = "\n".join(texts)
    lines: list[str] = []
    for text in re.split(r"\n+", whole):
        for line in _told(text):
            if line not in lines:
                lines.append(line)
    room = request.max_tokens * CHARACTERS_A_TOKEN
    kept: list[str] = []
    for line in reversed(lines[-MOST:]):
        room -= len(line) + 3
        if room < 0:
            break
        kept.append(f"- {line}")
    opening = phrasebook("zh" if is_cjk(whole[:2000]) else "en").say("summary")
    return "\n".join([opening, *reversed(kept)])


def _told(text: str) -> list[str]:
    """The facts of one line; one that names its speaker is taken without the name, and the assistant's are left out."""
    spoken = re.match(r"^\s*(?:- )?(?:\[[^\]]*\] ?)*(?:\d{4}-\d\d-\d\d[ T\d:]* )?(user|assistant|tool|system)\b[^:]{0,30}: ?", text, re.IGNORECASE)
    if spoken:
        if spoken[1].lower() != "user":
            return []
        text = text[spoken.end() :]
    elif text.startswith("- "):
        return [text[2:].strip()]
    if not sentences(text):
        return []
    return [line_of(act) for act in hear(text) if isinstance(act, Told) and not act.partial]
