"""Whether an English statement lasts, by its grammar: what somebody is, has, does again and again, cannot do, has been
doing for long or will do on a day. The words stand in phrasebook/keep_en.toml, under `lasting`.

It judges what no table of judging.py knows, so that a fact is kept in whatever words it is told.
"""

from __future__ import annotations

import re
from functools import cache

from ..stems import stem, word_set
from ..words import terms
from .claim import USER, Claim
from .english_predicate import Predicate, predicate
from .keeping import keeping

_KEEP = keeping("en")
_POINTING = re.compile(
    r"^(?:it|this|these|those|them|him|there|here|one|ones|none|that|both|neither|you|your)\b(?! (?:of|who|year"
    r"|week|month|summer|winter|spring|autumn)\b)|(?<!\bto )\b(?:it|this|that|these|those|them|there|here|one|ones"
    r"|none|so|you|lol|again|instead|either)$|\b(?:this|that|these|those) (?!year|week|month|summer|winter|spring"
    r"|autumn|days|evenings|is|are|was|has|have|can|will|I|we|he|she|they|my|our|the|a)\w+$",
    re.I,
)
"""What speaks of something that only this talk shows: "I like that one"."""
_AFTER_IT = re.compile(r" (?:for|after|before|with|about|because of) (?:it|that|this|them)$", re.I)
_SINCE = re.compile(
    r"\b(?:since|for (?:the (?:last|past) |about |over |almost |nearly |more than )?(?:\w+ )?(?:years?|months?"
    r"|weeks|decades?|ages|as long)|for good|for life|all my life|my whole life|lately|these days|nowadays|in"
    r" (?:\w+ )?(?:years|months|ages)|(?:from|as of) (?:now|today|next|last|\w+day|january|february|march|april|may"
    r"|june|july|august|september|october|november|december)|at the moment|temporarily|until|till)\b",
    re.I,
)
"""What says that something goes on for longer than a day."""
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b|I'|OK\b)[A-Z][\w-]+")
_UNCHANGED = word_set("put set let cost run come become cut read hit hurt quit spread bet")
"""Verbs whose past looks like their present."""
_CLOCK = re.compile(
    r"\b(?:in|within) (?:an?|\d+|two|five|ten|fifteen|twenty|a few) (?:seconds?|minutes?|mins?|hours?)\b"
)


def lasting(claim: Claim, *, ahead: bool) -> bool:
    """Whether `claim` lasts; `ahead`: it names a day to come."""
    told = predicate(_AFTER_IT.sub("", claim.said))
    if told is None or _momentary(told):
        return False
    often = _KEEP.pattern("keep", "often").search(f"{claim.text}") is not None
    if told.tense in ("future", "doing", "perfect", "modal"):
        return _RULES[told.tense](told, claim, ahead, often)
    # "Anna quit" is past, as the form without -s tells of anybody but the user.
    quietly_past = claim.subject != USER and told.verb in _UNCHANGED and f" {told.verb}s" not in claim.text
    if told.tense == "past" or quietly_past:
        return _once(told, claim)
    return _present(told, claim, often, ahead)


def at_hand(said: str) -> bool:
    """Whether a clause is no more than a reply, or speaks of what only this talk shows: "I like it", "I haven't"."""
    told = predicate(said)
    if told is None:
        return re.search(r" (?:is|are|was|were|do|does|did|has|have|can|will)(?: not|n't)?$", said) is not None
    if _TO_YOU.search(told.rest):
        return True
    if not told.rest and told.verb in ("be", "have", "do", ""):
        return True
    return _OBJECT_AT_HAND.match(told.rest) is not None or _CUT_OFF.search(said) is not None


_CUT_OFF = re.compile(r"\b[a-z]+'s$|\bthen$")
"""What lacks its end, or points to a time that only this talk shows."""
_TO_YOU = re.compile(r"\b(?:to|for|with|from|at|of|let|tell|ask|show|give|send|thank) you\b|\byour\b", re.I)
"""What is between the user and the assistant."""
_OBJECT_AT_HAND = re.compile(
    r"(?:(?:with|on|at|for|of|to|about|from) )?(?:it|this|that|these|those|them|none|neither|either|both|so)"
    r"(?=$|[,.]| (?:in|with|on|for|at|now|too|again|though|anyway|as|all|so|and|but|already)\b| \w+$)|how"
    r" (?:it|this|that)\b|for (?:\w+ )?years$",
    re.I,
)


def _momentary(told: Predicate) -> bool:
    """Whether it speaks of what is at hand, or of this very moment."""
    return (
        bool(_POINTING.search(told.rest))
        or bool(_CLOCK.search(told.rest))
        or _KEEP.pattern("lasting", "moment").search(told.rest) is not None
    )


def _present(told: Predicate, claim: Claim, often: bool, ahead: bool) -> bool:
    if told.verb == "be":
        return _being(told, claim, often, ahead)
    if told.verb == "have":
        return len(told.rest.split()) > 1 or told.rest.islower()
    if _KEEP.pattern("lasting", "phrased").search(claim.said):
        return True
    if _listed(told.verb, "mind" if claim.subject == USER else "doing_of_others"):
        return often and len(told.rest.split()) > 2 and not _listed(told.verb, "speech")
    if not told.rest:
        # "My flatmate snores" tells something; "I agree" does not.
        return claim.subject != USER or often
    return True


def _being(told: Predicate, claim: Claim, often: bool, ahead: bool) -> bool:
    if ahead and not re.search(r"\b(?:till|until|for now)\b(?!$)", told.rest):
        return True
    words = told.rest.split()
    while words and words[0].lower() in _words("degree"):
        words = words[1:]
    rest = " ".join(words)
    words = [word.strip(",.").lower() for word in words]
    if not words:
        return False
    if words[0] in ("a", "an", "the", "my", "our", "her", "his", "their", "one", "two", "three", "half", "no"):
        return not _KEEP.pattern("lasting", "nobody").search(rest) and (len(words) > 1)
    if words[0] in ("in", "at", "on", "with", "off", "out", "away", "from", "near", "under", "without"):
        if re.match(r"in (?:my|our|his|her) (?:\w+ )?(?:first|second|third|fourth|fifth|last|final|\d+\w*)\b", rest):
            return True
        of_other = claim.subject != USER and words[0] in ("in", "near")
        placed = words[0] in ("with", "from") or of_other
        return often or bool(_SINCE.search(rest)) or (placed and bool(_NAMED.search(f"x {rest}")))
    if words[0] in _words("passing"):
        # "I am mad about trains" lasts, "I am mad at him" does not.
        return len(words) > 2 and words[1] in ("about", "into", "for") and words[0] in _words("fond")
    if any(word in _words("durable_adjectives") for word in words[:3]):
        return True
    if re.match(r"^[\w-]+(?:ing|ed)$", words[0]) and words[0] not in _words("durable_adjectives"):
        return (
            len(words) > 2
            and words[1] in ("in", "by", "to", "about", "of", "as", "on", "from", "with")
            and bool(_NAMED.search(rest) or words[1] == "as" or often or words[1] == "by")
        )
    if told.adverbs & _words("measured"):
        return True
    if len(words) > 1 and words[1] in ("at", "of", "to", "about", "with", "for", "from", "in", "on"):
        return words[0] not in _words("passing")
    named = len(words) < 4 and bool(_NAMED.search(f"x {rest}"))
    return named or bool(terms(rest).kinds()) or bool(re.search(r"\d", rest))


def _doing(told: Predicate, claim: Claim, ahead: bool, often: bool) -> bool:
    """What somebody is about for weeks, not for minutes."""
    if re.search(r"\binstead\b", told.rest) and _NAMED.search(f"x {told.rest}"):
        return True
    if _listed(told.verb, "asking"):
        return False
    if ahead or often or _SINCE.search(told.rest):
        return True
    if _listed(told.verb, "long"):
        return bool(told.rest)
    return _listed(told.verb, "going") and bool(_NAMED.search(f"x {told.rest}"))


def _perfect(told: Predicate, claim: Claim, ahead: bool, often: bool) -> bool:
    """What has been so for long, or has changed a life."""
    if _SINCE.search(claim.text):
        return told.verb not in ("trying", "waiting", "thinking", "wondering", "looking") and bool(told.rest)
    if told.verb == "be" and told.rest.split(" ")[0] in _words("appointed"):
        return True
    if told.negated or "always" in told.adverbs:
        return bool(told.rest) and ("never" in told.adverbs or "always" in told.adverbs)
    return _listed(told.verb, "marking") and len(told.rest.split()) > 1


def _future(told: Predicate, claim: Claim, ahead: bool, often: bool) -> bool:
    if not told.rest and not told.verb:
        return False
    return ahead or often or (told.verb in ("be", "spend", "stay", "fly") and bool(_NAMED.search(f"x {told.rest}")))


def _able(told: Predicate, claim: Claim, ahead: bool, often: bool) -> bool:
    """What somebody can or cannot do at all."""
    if told.modal == "can" and not _listed(told.verb, "mind") and not _listed(told.verb, "trying"):
        return bool(told.rest) and (told.negated or "only" in told.adverbs or claim.subject != USER or often)
    return told.modal == "must" and often


def _once(told: Predicate, claim: Claim) -> bool:
    """What was: only what marks a life, or what held for years."""
    if re.match(r"^I used to ", claim.said):
        return True
    if told.verb == "be":
        first = told.rest.split(" ")[0]
        was_one = re.match(r"an? ", told.rest) and _KEEP.pattern("keep", "person").search(told.rest)
        ill = claim.subject != USER and first in _words("durable_adjectives")
        return bool(_SINCE.search(told.rest) or was_one) or ill or first in _words("appointed")
    return (_listed(told.verb, "marking") and len(told.rest.split()) > 1) or bool(_SINCE.search(told.rest))


_RULES = {"future": _future, "doing": _doing, "perfect": _perfect, "modal": _able}


def _listed(verb: str, name: str) -> bool:
    return stem(verb) in _stems(name)


@cache
def _words(name: str) -> frozenset[str]:
    if name == "durable_adjectives":
        return _KEEP.words("keep", "durable")
    return _KEEP.words("lasting", name)


@cache
def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _words(name))
