"""What a remembered line says: how it stands now, and what it replaced.

A corrected fact keeps its history in its own line, since a date alone cannot tell the order of two facts of one day:

    We moved to MySQL last week. (Before: We decided to use PostgreSQL because we need JSONB.)

The older ones follow, parted by " | ", the latest first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .acts import Told
from .chinese import Chinese
from .english import English
from .person import open_up, to_first, to_third
from .phrasebook import phrasebook
from .sentences import LONGEST
from .stems import IRREGULAR, is_cjk, stem, word_set
from .words import LIGHT, STOP, Term, Terms, terms

_HISTORY = re.compile(r"^(.*?)\s*[(（](?:Before: |以前：)(.*)[)）]$", re.DOTALL)
_PARTS = re.compile(r" \| ")
MOST_BEFORE = 3
"""How many replaced values a line keeps; the journal has them all."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence about the user or the user's affairs."""

    text: str
    attribute: str
    value: str
    single: bool
    past: bool
    """It says that it is over."""
    terms: Terms
    before: tuple[str, ...]
    """What it replaced, the latest first."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of the things that it names: database, weekday, pet ..."""
        return self.terms.kinds()


@lru_cache(maxsize=4096)
def fact(line: str) -> Fact:
    """The fact that a remembered line holds."""
    found = _HISTORY.match(line)
    text, before = (found[1], tuple(_PARTS.split(found[2]))) if found else (line, ())
    said = classify(text)
    about = _plainly(terms(text[:2000]), text)
    return Fact(text, said.attribute, said.value, said.single, _past(text), _implied(about, said), before)


@lru_cache(maxsize=4096)
def classify(text: str) -> Told:
    """What a remembered sentence tells, by the templates."""
    first = to_first(text[:LONGEST].rstrip(".。"))
    return (Chinese() if is_cjk(first) else English()).told(first)


_ASIDE = re.compile(
    r"\b(?:for|at|after|before|from|to|off|of|around|by) (?:(?:the|a|my|his|her|their|our|your) )?"
    r"(?:(?:new|old|next|last|day) )?(?P<word>work|job)\b(?! (?:at|in|as|for)\b)|"
    r"\b(?:I|you|we|they|users?|not|n't|don't|doesn't|to|can|cannot|will|would) "
    r"(?P<verb>judge|cook|pilot|tailor|doctor)s?\b|\b(?P<drill>training) (?:for|to|with)\b",
    re.IGNORECASE,
)
"""Work in passing, "a laptop for work", and verbs that are an occupation where they are nouns."""
_IN_PASSING = 0.4


def _plainly(about: Terms, text: str) -> Terms:
    """What a sentence is about, with what it only mentions in passing counted for less."""
    aside = {stem(found["word"] or found["verb"] or found["drill"]) for found in _ASIDE.finditer(text)}
    if not aside:
        return about
    return replace(
        about, terms=tuple(replace(one, strength=_IN_PASSING) if one.stem in aside else one for one in about.terms)
    )


_VAGUE = frozenset(("is", "is a", "habit", "taste", "has", "plan", "decision"))
"""Attributes that tell little of what a fact is about."""


def _past(text: str) -> bool:
    """Whether a sentence says itself that it is of the past."""
    book = phrasebook("zh" if is_cjk(text) else "en")
    return (
        re.search(
            "|".join(rf"\b{word}\b" if word.isascii() else word for word in book.words("inline", "past")), text, re.I
        )
        is not None
    )


def _implied(about: Terms, said: Told) -> Terms:
    """The terms of a fact with those that its attribute implies: a home is asked for as "city" though it says "in"."""
    words = phrasebook(said.language).table["implied"].get(said.attribute, "")
    names = frozenset(name for term in terms(words).terms for name in term.names)
    if not names:
        return about
    # "I am a falconer" may be a job; "I am a vegetarian" is something else, as the tables know.
    vague = said.attribute in _VAGUE
    strength = 0.3 if vague and about.kinds() else 0.7 if vague else 0.8 if said.attribute == "diet" else 1.0
    return Terms((*about.terms, Term("", 0.0, names, frozenset(), strength)), about.types, about.stems, about.raw)


def line_of(told: Told, *, whole: bool = False) -> str:
    """How something is noted: in the third person, as one line."""
    text = " ".join((told.whole if whole and told.whole else told.text).split())
    text = to_third(text if is_cjk(text) else open_up(text)).rstrip(" .!。！")
    return text + ("。" if told.language == "zh" else ".")


def with_history(line: str, replaced: Fact) -> str:
    """`line`, and that it took the place of `replaced`."""
    former = [replaced.text, *(text for text in replaced.before if text != replaced.text)][:MOST_BEFORE]
    joined = " | ".join(former)
    return f"{line}（以前：{joined}）" if is_cjk(line) else f"{line} (Before: {joined})"


def same(one: str, other: str) -> bool:
    """Whether two lines say the same, marks and case aside."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def related(new: Told, old: Fact) -> float:
    """How likely `new` speaks of the same thing as `old`, so that it takes its place: 0 to 1."""
    now = fact(line_of(new))
    if same(now.text, old.text):
        return 0.0
    if new.old:
        named = terms(new.old)
        if named.terms and all(
            term.stem in old.terms.stems or term.stem in old.terms.raw for term in named.terms if term.weight > 0.3
        ):
            return 1.0
    value = [term for term in terms(old.value).terms if term.weight > 0.8]
    if new.corrects and value and old.value != new.value and all(term.stem in now.terms.stems for term in value):
        return 0.9
    if owner(now.text) != owner(old.text):
        return 0.0
    same_attribute = now.attribute != "" and now.attribute == old.attribute
    if same_attribute and now.single:
        return 0.95
    agree = min(0.9, _said_so(now, old))
    shared = (now.kinds & old.kinds) - _BROAD
    if same_attribute and shared:
        return max(0.9 if agree >= 0.3 else 0.8 if new.surely else 0.4, agree)
    if same_attribute and now.attribute not in _MANY:
        return max(0.7, agree)
    if not (new.corrects or new.old) and now.attribute and old.attribute and not same_attribute:
        # That an address holds a name says nothing of the name.
        agree = min(agree, 0.5)
    alike = _head(now.text) != "" and _head(now.text) == _head(old.text)
    return max(0.8 if shared and agree > 0 else 0.6 if (shared and new.surely) or alike else 0.0, agree)


_MANY = frozenset(("taste", "diet", "language", "habit", "has", "is", "is a", "plan", "decision", "origin"))
"""Attributes of which there are several at once, so that a correction must say more than the attribute."""


_BROAD = word_set("family month weekday food drink eat hobby body")
"""Kinds of which people have many, so that a new one says nothing of an old one."""


@lru_cache(maxsize=4096)
def _head(text: str) -> str:
    """What a sentence says something about: "meet" in "We meet at the lake", "standup" in "The standup is at nine"."""
    words = [word.strip(".,;:") for word in to_first(text).split()]
    lower = [word.lower() for word in words]
    if len(words) < 3 or is_cjk(text):
        return ""
    if lower[0] in ("i", "we"):
        verb = next((word for word in lower[1:] if not word.endswith("ly") and word not in STOP), "")
        return "" if stem(verb) in LIGHT or stem(verb) in _CHANGING else stem(verb)
    subject = lower[1:] if lower[0] in ("my", "our", "the", "a", "this") else lower
    end = next(
        (n for n, word in enumerate(subject) if n and (word in _BE or word in IRREGULAR or word.endswith(("ed", "s")))),
        0,
    )
    if end == 1 and lower[0] == subject[0] and words[0][:1].isupper() and not _known(words[0]):
        return ""  # of somebody, or of something with a name, there is more than one thing to tell
    return " ".join(stem(word) for word in subject[:end])


_CHANGING = frozenset(stem(word) for word in ("moved", "switched", "changed", "migrated", "started", "stopped", "got"))
"""Verbs of a change, which say nothing of what was changed."""


def _known(word: str) -> bool:
    """Whether a word is one that the tables know, and so no name that somebody gave."""
    return any(term.names or term.member_of for term in terms(word).terms)


_BE = word_set("is are was were has have had will can moved changed takes starts begins ends")


def _said_so(now: Fact, old: Fact) -> float:
    """The share of the weighty words that two facts have in common, of the one that has fewer."""
    mine = {term.stem: term.weight for term in now.terms.terms if term.weight}
    theirs = {term.stem: term.weight for term in old.terms.terms if term.weight}
    smaller = min(sum(mine.values()), sum(theirs.values()))
    common = sum(min(weight, theirs[stem]) for stem, weight in mine.items() if stem in theirs)
    return common / smaller if smaller else 0.0


_PEOPLE = word_set(
    "mother father child sibling partner friend boss colleague grandparent pet customer family dog cat parent"
)
_MINE = re.compile(r"\b(?:the user's|my|our|your) ((?:[\w'-]+ ?){1,3})", re.IGNORECASE)
_THE = re.compile(r"^The (?!user)([\w'-]+)", re.IGNORECASE)
_MINE_ZH = re.compile(r"(?:用户|我|你)(?:家)?的?([\u4e00-\u9fff]{1,5})")
_ENDS = re.compile(r"跟|和|与|给|把|被|比|向|为|叫|是|在|住|的|对|喜欢|有|会|今年|不|怕|也|最|养|名")


@lru_cache(maxsize=4096)
def owner(text: str) -> frozenset[str]:
    """Whom a sentence is about, other than the user: the meanings of "sister" in "My sister Ana lives in Rome"."""
    head = text[:80]
    found: set[str] = set()
    if is_cjk(head):
        if not head.startswith(("用户", "我", "你", "咱")):
            return frozenset(_people(head[:10]))
        for match in _MINE_ZH.finditer(head):
            found |= _people(_ENDS.split(match[1])[0])
        return frozenset(found)
    if subject := _THE.match(head):
        found |= _people(subject[1])
    for match in _MINE.finditer(head):
        words = match[1].split()
        for count in range(1, len(words) + 1):
            if words[count - 1].lower() in _BE:
                break
            found |= _people(" ".join(words[:count]))
    return frozenset(found)


def _people(words: str) -> set[str]:
    found = {name for term in terms(words).terms for name in (term.names | term.member_of) & _PEOPLE}
    # "My doctor" is a person; "my profession" is none.
    return found | {name for term in terms(words).terms for name in term.member_of & {"occupation"}}
