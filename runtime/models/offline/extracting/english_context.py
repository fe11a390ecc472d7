"""Puts into an English sentence what it leaves to the one before: "there", "mine", "that's what we use"."""

from __future__ import annotations

import re
from datetime import date

from ....when import stretches
from ..stems import word_set
from ..words import terms
from .english_grammar import KEEP
from .scene import Scene

_THERE = re.compile(
    r"\b(?P<verb>live|lives|lived|living|moved|moving|work|works|worked|studied|studying|study|grew up|born|went|going|"
    r"been|am|is|are|was|year|years|semester|degree|house|cottage|flat|job|family|office|spend|spent"
    r"|settled|emigrated|immigrated|relocated|fly|flying|travel|travelling|traveling|driving|heading|cycling)"
    r"(?P<back> back| over| up)? there\b",
    re.I,
)
_PLACE = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b|I')[A-Z][\w'-]+(?: (?:de|la|am|on|upon) [A-Z][\w-]+| [A-Z][\w-]+)*")
_MINE = re.compile(
    r"^(?:mine|ours)(?= (?:is|are|was|has|have|got|died|went|lives?|turned|needs?|eats?|does|[a-z]+s)\b)", re.I
)
_YOURS = re.compile(r"\byour (?P<what>(?:[\w-]+ ){0,3}?[\w-]+)(?=$| (?:is|are|like|called|do)\b|\?)", re.I)
_OWNED = re.compile(
    r"\b(?:an?|the|my|our|any|two|most) (?P<what>(?:[\w-]+ ){0,2}?[\w-]+)(?= (?:for|in|on|at|with|that|is|are)\b|$)",
    re.I,
)
_THAT_IS_WHAT = re.compile(
    r"^(?:that|this|it|which) is (?:what|the one|where|how) (?P<who>I|we|my \w+|our \w+) (?P<verb>(?:have |am |are "
    r"|have been )?(?:all )?(?:use|using|have|got|drive|play|eat|drink|take|run|write|work with|need|own|ride|speak"
    r"|live|am on|are on|grow|wear))\b(?P<rest>.*)$",
    re.I,
)
_THAT_IS_WHEN = re.compile(r"^(?:that|this|it) is (?:when|the day) (?P<what>(?:I|we|my|our|the|he|she) .+)$", re.I)
_LAST_OWN = re.compile(r"\b(?:my|our) (?:[\w-]+ )?[\w-]+$", re.I)
"""Something of the user's at the end of a sentence, which the next calls "it"."""
_IT_GOES = re.compile(
    r"^it (?=(?:runs|ends|starts|costs|has|lasts|expires|belongs|opens|closes|takes|needs|comes|goes"
    r"|is (?:in|on|at|due|called|an?))\b)",
    re.I,
)
_NO_PLACES = word_set("weekday month human_language programming_language database editor framework pronouns")


def in_context(text: str, scene: Scene) -> str:
    """`text` with what it points back to in so many words, where the sentence before names it."""
    before = scene.before
    if place := (places(before) or [scene.place])[-1]:
        text = re.sub(r"\b(?P<verb>am|is|are|comes?) from there\b", rf"\g<verb> from {place}", text)
        text = _THERE.sub(
            lambda found: f"{found['verb']}{found['back'] or ''} {_to(found['verb'])} {place}", text, count=1
        )
    if scene.place:
        text = re.sub(r"^(I am going)(?= (?:for|on|in|with|next|this|at|from)\b)", rf"\1 to {scene.place}", text)
    if before and (when := _THAT_IS_WHEN.match(text)):
        days = stretches(before, date(2000, 1, 1))
        if days:
            return f"{when['what'][0].upper()}{when['what'][1:]} on {before[days[-1].start : days[-1].end]}"
    if before and (pointed := _THAT_IS_WHAT.match(text)) and (what := _named(before)):
        verb = re.sub(r"^have got$|^got$", "have", pointed["verb"])
        text = f"{pointed['who']} {verb} {what}{pointed['rest']}"
    if own := _LAST_OWN.search(before):
        text = _IT_GOES.sub(f"{own[0][0].upper()}{own[0][1:]} ", text)
    text = re.sub(r"^(mine|ours)'s\b", r"\1 is", text, flags=re.I)
    if before and _MINE.match(text) and (what := _asked_of(before)):
        text = _MINE.sub(f"My {what}", text)
    return text


_TOWARDS = word_set(
    "emigrated immigrated relocated moved moving went going fly flying travel travelling traveling"
    " driving heading cycling"
)


def _to(verb: str) -> str:
    return "to" if verb.lower() in _TOWARDS else "in"


def places(text: str) -> list[str]:
    """What may be the names of places in `text`."""
    named = [name for name in _PLACE.findall(f"x {text}") if name not in ("May", "March") and len(name) > 2]
    return [name for name in named if not terms(name).kinds() & _NO_PLACES]


def _named(before: str) -> str:
    """What the sentence before is of: a name in it, or else its last thing."""
    if names := _PLACE.findall(before):
        return str(names[-1])
    found = [one for one in _OWNED.finditer(before) if one["what"].lower() not in ("one",)]
    return f"a {found[-1]['what']}" if found else ""


def _asked_of(before: str) -> str:
    """Whose "mine" is: "your favourite colour", or an animal or thing of which one has one."""
    if yours := _YOURS.search(before):
        return yours["what"]
    for one in _OWNED.finditer(before):
        words = one["what"].lower().split()
        for at, word in enumerate(words):
            single = word.removesuffix("s")
            if {word, single} & set(KEEP.relations) or KEEP.pattern("keep", "owned").search(single):
                return " ".join([*words[:at], single])
    plain = re.findall(r"[\w-]+", before.lower())
    return next((word.removesuffix("s") for word in plain if {word, word.removesuffix("s")} & set(KEEP.relations)), "")
