"""Finds what answers a question among the memories that a request shows, by shared words and meanings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .acts import Asked
from .data import load
from .facts import Fact, fact, owner
from .items import Item
from .person import to_first
from .question import Question, question
from .reading import read
from .stems import is_cjk
from .subjects import asked_about, fits, is_meant, named_in
from .words import Term, Terms, closeness, meeting, terms

SURE = 0.9
"""From this fit on, a memory in view answers without a search."""
ENOUGH = 0.5
"""From this fit on, a memory answers."""
NEAR = 0.15
"""From this fit on, a memory may be offered as the closest."""
BESIDE = 0.88
"""Memories that fit nearly as well as the best, by this share, are told with it."""
FAR = 0.35
"""From this score of a search on, what shares no word with a question may still be offered as the closest."""
MOST = 6
_TOLD: dict[str, str] = load("words.toml")["told"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that fits a question."""

    item: Item
    fact: Fact
    text: str
    """The sentence of it that fits: what is so now, or what was before."""
    former: bool
    fit: float


def rank(asked: Asked, items: list[Item]) -> list[Hit]:
    """The memories that fit, the best first. Of a corrected memory, what holds now and what was before stand apart."""
    query = question(asked)
    hits = [hit for item in items if item.text for hit in _hits(query, item)]
    order = {"block": 2, "passage": 2, "summary": 0, "message": 1}
    hits.sort(key=lambda hit: (round(hit.fit, 3), order[hit.item.source], hit.item.date), reverse=True)
    return hits


def ranked(ways: Sequence[Asked | None], items: list[Item]) -> list[Hit]:
    """The memories that fit a question which may be put in several ways, the best first, each as it fits best."""
    hits = [hit for way in ways if way is not None for hit in rank(way, items)]
    best: dict[tuple[str, str], Hit] = {}
    # In the order of `rank`, which also says what comes first among those that fit alike.
    for hit in sorted(hits, key=lambda hit: -round(hit.fit, 3)):
        best.setdefault((hit.item.ref, hit.text), hit)
    return list(best.values())


def _hits(query: Question, item: Item) -> list[Hit]:
    known = fact(item.text)
    if item.over:
        # What was superseded tells what used to be, and is told only where that is asked for.
        return [Hit(item, known, known.text, True, _lifted(_fit(query, known)) - 0.05)] if query.asked.previous else []
    bonus = 0.08 if item.score >= 0.5 and not item.weak else 0.0
    over = known.past
    now = _fit(query, known)
    hits: list[Hit] = []
    olds = [fact(text) for text in known.before]
    # What replaced something is about the same thing, whatever words it uses.
    of_another = (
        named_in(known.text) and asked_about(query.asked.text).names and not is_meant(query.asked.text, known.text)
    )
    carried = 0.0 if of_another else max((_fit(query, old) for old in olds), default=0.0)
    now = max(now, 0.97 * carried)
    asks_old, asks_now = query.asked.previous, query.asked.current
    if asks_old and not asks_now:
        if over or olds:
            hits.extend(Hit(item, known, known.text, True, _lifted(now)) for _ in range(1) if over)
            hits.extend(
                Hit(item, known, old.text, True, _lifted(max(_fit(query, old), 0.9 * now)) - 0.01 * n)
                for n, old in enumerate(olds)
            )
        hits.append(Hit(item, known, known.text, over, now))
        return [Hit(h.item, h.fact, h.text, h.former, h.fit + bonus) for h in hits]
    hits.append(Hit(item, known, known.text, over, now * (0.8 if over else 1.0) + bonus))
    if not asks_now:
        # A question that names the old value is about the old value.
        hits.extend(Hit(item, known, old.text, True, _fit(query, old) * 0.9 + bonus) for old in olds)
    return hits


def _lifted(fit: float) -> float:
    """The fit of what was before, where that is asked for."""
    return fit + 0.3 if fit >= 0.3 else fit


def _fit(query: Question, known: Fact) -> float:
    """How well a fact answers, from the question's words that it holds: 0 to about 1."""
    there = told(known.text)
    total, got = _matched(query, there)
    for kind in query.types:
        weight = 1.0 if kind == "reason" else 0.4
        total += weight
        # A place may be told by its name alone.
        near = 1.0 if kind in there.types else 0.8 if kind == "place" and "name" in there.types else 0.0
        got += weight * near
    if not total or not got:
        return 0.0
    share = got / total
    if query.own:
        named, found = _matched(replace(query, terms=query.own), there)
        own = found / named if named else 0.0
        share = max(0.9 * share + 0.1 * own, 0.95 * own)
    if query.focus:
        best = max(closeness(term, there) for term in query.focus)
        if best <= 0.5:
            # A kind that the tables know would have been found; of another one nobody can tell.
            share *= 0.45 if any(term.names for term in query.focus) else 0.75
    share *= _same_subject(query, known)
    if _polarity(query.asked.text, query.terms) * _polarity(known.text, there.terms) < 0:
        share *= 0.75
    # The day itself is the answer to when, and nothing beside the point.
    words = [term for term in there.terms if not ("date" in query.types and _is_date(term))]
    named = sum(term.weight for term in words)
    matched = sum(term.weight for term in words if any(_meets(term, asked) for asked in query.terms))
    precision = matched / named if named else 0.0
    return share * (0.88 + 0.12 * precision)


@lru_cache(maxsize=4096)
def told(text: str) -> Terms:
    """What a sentence is about, and what it tells of whom by its reading: a workplace where it says "is at"."""
    about = fact(text).terms
    found = [terms(_TOLD.get(one.attribute, one.attribute)).terms for one in read(text)]
    # By what it means, as where a template implies it, and by the words themselves.
    meant = [Term("", 0.0, frozenset(name for term in every for name in term.names), frozenset()) for every in found]
    words = [replace(term, weight=0.0) for every in found for term in every]
    return replace(about, terms=(*about.terms, *words, *meant)) if found else about


def answered(asked: Asked, known: Fact) -> frozenset[str]:
    """The telling words of a question that a fact holds, as they are or in other words."""
    words = [term for term in question(asked).terms if term.weight > 0.4]
    there = told(known.text)
    return frozenset(term.stem for term in words if closeness(term, there) >= 0.5)


def in_so_many_words(asked: Asked, known: Fact) -> frozenset[str]:
    """The telling words of a question that a fact holds as they are."""
    return frozenset(term.stem for term in question(asked).terms if term.weight > 0.4) & known.terms.stems


def _matched(query: Question, there: Terms) -> tuple[float, float]:
    """The weight of a question's words, and of what of them a text holds. A word of the text answers one of them."""
    got = 0.0
    left = list(there.terms)
    for term in sorted(query.terms, key=lambda term: -term.weight * closeness(term, there)):
        if is_cjk(term.stem) and term.stem in there.raw:
            got += term.weight
            continue
        near, best = max(((meeting(term, other), n) for n, other in enumerate(left)), default=(0.0, -1))
        if near:
            # A question that stands for its meaning is met in full by the meaning.
            if not term.stem:
                implied = not left[best].stem and left[best].strength == 1.0
                near = 1.0 if implied else near / 0.85
            got += term.weight * near
            del left[best]
    total = sum(term.weight for term in query.terms)
    # "Am I a morning person or a night owl": one of the two is enough.
    return (got + (total - got) / 3 if _EITHER.search(query.asked.text) else total), got


def _same_subject(query: Question, known: Fact) -> float:
    """1 where a fact is about whom the question is about, and less where it is about somebody else."""
    named = fits(query.asked.text, known.text)
    if is_meant(query.asked.text, known.text):
        return named
    return named * _same_owner(query, known)


def _same_owner(query: Question, known: Fact) -> float:
    """The same for those who are told by what they are to the user."""
    own = owner(known.text)
    if own and not own & query.owner:
        who = [term for term in known.terms.terms if (term.names | term.member_of) & own]
        if not any(meeting(term, other) >= 0.5 for term in query.terms if not _asks_job(term) for other in who):
            # "My doctor put me on statins" is about the user too, yet says nothing of the user's job.
            job = "occupation" in own and any(_asks_job(term) for term in query.terms)
            return 0.9 if _ME.search(to_first(known.text)) and not job else 0.5
    if query.owner and not own:
        return 0.6
    asked = query.asked.text
    if _MINE.search(asked) and not _MINE.search(to_first(known.text)[:24]):
        return 0.92
    return 1.0


_EITHER = re.compile(r"\bor\b|还是", re.IGNORECASE)
_ME = re.compile(r"\b(?:I|me)\b")
_MINE = re.compile(r"\b(?:I|me|my|we|our)\b|我|咱", re.IGNORECASE)


def _asks_job(term: Term) -> bool:
    return "occupation" in term.names


def _polarity(text: str, words: tuple[Term, ...]) -> int:
    """Whether a text is of liking (1), of disliking (-1), or of neither (0)."""
    names = {name for term in words for name in term.names}
    if "dislike" in names or ("like" in names and _NOT.search(text)):
        return -1
    return 1 if "like" in names else 0


_NOT = re.compile(r"\bnot\b|n't\b|\bno longer\b|\bnever\b|不", re.IGNORECASE)


def _is_date(term: Term) -> bool:
    return term.stem.isdigit() or bool(term.member_of & {"month", "weekday"})


def _meets(one: Term, other: Term) -> bool:
    return one.stem == other.stem or bool(other.names & (one.names | one.member_of))
