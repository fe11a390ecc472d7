"""What an English clause says of a thing, or of somebody's something, by its shape: "Otter's database is MySQL" tells
the database of Otter, and "the Otter call moves to Wednesdays" the schedule of the Otter call."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .claim import USER, Claim
from .passing import dated, own_name

_RULES: tuple[tuple[str, str, bool], ...] = (
    (r"(?:is|are|was|were) (?:now |all )?(?:written|coded|programmed|implemented) in (?P<value>.+)", "language", True),
    (r"(?:is|are) (?:now )?(?:licen[cs]ed |released |published )?under (?:the )?(?P<value>.+)", "licence", True),
    (
        r"(?:keeps?|stores?|saves?|holds?) (?:all )?(?:(?:its|their|the|all) )?(?:\w+ )?(?:data|records|state)"
        r" (?:now )?in "
        r"(?P<value>.+)",
        "database",
        True,
    ),
    (r"(?:is|are) (?:now )?(?:called|named) (?P<value>.+)", "name", True),
    (
        r"(?:(?:now )?runs?|(?:is|are|was|were) (?:now )?(?:hosted|deployed|running|moved|migrated)) "
        r"(?:on|at|in|by|with|to) (?P<value>.+)",
        "host",
        True,
    ),
)
_FRAMES = tuple((re.compile(f"^{says}$", re.I), attribute, single) for says, attribute, single in _RULES)
_DAYS = re.compile(
    r"\b(?:(?:on|to|every|each) )*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:every|each) (?:other )?\w+day"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day(?= at)|weekdays|weekends)\b.*|\b(?:at|to) (?:\d{1,2}[:.]\d\d"
    r"|\d{1,2} ?(?:am|pm)"
    r"|(?:quarter|half) (?:past|to) \w+|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon)\b).*",
    re.I,
)
_MEETS = re.compile(
    r"\b(?:call|meeting|meetup|stand-?up|sync|retro|class|lesson|rehearsal|choir|band|club|training|practice|course|"
    r"team|group|orchestra|session|review|one-on-one|yoga|seminar|lecture|market|shift|therapy)s?$",
    re.I,
)
_DATED = re.compile(
    r"^(?:(?:is|are|was|were|has been|have been|has|had|got) )?(?:now |currently )*(?:planned|scheduled|due|set"
    r"|fixed|put "
    r"off|postponed|moved|pushed|delayed|extended|rescheduled|brought forward|shifted|booked|expected|ships?"
    r"|launch(?:es)?|goes live|is|are)"
    r"(?: back| forward)? (?:for|to|on|until|till|by|in) (?P<value>.+)$",
    re.I,
)
_DUE = re.compile(
    r"\b(?:release|launch|deadline|return|report|thesis|paper|hand-in|submission|application|essay|invoice|assignment|"
    r"milestone|demo|version|manuscript|draft|payment|renewal|rent|bill|dissertation|homework|beta|migration)s?$",
    re.I,
)
_TRIP = re.compile(
    r"\b(?:appointment|check-up|trip|holiday|vacation|visit|flight|wedding|party|concert|exam|interview|journey|move|tour)s?$",
    re.I,
)
_IS = re.compile(
    r"^(?:is|are|was|were|will be|became|has become)(?: now| still| currently| always| actually| just)* (?P<value>.+)$",
    re.I,
)
_TO = re.compile(r"^(?:was|were|is|has|have been|has been)(?: \w+ed)? to (?P<value>.+)$", re.I)
_BE_DOING = re.compile(r"^(?:\w+ing|not|so|too|very|really|a bit|pretty|quite)\b", re.I)
_OWNED = re.compile(r"^(?P<owner>.+?)['’]s? (?P<what>[a-z][\w -]*|[A-Z]{2,})$")
_OF = re.compile(r"^(?P<what>[a-z][\w-]+) of (?:the |my |our )?(?P<owner>.+)$", re.I)
NAMES = {
    "boss": "manager",
    "supervisor": "manager",
    "line manager": "manager",
    "db": "database",
    "repo": "repository",
    "license": "licence",
    "employer": "workplace",
    "release date": "deadline",
    "birth date": "birthday",
    "boyfriend": "partner",
    "girlfriend": "partner",
    "husband": "partner",
    "wife": "partner",
    "fiancé": "partner",
    "fiancée": "partner",
    "daughter": "child",
    "son": "child",
}
"""Words for the usual attributes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a clause tells of whom."""

    subject: str
    attribute: str
    value: str
    single: bool
    dated: bool = False
    """Its value is the day that it is for."""


def frame(claim: Claim) -> Frame | None:
    """The shape of a clause that is of a thing, or of somebody's something; None where it has none of these."""
    if claim.language != "en" or claim.subject == USER or (claim.someone and claim.someone.relation):
        return None
    subject = claim.subject
    start = claim.text.lower().find(f"{subject.lower()} ")
    if start < 0 or start > 12 or not _whose(claim):
        return None
    rest = claim.text[start + len(subject) + 1 :]
    owner, what = owned(subject)
    days = _DAYS.search(rest)
    if days and (
        _MEETS.search(subject) or re.match(r"^(?:meets?|rehearses?|trains?|gathers?|takes place)\b", rest, re.I)
    ):
        return Frame(subject, "schedule", re.sub(r"^(?:on|to|at) ", "", days[0], flags=re.I), True)
    if planned := _DATED.match(rest):
        if _DUE.search(subject):
            return Frame(subject, "deadline", planned["value"], True, dated=True)
        if _TRIP.search(subject):
            return Frame(subject, "plan", planned["value"], True, dated=True)
    if _DUE.search(subject) and (due := _IS.match(rest)) and dated(claim):
        return Frame(subject, "deadline", due["value"], True, dated=True)
    for pattern, attribute, single in _FRAMES:
        found = pattern.match(rest)
        if found and not _BE_DOING.match(found["value"]):
            return Frame(owner or subject, what if owner and attribute == "host" else attribute, found["value"], single)
    if owner:
        value = _TO.match(rest) or _IS.match(rest)
        if value and not _BE_DOING.match(value["value"]):
            return Frame(owner, what, value["value"], True)
    return None


def _whose(claim: Claim) -> bool:
    """Whether the clause is of something of the user's, or of something that has a name of its own."""
    own = re.match(r"^(?:my|our)\b", claim.text, re.I) or re.search(r"\bof (?:my|our)\b", claim.text, re.I)
    bare = not re.match(r"(?:this|that|these|those|an?)\b", claim.text, re.I)
    agreed = _MEETS.search(claim.subject) or _DUE.search(claim.subject) or _TRIP.search(claim.subject)
    return bool(own) or claim.asked or own_name(claim.subject) or bool(bare and agreed)


def owned(subject: str) -> tuple[str, str]:
    """Owner and what it has, of "Otter's database" and "database of Otter"; both empty for anything else."""
    found = _OWNED.match(subject) or _OF.match(subject)
    if not found:
        return "", ""
    what = found["what"].lower()
    return found["owner"], NAMES.get(what, what)
