"""Whom a sentence is about by name, and whom a question asks about, as the structure of both says.

"Ben lives in Porto" answers where Ben lives, and neither where the user does nor where Ben's sister does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .facts import owner
from .kin import NICKNAME
from .person import to_first
from .stems import is_cjk, stem, word_set
from .words import LIGHT, STOP, lexicon

_NAME = r"[A-Z][\w-]*\w"
_OWN = r"['’]s?"
_CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december"
)
_NO_PART = r"(?:is|was|are|were|has|had|will|can|and|with|to|in|on|at)\b"
_CHAIN = re.compile(
    rf"^(?:(?P<mine>[Mm]y|[Oo]ur)(?: (?!{_NAME}|{_NO_PART})[\w-]+){{1,3}}?,? )?"
    rf"(?:(?:Mrs?|Ms|Miss|Dr|Prof|Sister|Sir)\.? )?(?P<name>{_NAME})(?P<own>{_OWN})?(?P<rest>[ ,:].*|)$",
    re.DOTALL,
)
_NEWS = re.compile(rf"^(?:[Tt]here is )?(?:[Gg]ood |[Bb]ad |[Ss]ad )?[Nn]ews (?:from|of|about) (?={_NAME}:)")
_VERB = re.compile(r"^,? ?(?:\w+ly )?(?:is|was|has|had|will|can|does|did|and|moved|\w+s|\w+ed)\b|^:")
_HAS = re.compile(r"^ (?:got|been|just|moved|gone|finally|now|at|in|on|an?|the|not)\b")
_ABOUT_US = re.compile(r"\b(?:I|me|we|us|my|our)\b")
_ASKED = re.compile(
    r"\b(?:do|does|did|is|was|are|were|has|have|had|can|will|should) (?:(?:my|our) [\w-]+ )?"
    rf"(?P<name>{_NAME})(?P<own>{_OWN})?"
)
_OF = re.compile(rf"\b(?P<name>{_NAME}){_OWN}|\bof (?P<of>{_NAME})\b")
_ASKED_ME = re.compile(r"\b(?:do|does|did|am|was|were|have|had|can|should|will) (?:I|we)\b")
_NAME_ZH = re.compile(rf"(?P<name>{NICKNAME})(?P<own>的)?(?=现在|目前|在|住|是|做|喜|几|有|叫|搬|今|的|用|用户|什)")
_ASKED_ME_ZH = re.compile(r"^(?:请问)?(?:我|我们)(?!家)(?:现在|目前|在|住|是|做|喜|有|用|的(?:工作|职业|名字|公司))")


@dataclass(frozen=True, slots=True)
class About:
    """Whom a question asks about."""

    names: frozenset[str]
    """In lower case: of those of whom it asks, or of whose it asks something."""
    user: bool
    """It asks about the user alone."""


@lru_cache(maxsize=256)
def asked_about(text: str) -> About:
    """Whom the question `text` asks about."""
    if is_cjk(text):
        found = {match["name"].lower() for match in _NAME_ZH.finditer(text)}
        return About(frozenset(found), not found and _ASKED_ME_ZH.search(text) is not None)
    found = {match["name"].lower() for match in _ASKED.finditer(text)} | _whose(text)
    found -= _CALENDAR
    return About(frozenset(found), not found and _ASKED_ME.search(text) is not None)


@lru_cache(maxsize=4096)
def _subject(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names of whom a remembered sentence is about, and of those whose that one is."""
    if is_cjk(text):
        named = [match["name"].lower() for match in _NAME_ZH.finditer(text[:24])]
        return frozenset(named[-1:]), frozenset(named[:-1])
    rest = _NEWS.sub("", to_first(text))
    owners: set[str] = set()
    while chain := _CHAIN.match(rest):
        name = chain["name"]
        possessed = chain["own"] is not None and not _HAS.match(chain["rest"])
        if not chain["mine"] and not owners and not (chain["own"] or _is_name(name, chain["rest"])):
            break
        if not possessed:
            return frozenset({name.lower()}), frozenset(owners)
        owners.add(name.lower())
        rest = "my" + chain["rest"]
    # "Ola's brother is a smith" is about somebody whose name it does not tell.
    return frozenset(owner(rest) if owners else ()), frozenset(owners)


def named_in(text: str) -> frozenset[str]:
    """The names of whom a remembered sentence is about, in lower case."""
    who, owners = _subject(text)
    return who or owners


def _is_name(word: str, rest: str) -> bool:
    """Whether the word that begins a sentence is a name: a verb follows, and no table knows it."""
    root = stem(word)
    known = word.lower() in STOP or root in LIGHT or lexicon().knows(root) or word.lower() in _CALENDAR
    return not known and _VERB.match(rest) is not None


def fits(question: str, text: str) -> float:
    """1 where a remembered sentence may be about whom `question` asks about, and less where it is about another."""
    about = asked_about(question)
    who, owners = _subject(text)
    if about.names:
        if about.names & who or (about.names & owners and not who):
            return 1.0
        if about.names & owners:
            # "Marit's brother Ola is a smith" tells of Marit where her brother is asked for.
            return 0.9 if _asks_of(question, about.names) else 0.6
        return 0.9 if any(_holds(name, text) for name in about.names) else 0.5
    if about.user and (who or owners) and not _ABOUT_US.search(to_first(text).split(",")[0]):
        return 0.6
    return 1.0


def is_meant(question: str, text: str) -> bool:
    """Whether a remembered sentence is about one whom `question` names, whatever else that one is to the user."""
    names = asked_about(question).names
    who, owners = _subject(text)
    return bool(names & who) or bool(names & owners and not who)


def is_of_another(question: str, text: str) -> bool:
    """Whether a sentence is about somebody else of one whom `question` asks about: about Ola's brother, not Ola."""
    names = asked_about(question).names
    who, owners = _subject(text)
    return bool(names & owners and who and not names & who) and not _asks_of(question, names)


def is_calendar(word: str) -> bool:
    """Whether it is the name of a month or of a day of the week."""
    return word.lower() in _CALENDAR


def _asks_of(question: str, names: frozenset[str]) -> bool:
    return bool(names & _whose(question)) or "的" in question


def _whose(question: str) -> set[str]:
    """The names of those of whose something is asked: "Fig's vet", "the vet of Fig"."""
    return {(match["name"] or match["of"]).lower() for match in _OF.finditer(question)}


def _holds(name: str, text: str) -> bool:
    if is_cjk(name):
        return name in text
    return re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) is not None
