"""What a text is about: its weighty words, what they mean by words.toml, and the kinds of answer it holds."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, zip_longest

from .data import load
from .stems import is_cjk, stem, tokens, word_set

_LONGEST = 4
"""Words in a phrase, or characters in a Chinese word, that are looked up as one."""

PART = 0.3
"""The weight of a word that is part of a phrase."""
_PLAIN = load("words.toml")["plain"]
STOP = word_set(_PLAIN["stop"])
LIGHT = frozenset(stem(word) for word in _PLAIN["light"].split())
STOP_ZH = word_set(_PLAIN["stop_zh"])
_LIKES = word_set(_PLAIN["likes"])
"""Words before "like" where it is a verb."""
_STOP_ZH = re.compile("|".join(sorted(map(re.escape, STOP_ZH), key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class Term:
    """One weighty word (or phrase) of a text."""

    stem: str
    weight: float
    names: frozenset[str]
    """The meanings that it names: `same` groups, and kinds."""
    member_of: frozenset[str]
    """The kinds that it is an example of."""
    strength: float = 1.0
    """How much its meanings count: less than 1 where they are only implied."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a text is about."""

    terms: tuple[Term, ...]
    types: frozenset[str]
    """The kinds of answer that it holds: date, place, number, reason, name."""
    stems: frozenset[str]
    raw: str
    """The text in lower case, in which Chinese words are looked for."""

    def kinds(self) -> frozenset[str]:
        """The kinds that its words are examples of."""
        return frozenset(kind for term in self.terms for kind in term.member_of)


class Lexicon:
    """The tables of words.toml, by stem."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}
        self.members: dict[str, set[str]] = {}
        table = load("words.toml")
        for name, words in table["same"].items():
            self._add(self.names, words, name)
        for kind, entry in table["kinds"].items():
            self._add(self.names, entry["names"], kind)
            self._add(self.members, entry["members"], kind)

    def _add(self, table: dict[str, set[str]], words: str, name: str) -> None:
        for word in words.split(","):
            table.setdefault(key(word.strip()), set()).add(name)

    def term(self, word: str, weight: float) -> Term:
        return Term(word, weight, frozenset(self.names.get(word, ())), frozenset(self.members.get(word, ())))

    def part(self, word: str) -> Term:
        """A word of a phrase: it counts a little by itself, so that "green tea" meets "tea"."""
        return replace(self.term(stem(word), PART), strength=0.75)

    def words(self, names: set[str], most: int = 40) -> str:
        """Words that mean one of `names`, or that what tells it often has, for a search: of each name its share."""
        table = load("words.toml")
        listed = [table["sought"].get(name, "") for name in sorted(names)]
        listed += [table["same"].get(name, "") for name in sorted(names)]
        listed += [f"{kind['members']}, {kind['names']}" for name, kind in table["kinds"].items() if name in names]
        words = [[word.strip() for word in every.split(",")] for every in listed if every]
        # Turn by turn, so that a long list leaves room for the others.
        turns = (word for turn in zip_longest(*words) for word in turn if word)
        return " ".join(islice(dict.fromkeys(turns), most))

    def knows(self, word: str) -> bool:
        return word in self.names or word in self.members


def key(word: str) -> str:
    """A word or phrase as the tables hold it."""
    return word if is_cjk(word) else " ".join(stem(part) for part in word.split())


@cache
def lexicon() -> Lexicon:
    """The tables, read once."""
    return Lexicon()


@cache
def terms(text: str) -> Terms:
    """What `text` is about."""
    words = tokens(text)
    found: list[Term] = []
    at = 0
    while at < len(words):
        word = words[at]
        if is_cjk(word):
            found.extend(_chinese(word))
            at += 1
            continue
        at += _english(words, at, found)
    unique = tuple({term.stem: term for term in found}.values())
    return Terms(unique, kinds_of_answer(text, "holds"), frozenset(term.stem for term in unique), text.lower())


def _english(words: list[str], at: int, found: list[Term]) -> int:
    """Adds the phrase or word at `at`; returns how many words it took."""
    known = lexicon()
    for length in range(_LONGEST, 1, -1):
        run = words[at : at + length]
        if len(run) < length or any(is_cjk(word) for word in run):
            continue
        phrase = " ".join(stem(word) for word in run)
        if known.knows(phrase):
            found.append(known.term(phrase, 0.7 if any(stem(word) in LIGHT for word in run) else 1.0))
            found.extend(known.part(word) for word in run if word.lower() not in STOP)
            return length
    word = words[at].lower()
    if word == "like" and at and words[at - 1].lower() not in _LIKES:
        return 1  # "like crazy" is no liking
    if word not in STOP or words[at] in ("R", "Go"):
        root = stem(word)
        found.append(known.term(root, 0.35 if root in LIGHT else 1.0))
        if "-" in word:
            found.extend(known.part(part) for part in word.split("-") if part and part not in STOP)
    return 1


def _chinese(run: str) -> list[Term]:
    """The known words of a run of Chinese characters, the longest first; what is left, in pairs of characters."""
    known = lexicon()
    found: list[Term] = []
    rest: list[str] = []
    at = 0
    while at < len(run):
        for length in range(min(_LONGEST + 2, len(run) - at), 0, -1):
            word = run[at : at + length]
            if known.knows(word):
                weight = 0.4 if {"use", "own"} & known.names.get(word, set()) else 1.0
                if length > 1 or word not in STOP_ZH:
                    found.append(known.term(word, weight if length > 1 else weight * 0.7))
                rest.append(" ")
                at += length
                break
            if length > 1 and word in STOP_ZH:
                rest.append(" ")
                at += length
                break
        else:
            rest.append(run[at])
            at += 1
    for piece in _STOP_ZH.sub(" ", "".join(rest)).split():
        pairs = [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
        found.extend(Term(pair, 0.6 / len(pairs) + 0.3, frozenset(), frozenset()) for pair in pairs)
    return found


def kinds_of_answer(text: str, table: str) -> frozenset[str]:
    """The kinds of answer that a text `holds`, or that a question `asks` for: date, place, number, reason, name."""
    return frozenset(kind for kind, pattern in _patterns(table) if pattern.search(text))


@cache
def _patterns(table: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile("|".join(every), re.IGNORECASE)) for kind, every in load("words.toml")[table].items()
    )


def closeness(asked: Term, there: Terms) -> float:
    """How well a text holds what a question's word asks for: 0 to 1."""
    if is_cjk(asked.stem):
        if asked.stem in there.raw:
            return 1.0
        if len(asked.stem) == 2 and not asked.names and not asked.member_of:
            # Chinese parts its verbs: 离婚, and 离过一次婚.
            return (0.0, 0.4, 0.9)[sum(char in there.raw for char in asked.stem)]
    return max((meeting(asked, term) for term in there.terms), default=0.0)


def meeting(asked: Term, term: Term) -> float:
    """How well a word of a text is what a question's word asks for: 0 to 1."""
    if asked.stem and asked.stem == term.stem:
        return term.strength
    if asked.names & term.member_of:
        return 0.85 * term.strength
    if asked.names & term.names:
        return 0.75 * term.strength
    if asked.stem and _same_root(asked.stem, term.stem):
        return 0.85
    return 0.5 if asked.member_of & term.names else 0.0


def _same_root(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    more = len(long) - len(short)
    return (
        short.isascii() and long.startswith(short) and (more <= 5 if len(short) > 4 else len(short) == 4 and more < 3)
    )
