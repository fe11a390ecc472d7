"""What a sentence tells in passing of when something is due: "..., since the deadline of the beta was moved to 3 May".

It is put into a clause of its own, which is then judged as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from ....when import stretches
from ..data import load
from ..person import open_up
from ..stems import word_set
from .claim import Claim, Entry
from .english_figures import NO_ACTOR, not_ours, supposed
from .english_subjects import of_whom
from .judging import judge
from .noun_phrases import before
from .scene import Scene

_TABLE: dict[str, str] = load("figures_en.toml")
_DUE = word_set(_TABLE["due"])
_MOVED = "|".join(_TABLE["moved"].split())
_TO = r"(?:back |forward |out |up )?(?:from .{3,30} )?(?:to|until|till) (?:the )?$"
_HAS = r"(?:has |have |had )?(?:now |just |recently |already |also )*"
_BEEN = r"(?:was|is|got|(?:has|had) been) (?:now |just |recently |already )*"
_WAS_MOVED = re.compile(rf"(?:^| )(?:{_BEEN}|{_HAS})(?:{_MOVED}) {_TO}")
_MOVED_IT = re.compile(
    rf"(?P<who>[\w']+) {_HAS}(?:{_MOVED}) (?P<thing>(?:the|my|our) (?:[\w'/-]+ ){{1,7}}?){_TO}", re.I
)
_NEW = re.compile(
    r"\b(?P<own>the|our|my) (?:new|updated|revised|final) (?P<thing>(?:[\w'-]+ ){0,3}[\w'-]+) (?:of|on) (?:the )?$",
    re.I,
)
_GIVEN = re.compile(r"(?:given|considering|with|due to|because of)\b", re.I)
_PLAIN = ("plan", "trait", "event")
_LONGEST = 2000


def with_due(claims: Iterable[Claim], sentence: str, entry: Entry, scene: Scene) -> Iterator[Claim]:
    """The claims of a sentence, and when something is due by it, where none of them tells that."""
    told = list(_due(open_up(sentence)[:_LONGEST], entry.at.date()))
    for claim in claims:
        again = [one for one in told if one[1] in claim.text]
        if again and not claim.asked:
            meaning = judge(replace(claim))
            plain = meaning is None or (meaning.attribute in _PLAIN and claim.text.startswith("I "))
            if plain or _GIVEN.match(claim.text):
                continue
        told = [one for one in told if one not in again]
        yield claim
    for clause, _ in told:
        claim = Claim(clause, clause, "en", entry)
        of_whom(claim, scene)
        yield claim


def _due(text: str, today: date) -> Iterator[tuple[str, str]]:
    """Clauses with the day that each names."""
    if not_ours(text):
        return
    for found in stretches(text, today, ahead=True):
        head, day = text[: found.start], text[found.start : found.end]
        thing = _thing(head)
        if thing and re.search(r"\d", day):
            yield f"{thing[0].upper()}{thing[1:]} is {day}", day


def _thing(head: str) -> str:
    """What is due on the day that follows on `head`; empty where nothing is."""
    if (made := _MOVED_IT.search(head)) and made["who"].lower() not in NO_ACTOR:
        if supposed(head[: made.end("who")]):
            return ""
        thing = made["thing"].strip()
    elif new := _NEW.search(head):
        thing = f"{new['own']} {new['thing']}"
    elif (was := _WAS_MOVED.search(head)) and not supposed(head[: was.start()]):
        thing = before(head[: was.start()]) or ""
    else:
        return ""
    words = re.split(r" (?:of|for|on|in|at) ", thing.lower())[0].split()
    own = words[:1] in (["the"], ["my"], ["our"]) and len(words) > 1
    return thing if own and words[-1].removesuffix("s") in _DUE else ""
