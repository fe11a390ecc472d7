"""A summary by rule: the sentences in which the user told something, and what an earlier summary held."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...text import unescape
from ..base import ModelRequest
from .acts import Told
from .facts import line_of
from .hearing import hear
from .marks import GAP, content, without_notes
from .phrasebook import phrasebook
from .sentences import after_gap, before_gap, sentences
from .stems import is_cjk

_SPOKEN = re.compile(r"(?:\d{4}-\d\d-\d\d )?(user|assistant|tool): ", re.IGNORECASE)
CHARACTERS_A_TOKEN = 2
MOST = 60


def summarise(request: ModelRequest) -> str:
    """What the messages of `request` told, the newest kept where not all of it fits."""
    texts = [without_notes(content(message)) for message in request.messages if message["role"] != "system"]
    whole = "\n".join(texts)
    lines = list(dict.fromkeys(_lines(whole)))
    room = request.max_tokens * CHARACTERS_A_TOKEN
    kept: list[str] = []
    for line in reversed(lines[-MOST:]):
        room -= len(line) + 3
        if room < 0:
            break
        kept.append(f"- {line}")
    opening = phrasebook("zh" if is_cjk(whole[:2000]) else "en").say("summary")
    return "\n".join([opening, *reversed(kept)])


def _lines(text: str) -> Iterator[str]:
    """The facts of a transcript: the points of the summary before it, then what the user told."""
    speaker = "summary"
    lines = [*text.split("\n"), ""]
    gap = False
    for line, following in pairwise(lines):
        after, gap = gap, GAP.fullmatch(line) is not None
        if gap:
            continue
        spoken = _SPOKEN.match(line)
        if spoken:
            speaker = spoken[1].lower()
            line = line[spoken.end() :]
        # Of a sentence that is shown in part nothing is taken.
        line = after_gap(line) if after else line
        line = unescape(before_gap(line) if GAP.fullmatch(following) else line)
        if speaker == "user" and sentences(line):
            yield from (line_of(act) for act in hear(line) if isinstance(act, Told) and not act.partial)
        elif speaker == "summary" and line.startswith("- "):
            yield line[2:].strip()
