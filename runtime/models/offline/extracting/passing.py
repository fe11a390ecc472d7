"""What passes, and so is not kept: progress, states of the moment, reactions, errors, the next step, and what concerns
this turn alone. What a clause tells is kept unless this says otherwise. The lists stand in phrasebook/keep_*.toml,
under `drop`.
"""

from __future__ import annotations

import re

from ....when import stretches
from ..stems import word_set
from ..words import terms
from .claim import USER, Claim
from .english_lasting import at_hand, lasting
from .keeping import keeping

_OF_OTHERS = re.compile(
    r"^I (?:want|need|have|believe|know|trust|promise|like|love|hate|would|could|can|cannot|may)\b|"
    r"^I am (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+)$"
)
"""What in the user's own mouth is a request or a remark, and of somebody else tells of them."""
_BODY = re.compile(
    r"\b(?:hearing|eyesight|vision|memory|balance|knees?|back|hips?|shoulder|heart|eyes|ears|hands)$",
    re.I,
)
_OFF = re.compile(r"\b(?:is|was|has been|got) (?:cancelled|canceled|called off|postponed)\b", re.I)
_NOBODY = re.compile(
    r"(?:some|any)(?:where|thing|one|body)\b.*|"
    r"(?:that|this|these|those|it|which|whoever|whatever|whichever)\b|(?!own )(?:\w+ )?ones?$|(?:[\w-]+"
    r" )*(?:question|problem|issue|point"
    r"|idea|thing|error|answer|paragraph|sentence|line|part|option|bit|nothing|something)$",
    re.I,
)
"""A subject that only this talk shows."""
_RETURNS = re.compile(
    r"^I (?:am |have been )?(?:now )?(?:back (?:on|to|at)|(?:on|drink|eat|use|smoke|take|play|live|work|go"
    r"|drive|cycle)\w*) .*"
    r"\b(?:again|these days|from now on|as of)\b|^I am (?:vegetarian|vegan|single|veggie|pescatarian) again\b",
    re.I,
)
"""A state that returns: "I'm drinking coffee again"."""


def passing(claim: Claim) -> bool:
    """Whether `claim` tells nothing that lasts; never what the user asked to remember."""
    tables, said = keeping(claim.language), claim.said
    if claim.asked:
        return False
    if claim.language == "en" and not claim.old and (at_hand(said) or _NOBODY.match(claim.subject)):
        return True
    if not claim.old and tables.pattern("drop", "any").search(said):
        of_other = claim.someone is not None and _OF_OTHERS.match(said) is not None
        # Where one is on a day to come is no state of the moment: "I am back on 1 May".
        planned = claim.language == "en" and re.match(r"^I am (?!\w+ing\b)", said) and _days_ahead(claim) > 1
        if not of_other and not planned and not _RETURNS.match(said):
            return True
    if tables.pattern("drop", "next_step").search(said) and not dated(claim, beyond_today=True):
        return True
    return (
        claim.subject != USER
        and claim.someone is None
        and not dated(claim)
        and not _BODY.search(claim.subject)
        and "human_language" not in terms(claim.subject).kinds()
        and tables.pattern("drop", "thing").search(said) is not None
    )


def returns(claim: Claim) -> bool:
    """Whether it tells that something is so again."""
    return _RETURNS.match(claim.said) is not None


def kept_by_default(claim: Claim, *, past: bool) -> bool:
    """Whether a clause that nothing else knows is a statement of somebody, or of something named or owned, and so
    worth keeping."""
    tables, said = keeping(claim.language), claim.said
    if claim.hedged or tables.pattern("drop", "faint").search(said):
        return False
    if claim.subject != USER and _OFF.search(said):
        return own_name(claim.subject)
    if len(said.split()) < 3:
        return False
    if claim.subject == USER:
        if not re.match(r"^(?:I|my)\b", said):
            return False
        if said.startswith("my "):
            return not past and (_weighty(claim) or _VALUED.match(said) is not None)
        return lasting(claim, ahead=dated(claim, beyond_today=True))
    if not claim.someone and _SUPPOSED.search(claim.text):
        return False
    if not claim.someone and not past and _days_ahead(claim) > 2 and re.match(r"(?:my|our)\b", claim.text, re.I):
        return True
    if tables.pattern("drop", "person" if claim.someone else "state").search(said):
        return False
    if claim.someone:
        day = dated(claim, beyond_today=True)
        return (lasting(claim, ahead=day) or (past and day)) and (
            bool(claim.someone.relation) or own_name(claim.someone.name)
        )
    if past and not dated(claim, beyond_today=True):
        return False
    own = re.match(r"^(?:my|our)\b", claim.text, re.I) is not None
    return (
        own
        or claim.ours
        or own_name(claim.subject)
        or re.search(r"\b(?:for|suits?|works for) (?:us|me)$", claim.text) is not None
    )


_VALUED = re.compile(r"^my [\w -]+? (?:is|are) (?:an? |the |one |two |three |four |five |\d|(?-i:[A-Z]))", re.I)
"""What somebody's something is, in so many words: "my limit is two coffees"."""
_SUPPOSED = re.compile(r"\b(?:would|could|might|may|should|must have)\b")


def _days_ahead(claim: Claim) -> int:
    """How many days lie before what a clause tells of; 0 where it names none to come."""
    today = claim.entry.at.date()
    return max(((one.day - today).days for one in stretches(claim.text, today, ahead=True)), default=0)


def _weighty(claim: Claim) -> bool:
    """Whether a clause names somebody or something of its own, or tells what the user has or made."""
    if dated(claim, beyond_today=True):
        return True
    names = re.findall(r"(?<=[a-z,] )(?!I\b)[A-Z][\w-]+", claim.text)
    return (
        any(own_name(name) for name in names)
        or re.search(
            r"^I (?:planted|built|made|painted|sewed|knitted|baked|brewed|restored|inherited|own|have|keep"
            r"|teach|handle|run) "
            r"(?:an?|two|three|four|my|our) (?:[\w-]+ ){1,}",
            claim.said,
        )
        is not None
    )


def own_name(name: str) -> bool:
    """Whether it is a name that is nobody's but this user's to tell of: none that the tables know, of a product or a
    place."""
    words = re.findall(r"[\w-]+", name)
    return any(word[:1].isupper() and word != "I" and not terms(word).kinds() & _EVERYBODYS for word in words)


_EVERYBODYS = word_set("""city country human_language weekday month programming_language database editor framework
operating_system cloud browser tracker chat version_control ci message_queue container monitoring payment""")
"""Kinds of names that say nothing of the user."""


def dated(claim: Claim, *, beyond_today: bool = False) -> bool:
    """Whether a clause names a day, other than today with `beyond_today`."""
    today = claim.entry.at.date()
    return any(one.day != today or not beyond_today for one in stretches(claim.text, today, ahead=True))
