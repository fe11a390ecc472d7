"""What a question is about: its weighty words, what kind of thing it asks for, and whose."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .acts import Asked
from .data import load
from .facts import owner
from .stems import is_cjk, stem
from .words import PART, Term, kinds_of_answer, lexicon, terms

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
_PLACES = r"(?:city|town|village|country|place|part of (?:town|the city))"
_IN_WHICH = re.compile(
    rf"(?:in|at|from|to) (?:which|what) {_PLACES} (?=(?:is|are|was|were|do|does|did|can)\b)", re.IGNORECASE
)
_WHICH_IN = re.compile(
    rf"(?:which|what) {_PLACES} ((?:is|are|was|were|do|does|did) (?!(?:I|we)\b).*) (?:in|at|from|to)$", re.IGNORECASE
)
TIMED = frozenset(map(stem, ("planned", "scheduled", "due", "set", "supposed", "taking", "place", "happening")))
"""Words of a question for a time which what tells or moves it need not hold."""
_CALL = re.compile(r"(?i:\b(?:the|my|our|a|next)) (?:[\w-]+ ){0,2}(calls?)\b(?! (?:me|us|it|him|her|them)\b)")
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
    own: tuple[Term, ...] = ()
    """Its own words, where others stand for them."""


@lru_cache(maxsize=256)
def question(asked: Asked) -> Question:
    """What `asked` is about."""
    text = _as_where(asked.text[:400])
    words = terms(text).terms
    if asked.context:
        # "And what is his job?" goes on from the question before it.
        context = question(Asked(asked.context, asked.language))
        own = {term.stem for term in words if term.weight > 0.4 and term.stem not in _CUES}
        carried = tuple(term for term in context.terms if term.stem not in own)
        alone = Asked(asked.text, asked.language, asked.about, asked.previous, asked.current)
        query = question(alone)
        return Question(asked, (*query.terms, *carried), query.focus, query.types, query.owner | context.owner)
    types = kinds_of_answer(text, "asks")
    if asked.about:
        named = terms(asked.about).terms
        # The words that stand for the question count as one: each alone would be enough.
        one = Term("", 1.0, frozenset(name for term in named for name in term.names | _own(term)), frozenset())
        return Question(asked, (one,), (one,), frozenset(), owner(text), words)
    focus: list[Term] = []
    if is_cjk(text):
        for match in _ZH_FOCUS.finditer(text):
            focus.extend(terms(match[1]).terms)
    else:
        for match in [*_NOUNS.finditer(text), *_BE_NOUNS.finditer(text)]:
            focus.extend(term for term in terms(match[1]).terms if term.weight > 0.3)
    # "The sales call" is a thing, and "is called" asks for a name.
    calls = [lexicon().term(stem(found[1]), 1.0) for found in [_CALL.search(text)] if found]
    focus = [term for term in focus if term.stem not in _TYPE_WORDS and term.stem not in _CUES] + calls
    # In "favourite basketball team" the last word says what is asked for.
    heads = {term.stem for term in focus[-1:]}
    words = tuple(_weighed(term, focus, heads) for term in words if term.stem not in _CUES and term.weight != PART)
    if "date" in types:
        # "When is it planned for" asks for a day, whatever words the day was told in.
        words = tuple(term for term in words if term.stem not in TIMED) or words
        focus = [term for term in focus if term.stem not in TIMED]
    telling = [term for term in words if term.stem not in _TYPE_WORDS and term.weight > 0.4]
    # "What is my cat called" asks for a name of a cat: the type of the answer says the rest.
    telling += calls
    words = tuple(term for term in words if not telling or not types or term.stem not in _TYPE_WORDS)
    return Question(asked, (*words, *calls), tuple(focus), types, owner(text))


def _as_where(text: str) -> str:
    """ "In which town is the harbour" asks where it is: a place may be told by its name alone."""
    if found := _IN_WHICH.match(text):
        return f"where {text[found.end() :]}"
    if found := _WHICH_IN.match(text.rstrip("?")):
        return f"where {found[1]}"
    return text


def _weighed(term: Term, focus: list[Term], heads: set[str]) -> Term:
    """ "Which theme do I prefer": beside the theme, preferring says little."""
    if not focus or term.stem in heads:
        return term
    general = term in focus or term.names & {"like", "use", "own"}
    return replace(term, weight=term.weight * 0.5) if general else term


def _own(term: Term) -> frozenset[str]:
    return frozenset({"occupation"}) if term.stem in ("occup", "职业") else frozenset()


def expansion(asked: Asked) -> str:
    """Other words for what a question asks for, for a search that knows words alone."""
    query = question(asked)
    names = {name for term in query.focus or query.terms for name in term.names}
    return lexicon().words(names)
