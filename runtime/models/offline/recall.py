"""Finds what answers a question among the memories that a request shows, by shared words and meanings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .acts import Asked
from .data import load
from .facts import Fact, fact, owner
from .stems import is_cjk, stem
from .view import Item
from .words import PART, Term, closeness, kinds_of_answer, terms

SURE = 0.72
"""From this fit on, a memory in view answers without a search."""
ENOUGH = 0.5
"""From this fit on, a memory answers."""
NEAR = 0.15
"""From this fit on, a memory may be offered as the closest."""
BESIDE = 0.9
"""Memories that fit nearly as well as the best, by this share, are told with it."""
MOST = 4

_NOUNS = re.compile(
    r"\b(?:what|which|whose|how many|how much) (?:(?:kinds?|types?|sorts?|brand|make|style|name) of )?"
    r"(?:the |an? |my |our )?([\w' +#-]+?)(?= (?:do|does|did|am|is|are|was|were|have|has|had|can|could|should|will|"
    r"would|I|we|my|our|for|to|in|on|at|that|with|best|again|now|of)\b|$|,)",
    re.IGNORECASE,
)
_BE_NOUNS = re.compile(
    r"\b(?:what|who|where|when|which|how)(?: is| are| was| were|'s|s) (?:my|our|the|his|her|your) "
    r"([\w' +#-]+?)(?= (?:called|named|like|again|now|for|in|on|at|to|of|that|due|from|before|currently|today|these|"
    r"supposed|allergic|going|located|based)\b|$|,)",
    re.IGNORECASE,
)
_ZH_FOCUS = re.compile(r"(?:什么|哪个|哪种|哪家|哪些|哪门|哪一?[款台条本支座位国]|啥)([\u4e00-\u9fff]{1,6})")
_PLAIN = load("words.toml")["plain"]
_TYPE_WORDS = frozenset(stem(word) for word in _PLAIN["kind_of_answer"].split())
_CUES = frozenset(stem(word) for word in _PLAIN["time"].split())


@dataclass(frozen=True, slots=True)
class Question:
    """A question, taken apart."""

    asked: Asked
    terms: tuple[Term, ...]
    focus: tuple[Term, ...]
    """The words that say what kind of thing is asked for: "database" in "which database do we use"."""
    types: frozenset[str]
    owner: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that fits a question."""

    item: Item
    fact: Fact
    text: str
    """The sentence of it that fits: what is so now, or what was before."""
    former: bool
    fit: float


@lru_cache(maxsize=256)
def question(asked: Asked) -> Question:
    """What `asked` is about."""
    text = asked.text[:400]
    words = terms(text).terms
    types = kinds_of_answer(text, "asks")
    if asked.about:
        named = terms(asked.about).terms
        # The words that stand for the question count as one: each alone would be enough.
        one = Term("", 1.0, frozenset(name for term in named for name in term.names | _own(term)), frozenset())
        return Question(asked, (one,), (one,), frozenset(), owner(text))
    focus: list[Term] = []
    if is_cjk(text):
        for match in _ZH_FOCUS.finditer(text):
            focus.extend(terms(match[1]).terms)
    else:
        for match in [*_NOUNS.finditer(text), *_BE_NOUNS.finditer(text)]:
            focus.extend(term for term in terms(match[1]).terms if term.weight > 0.3)
    focus = [term for term in focus if term.stem not in _TYPE_WORDS and term.stem not in _CUES]
    # In "favourite basketball team" the last word says what is asked for.
    heads = {term.stem for term in focus[-1:]}
    words = tuple(_weighed(term, focus, heads) for term in words if term.stem not in _CUES and term.weight != PART)
    telling = [term for term in words if term.stem not in _TYPE_WORDS and term.weight > 0.4]
    # "What is my cat called" asks for a name of a cat: the type of the answer says the rest.
    words = tuple(term for term in words if not telling or not types or term.stem not in _TYPE_WORDS)
    return Question(asked, words, tuple(focus), types, owner(text))


def _weighed(term: Term, focus: list[Term], heads: set[str]) -> Term:
    """ "Which theme do I prefer": beside the theme, preferring says little."""
    if not focus or term.stem in heads:
        return term
    general = term in focus or term.names & {"like", "use", "own"}
    return replace(term, weight=term.weight * 0.5) if general else term


def _own(term: Term) -> frozenset[str]:
    return frozenset({"occupation"}) if term.stem in ("occup", "职业") else frozenset()


def rank(asked: Asked, items: list[Item]) -> list[Hit]:
    """The memories that fit, the best first. Of a corrected memory, what holds now and what was before stand apart."""
    query = question(asked)
    hits = [hit for item in items if item.text for hit in _hits(query, item)]
    order = {"block": 2, "passage": 2, "summary": 0, "message": 1}
    hits.sort(key=lambda hit: (round(hit.fit, 3), order[hit.item.source], hit.item.date), reverse=True)
    return hits


def _hits(query: Question, item: Item) -> list[Hit]:
    known = fact(item.text)
    if item.over:
        # What was superseded tells what used to be, and is told only where that is asked for.
        return [Hit(item, known, known.text, True, _fit(query, known) + 0.25)] if query.asked.previous else []
    bonus = 0.08 if item.score >= 0.5 and not item.weak else 0.0
    over = known.past
    now = _fit(query, known)
    hits: list[Hit] = []
    olds = [fact(text) for text in known.before]
    # What replaced something is about the same thing, whatever words it uses.
    carried = max((_fit(query, old) for old in olds), default=0.0)
    now = max(now, 0.97 * carried)
    asks_old, asks_now = query.asked.previous, query.asked.current
    if asks_old and not asks_now:
        if over or olds:
            hits.extend(Hit(item, known, known.text, True, now + 0.3) for _ in range(1) if over)
            hits.extend(
                Hit(item, known, old.text, True, max(_fit(query, old), 0.9 * now) + 0.3 - 0.01 * n)
                for n, old in enumerate(olds)
            )
        hits.append(Hit(item, known, known.text, over, now))
        return [Hit(h.item, h.fact, h.text, h.former, h.fit + bonus) for h in hits]
    hits.append(Hit(item, known, known.text, over, now * (0.8 if over else 1.0) + bonus))
    if not asks_now:
        # A question that names the old value is about the old value.
        hits.extend(Hit(item, known, old.text, True, _fit(query, old) * 0.9 + bonus) for old in olds)
    return hits


def _fit(query: Question, known: Fact) -> float:
    """How well a fact answers, from the question's words that it holds: 0 to about 1."""
    there = known.terms
    total = got = 0.0
    for term in query.terms:
        total += term.weight
        near = closeness(term, there)
        got += term.weight * (min(1.0, near / 0.75) if not term.stem else near)
    for kind in query.types:
        weight = 1.0 if kind == "reason" else 0.4
        total += weight
        got += weight if kind in there.types else 0.0
    if not total or not got:
        return 0.0
    share = got / total
    if query.focus:
        best = max(closeness(term, there) for term in query.focus)
        if best < 0.5:
            # A kind that the tables know would have been found; of another one nobody can tell.
            share *= 0.45 if any(term.names for term in query.focus) else 0.75
    own = owner(known.text)
    if own and not own & query.owner and not any(term.names & own or term.member_of & own for term in query.terms):
        share *= 0.5
    elif query.owner and not own:
        share *= 0.8
    named = sum(term.weight for term in there.terms)
    matched = sum(term.weight for term in there.terms if any(_meets(term, asked) for asked in query.terms))
    precision = matched / named if named else 0.0
    return share * (0.88 + 0.12 * precision)


def _meets(one: Term, other: Term) -> bool:
    return one.stem == other.stem or bool(other.names & (one.names | one.member_of))
