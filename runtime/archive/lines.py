"""Results as lines, the way models and people read them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from .files import name_in
from .query import Hit
from .terms import spoken, terms

LONGEST = 1500
"""Characters of a result; of a longer text the part is shown that is about the question."""


def line(hit: Hit, zone: ZoneInfo, *, question: str = "", scored: bool = False, most: int = LONGEST) -> str:
    """`- [p-abc123] 2026-01-01 fact: text`, with the score behind the date where it is wanted.

    What was imported says so: `document from guide.md`.
    """
    day = hit.at.astimezone(zone).date().isoformat()
    score = ""
    if scored:
        score = f" (weak, score {hit.score:.2f})" if hit.weak else f" (score {hit.score:.2f})"
    status = "" if hit.status == "active" else f", {hit.status}"
    file = name_in(hit.tags)
    origin = f" from {file}" if file else ""
    text = " ".join(excerpt(hit.text, question, most).split())
    return f"- [{hit.id}] {day}{score} {hit.label}{origin}{status}: {text}"


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
