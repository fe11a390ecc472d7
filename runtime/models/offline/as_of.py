"""Answers how things stood on an earlier day, from the intervals in which memories held."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from ...when.asked import when_of, without_dates
from .acts import Asked
from .phrasebook import phrasebook
from .question import expansion
from .recall import ENOUGH, Hit, ranked
from .step import Step
from .view import View

MOST = 10


def as_of(asked: Asked, view: View) -> tuple[Asked, str] | None:
    """The question without its date, and the day that it asks about; None where it asks about now, or no day."""
    if not view.today:
        return None
    zone = ZoneInfo(view.zone)
    now = datetime.combine(datetime.fromisoformat(view.today).date(), time(12), zone)
    span = when_of(asked.text, now, zone).span
    if span is None:
        return None
    # Of a longer time, such as a month, its last day stands for it.
    day = min(span[1] - timedelta(microseconds=1), now).astimezone(zone).date()
    bare = without_dates(asked.text, now, zone)
    about = phrasebook(asked.language).about(in_present(bare))
    return replace(asked, text=bare, about=about, previous=False, current=False), day.isoformat()


def in_present(question: str) -> str:
    """ "Where did I live" as it is asked of today, "where do I live": so are those questions put that others stand
    for."""
    for pattern, word in _PAST:
        question = pattern.sub(word, question)
    return question.rstrip(" ?？,")


_PAST = tuple(
    (re.compile(rf"\b{past}\b", re.IGNORECASE), present)
    for past, present in (
        ("did", "do"),
        ("was(?= I)", "am"),
        ("was", "is"),
        ("were", "are"),
        ("could", "can"),
        ("had(?= (?:I|we))", "have"),
    )
)


def looked_up(asked: Asked, day: str, view: View, step: Step) -> bool:
    """Ask for the searches that were not made yet; whether there were any."""
    made = {(call.name, call.arguments.get("query"), call.arguments.get("as_of")) for call in view.done}
    wanted = False
    for words in filter(None, (asked.text, expansion(asked))):
        if view.can("archival_search") and ("archival_search", words, day) not in made:
            step.call("archival_search", query=words, as_of=day, limit=MOST)
            wanted = True
    return wanted


def standing(ways: Sequence[Asked | None], day: str, view: View) -> list[Hit]:
    """What held on that day and answers a question that is put in one of these ways.

    The best comes first: of what was told by then or is known to have ended since, or else of the blocks, which say how
    things stand now, or else of what was told later.
    """
    passages = [replace(item, over=False) for item in view.passages() if item.held(day)]
    told = [item for item in passages if item.since or item.until or item.date <= day]
    later = [item for item in passages if item not in told]
    for items in (told, view.lines(), later):
        hits = [hit for hit in ranked(ways, items) if not hit.former and hit.fit >= ENOUGH]
        if hits:
            return hits
    return []
