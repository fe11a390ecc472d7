"""Results as lines, the way models and people read them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from .files import name_in
from .query import Hit
from .terms import spoken, terms

LONGEST = 1500
"""Characters of a result; of a longer text the part is shown that is about the question."""


def line(hit: Hit, zone: ZoneInfo, *, question: str = "", scored: bool = False, most: int = LONGEST) -> str:
    """`- [p-0fk3a2] 2026-01-01 fact: text`, with the score behind the date where it is wanted.

    What was imported says so (`document from guide.md`, `fact, imported`), what was replaced says until when it held
    (`fact, superseded, 2024-03 to 2026-01-17`), and two that contradict each other name each other.
    """
    day = hit.at.astimezone(zone).date().isoformat()
    score = ""
    if scored:
        score = f" (weak, score {hit.score:.2f})" if hit.weak else f" (score {hit.score:.2f})"
    text = " ".join(excerpt(hit.text, question, most).split())
    return f"- [{hit.short or hit.id}] {day}{score} {', '.join([hit.label + _origin(hit), *_marks(hit, zone)])}: {text}"


def _origin(hit: Hit) -> str:
    file = name_in(hit.tags)
    return f" from {file}" if file else ""


def _marks(hit: Hit, zone: ZoneInfo) -> list[str]:
    """What is said of a memory beside its kind."""
    marks = ["imported"] if hit.basis == "imported" and hit.label != "document" else []
    if hit.status != "active":
        marks.append(hit.status)
    if hit.disputes:
        marks.append(f"disputes {_named(hit, hit.disputes)}")
    if hit.disputed_by:
        marks.append(f"disputed by {' '.join(_named(hit, one) for one in hit.disputed_by)}")
    if hit.newer:
        marks.append(f"newer figure in {_named(hit, hit.newer)}")
    return [*marks, *_interval(hit, zone)]


def _named(hit: Hit, other: str) -> str:
    return hit.shorts.get(other, other)


def _interval(hit: Hit, zone: ZoneInfo) -> list[str]:
    """From when to when it held, where it does not simply hold since the day that the line has anyway."""
    start = _bound(hit.valid_from, zone) if hit.valid_from else ""
    if hit.valid_to:
        end = _bound(hit.valid_to, zone)
        return [f"{start} to {end}" if start else f"until {end}"]
    known = hit.valid_from is None or hit.valid_from.astimezone(zone).date() == hit.at.astimezone(zone).date()
    return [] if (known and hit.status == "active") or not start else [f"since {start}"]


def _bound(at: datetime, zone: ZoneInfo) -> str:
    """The day at which something began or ended; the first of a month is the month."""
    day = at.astimezone(zone).date()
    return f"{day:%Y-%m}" if day.day == 1 else day.isoformat()


def excerpt(text: str, question: str, most: int) -> str:
    """`text`, or the `most` characters of it in which the most of the question's terms stand, between dots."""
    if len(text) <= most:
        return text
    wanted = set(terms(question))
    step = max(most // 2, 1)
    starts = range(0, max(len(text) - most, 1) + step - 1, step)
    # Only so many places are looked at: a text may have a million characters.
    tried = [starts[i * len(starts) // 200] for i in range(200)] if len(starts) > 200 else list(starts)
    best = max(tried, key=lambda at: (len(wanted.intersection(terms(text[at : at + most]))), -at)) if wanted else 0
    start = min(best, len(text) - most)
    return ("… " if start else "") + text[start : start + most].strip() + (" …" if start + most < len(text) else "")


def subject(text: str) -> list[str]:
    """The words of `text` that carry a subject."""
    return [word for word, found in spoken(text) if found]
