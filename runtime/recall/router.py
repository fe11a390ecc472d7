"""What is looked for in memory before a turn, if anything: the question made whole, its kind, and its time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from ..archive.terms import count_words
from ..when.asked import When, when_of, without_dates
from .rewriting import Said, rewritten
from .small_talk import may_go_on, worth_looking

SIMPLE = 3
"""Memories that a simple question is given at most, ..."""
COMPLEX = 8
"""... and a complex one."""
MANY_WORDS = 25
"""Words from which on a message is complex."""
ASKED = 1200
"""Characters of the user's words that are searched for: of longer ones the beginning and the end."""

_KINDS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (kinds, re.compile(pattern, re.IGNORECASE))
    for kinds, pattern in (
        (("rule",), r"\b(?:ground|house|standing|our|my|the) rules?\b|规则|规矩"),
        (
            ("skill",),
            r"\bhow (?:do|did) (?:I|we) (?:usually|normally|always)\b|\b(?:steps|procedure|workflow) (?:for|to)\b|"
            r"步骤|流程",
        ),
        (
            ("document",),
            r"\b(?:according to|in) (?:the|my|our) (?:\w+ )?(?:documents?|manual|handbook|guide|file|notes)\b|"
            r"文档|手册|文件里",
        ),
        (("insight",), r"\bwhat (?:have you noticed|patterns?)\b|\bdo I tend to\b|你发现了?什么|规律"),
        (
            ("episode",),
            r"\bwhen (?:did|was|were|have|had)\b|\bhow long ago\b|\blast time\b|\bwhat happened\b|"
            r"\b(?:what|which|who|where)\b[\w '’-]{0,40} (?:did|have) (?:I|we|he|she|they|my [\w-]+) "
            r"(?:decide|agree|do|done|plan|buy|bought|order|promise|meet|met|go|gone|visit|see|seen|attend|cook|watch|read|"
            r"finish|start|win|lose|break|repair|fix|book|choose|chose|pick|send|sent|sign|celebrate)\w*\b|"
            r"什么时候|何时|哪天|上次|发生了什么|(?:决定|做|买|去|见|看)(?:了|过)(?:什么|谁|哪)",
        ),
    )
)
_COMPLEX = re.compile(
    r"\b(?:compare|summari[sz]e|summary|overview|recap|plan|prepare|recommend|suggest|advi[cs]e|everything|all|each|every|"
    r"list|both|between|history|timeline|why|how come|explain|relat(?:e|ion)|differ\w*|help me|"
    r"what do you (?:know|remember)|"
    r"which of|how many|as well as|along with)\b|为什么|比较|总结|列出|所有|哪些|推荐|建议|计划|全部|分别|区别|几个",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[?？][^?？]*[?？]|\band\b[^?？.]*[?？]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Route:
    """How memory is searched for the user's words."""

    text: str
    """What is searched for."""
    when: When = field(default_factory=When)
    kinds: tuple[str, ...] = ()
    """The kinds of memories that are looked for first; all of them where it is empty."""
    most: int = SIMPLE
    """Memories that are wanted at most."""


def route(words: str, before: Sequence[Said], now: datetime, zone: ZoneInfo) -> Route | None:
    """How to search for `words`, said after the messages `before` them, oldest first; None where that is nothing."""
    if not worth_looking(words) and not may_go_on(words):
        return None
    whole = rewritten(words, before)
    if not worth_looking(whole):
        return None
    when = when_of(whole, now, zone)
    kinds = () if when.span else next((kinds for kinds, shows in _KINDS if shows.search(whole)), ())
    # What held in March need not say "March".
    text = without_dates(whole, now, zone) if when.span else whole
    return Route(_cut(text), when, kinds, COMPLEX if is_complex(words) else SIMPLE)


def is_complex(words: str) -> bool:
    """Whether `words` want several memories: they ask for much, for more than one thing, or say much."""
    return _COMPLEX.search(words) is not None or _SEVERAL.search(words) is not None or count_words(words) >= MANY_WORDS


def _cut(text: str) -> str:
    return text if len(text) <= ASKED else f"{text[: ASKED // 2]}\n{text[-ASKED // 2 :]}"
