"""What a clause tells besides: "I work at Kiln as a baker" a workplace and a job, "Ana's boyfriend Jo" who Jo is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .claim import USER, Claim, Someone

_AS = re.compile(
    r"^(?P<who>I) (?:\w+ly |now |have |just |still |will )*(?:work|worked|working|am working|start|started|am"
    r" starting|joined|"
    r"join) (?:at |for |with |in )?(?P<where>(?-i:[A-Z]).*?),? (?P<as>as (?P<job>(?:an?|the) [\w -]+?))"
    r"(?=,| since| from| for| on| in [A-Z]| until| now|$)",
)
_AT = re.compile(
    r"^I (?:am|have become|became)(?: now)? an? (?P<job>[a-z][\w -]+?) (?P<at>(?:at|with|for) (?:the"
    r" )?(?-i:[A-Z])[\w&'. -]*?)"
    r"(?=,| since| from| there| now| in [A-Z]|$)"
)


def beside(claim: Claim) -> Iterator[Claim]:
    """The further claims that are in `claim`."""
    if claim.language != "en" or claim.ended:
        return
    who = "I" if claim.subject == USER else claim.text[: max(0, _verb_at(claim))].strip()
    if not who:
        return
    be = "am" if who == "I" else "is"
    if found := _AS.match(claim.said):
        since = claim.said[found.end() :].strip(" ,") if re.match(r",? since", claim.said[found.end() :]) else ""
        starts = re.search(r" (?:on|in) (?:\d{1,2} )?(?:[A-Z][a-z]+|\d{4}).*$", found["where"])
        tail = f" {since}" if since else f" from{starts[0].replace(' on ', ' ').replace(' in ', ' ')}" if starts else ""
        yield _another(claim, f"{who} {be} {_article(found['job'])}{tail}", f"I am {_article(found['job'])}{tail}")
    elif found := _AT.match(claim.said):
        yield _another(claim, f"{who} {'work' if who == 'I' else 'works'} {found['at']}", f"I work {found['at']}")
    if claim.nested:
        owner, relation, name = claim.nested
        text = f"{owner}'s {relation} is {name}"
        yield replace(
            claim, text=text, said=f"my {relation} is {name}", subject=owner, someone=Someone("", owner), nested=None
        )


def _article(job: str) -> str:
    return re.sub(r"^the ", "a ", job)


def _another(claim: Claim, text: str, said: str) -> Claim:
    return replace(claim, text=text, said=said, nested=None, old="", introduces="", naming="")


def _verb_at(claim: Claim) -> int:
    """Where the predicate of a clause about somebody begins in its text."""
    found = re.search(r" (?:is|are|was|has|works?|worked|starts?|started|will|became|joined|now)\b", claim.text)
    return found.start() if found else 0
