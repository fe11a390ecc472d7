"""The predicate of an English clause in the first person: tense, verb and what follows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..stems import IRREGULAR, word_set

Tense = Literal["present", "past", "perfect", "doing", "future", "modal"]

_BE = word_set("am are is be")
_MODALS = word_set("can cannot could would should may might must shall")
_ADVERBS = word_set("""
also still then now never always just somehow usually often even both once only already rarely seldom sometimes
mostly not really all finally too either hardly ever currently nowadays""")
_PRESENT_LIKE = word_set("am is are have do put set let cost run come become cut read hit hurt quit spread bet left")
_PARTICIPLES = word_set("gone done had become run come cut put left read set let cost hit hurt quit spread")
_CONTRACTED = {"can't": "cannot", "won't": "will", "don't": "do", "doesn't": "do", "didn't": "did", "haven't": "have"}


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a clause says of its subject."""

    tense: Tense
    verb: str
    """The verb that carries the meaning, in its plain form; `be` where that is all."""
    rest: str
    """What follows the verb."""
    negated: bool = False
    adverbs: frozenset[str] = frozenset()
    """Those between subject and verb."""
    modal: str = ""


def predicate(said: str) -> Predicate | None:
    """The predicate of "I ..."; None where the clause is no such one."""
    words = said.split()
    if len(words) < 2 or words[0].lower() not in ("i", "we"):
        return None
    reader = _Reader(words[1:])
    return reader.read()


class _Reader:
    """Goes through the words after the subject."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.at = 0
        self.adverbs: set[str] = set()
        self.negated = False

    def read(self) -> Predicate | None:
        first = self._next()
        if first in _BE:
            return self._being()
        if first in ("was", "were"):
            return self._made("past", "be")
        if first in ("have", "has", "had"):
            return self._having(first)
        if first in ("do", "does", "did"):
            ahead = self.at
            verb = self._next()
            if verb and (self.negated or verb not in ("the", "a", "an", "my", "our", "some", "it", "this", "that")):
                return self._made("past" if first == "did" else "present", _plain(verb))
            self.at = ahead
            return self._made("past" if first == "did" else "present", "do")
        if first in ("will", "shall"):
            return self._made("future", _plain(self._next()))
        if first in _MODALS:
            self.negated = self.negated or first == "cannot"
            return self._made("modal", self._next(), "can" if first == "cannot" else first)
        if not first:
            return None
        return self._made("past" if _past(first) else "present", _plain(first))

    def _being(self) -> Predicate:
        ahead = self.at
        word = self._next()
        if word == "going" and self.words[self.at : self.at + 1] == ["to"]:
            self.at += 1
            return self._made("future", _plain(self._next()))
        if word.endswith("ing") and len(word) > 4:
            return self._made("doing", word)
        self.at = ahead
        return self._made("present", "be")

    def _having(self, first: str) -> Predicate:
        word = self._next()
        ahead = self.at - 1 if word else self.at
        if word == "to":
            # "I had to sell it" tells that it is sold, "I have to eat early" what must be.
            verb = self._next()
            return self._made("past", verb) if first == "had" else self._made("modal", verb, "must")
        if word == "got" and first != "had":
            return self._made("present", "have")
        if word == "been":
            further = self.at
            verb = self._next()
            if verb.endswith("ing") and len(verb) > 4:
                return self._made("perfect", verb)
            self.at = further
            return self._made("perfect", "be")
        if word and (_past(word) or word in _PARTICIPLES):
            return self._made("past" if first == "had" else "perfect", _plain(word))
        self.at = ahead
        return self._made("past" if first == "had" else "present", "have")

    def _made(self, tense: Tense, verb: str, modal: str = "") -> Predicate:
        rest = " ".join(self.words[self.at :]).strip(" ,")
        if tense == "present" and verb == "be" and (no := re.match(r"(?:not|no longer|never) ", rest)):
            self.negated, rest = True, rest[no.end() :]
        return Predicate(tense, verb, rest, self.negated, frozenset(self.adverbs), modal)

    def _next(self) -> str:
        """The next word that is no adverb."""
        while self.at < len(self.words):
            word = self.words[self.at].strip(",.'\"").lower()
            if word in ("no", "any") and self.words[self.at + 1 : self.at + 2] in (["longer"], ["more"]):
                self.negated = True
                self.at += 2
                continue
            if word in _ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in ("apply", "reply", "supply")):
                self.negated = self.negated or word in ("not", "never")
                self.adverbs.add(word)
                self.at += 1
                continue
            self.at += 1
            if word.endswith("n't"):
                self.negated = True
                word = _CONTRACTED.get(word, word.removesuffix("n't"))
            return word
        return ""


def _past(word: str) -> bool:
    if word in _PRESENT_LIKE:
        return False
    return (word in IRREGULAR and not word.endswith("s")) or (
        word.endswith("ed") and len(word) > 4 and word not in ("need", "feed", "speed", "breed")
    )


def _plain(word: str) -> str:
    if word in IRREGULAR and word not in _PRESENT_LIKE:
        return IRREGULAR[word]
    return word
