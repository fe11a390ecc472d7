"""Judges a claim: what it tells of whom, and whether that is worth keeping."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ....when import stretches
from ..facts import classify
from ..person import open_up
from ..stems import IRREGULAR, is_cjk, word_set
from ..words import terms
from .chinese_lasting import lasts, solid
from .claim import USER, Claim
from .english_whole import stands
from .english_wishes import style
from .frames import NAMES, frame
from .keeping import Facet, Keeping, keeping
from .passing import dated, kept_by_default, passing, returns
from .values import bare_value

_WEAK = word_set("""
habit hobby taste dislike has plan event trait schedule tool health diet decision rule""")
"""Attributes that a clause tells in passing, so that what only follows, or is of today alone, is not kept."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a claim tells."""

    attribute: str
    value: str
    importance: int
    single: bool = False
    permanent: bool = False
    episode: bool = False
    """It happened at a time."""
    moment: bool = False
    """What it tells began at the time that it names."""
    planned: bool = False
    past: bool = False
    by_default: bool = False
    """Nothing knows what it tells; it is kept for how it is told."""


def judge(claim: Claim) -> Meaning | None:
    """What `claim` tells, or None where nothing of it lasts."""
    tables = keeping(claim.language)
    if claim.figure:
        return Meaning(claim.figure.attribute, claim.figure.value, 5, single=True, moment=True)
    if claim.language == "en":
        claim.said = open_up(claim.said, negations=True)
    claim.said = re.sub(r"^I (have|had) got (?=the|an?|my|our|\d)", r"I \1 ", claim.said)
    said = claim.said
    if claim.wish:
        if styled := style(said):
            # Of each there is one at a time: who wants long answers wants no short ones.
            claim.subject = styled[0]
            return Meaning("rule", styled[1], 7, single=True, moment=True)
        return Meaning("rule", said, 7)
    if headed := _headed(claim):
        return headed
    if passing(claim):
        claim.vetoed = True
        return None
    if claim.whole:
        return Meaning("note", said, 4)
    if claim.someone is None and claim.subject != USER and _AS_IT_IS.match(claim.text):
        return None
    past = _past(claim, tables)
    if framed := frame(claim):
        claim.subject, claim.placed = framed.subject, True
        value = bare_value(framed.value, framed.attribute, claim.language, claim.entry.at.date())
        return Meaning(framed.attribute, value, 7 if framed.dated else 6, framed.single, moment=not framed.dated)
    if _ANIMAL_OFFICE.search(said) and claim.someone and tables.relations.get(claim.someone.relation) == "pet":
        return None
    meaning = (
        _naming(claim, tables)
        or _facet(claim, tables, past)
        or _other(claim, tables, past)
        or _plain(claim, tables, past)
    )
    if meaning is None:
        return Meaning("note", said, 7) if claim.asked else None
    if claim.asked:
        return meaning
    often = tables.pattern("keep", "often").search(said) is not None or " a lot" in said
    if (
        claim.consequence
        and claim.language == "zh"
        and meaning.attribute in _WEAK
        and not often
        and not (meaning.planned and dated(claim, beyond_today=True))
    ):
        return None
    if (
        meaning.attribute in _WEAK
        and not past
        and not returns(claim)
        and tables.pattern("drop", "today").search(claim.text if claim.language == "zh" else said)
        and not tables.pattern("keep", "often").search(said)
    ):
        return None if not (meaning.planned and dated(claim)) else meaning
    return meaning


_ANIMAL_OFFICE = re.compile(
    r"\b(?:made|appointed|promoted|elected|hired|fired|resigned|salary|manager|director|ceo|president|boss)\b", re.I
)
"""What is told of an animal in jest."""


def _naming(claim: Claim, tables: Keeping) -> Meaning | None:
    """Who somebody of the user's is: "My boss is called Inés"."""
    if not claim.naming:
        return None
    group = tables.relations.get(claim.introduces, "friend")
    office = NAMES.get(claim.introduces, claim.introduces)
    if group == "colleague" and claim.language == "en":
        return Meaning(office, claim.naming, 6, single=office not in _MANY, moment=True)
    return Meaning(group, claim.naming, 6, single=group == "partner", moment=True)


def _headed(claim: Claim) -> Meaning | None:
    """What stands under a heading: "Team rule: ...", "Decision: ..."."""
    found = HEADING.search(claim.heading)
    if not found:
        return None
    if claim.subject.lower() in ("no", "all", "every"):
        claim.subject = USER
    return Meaning("rule" if found["rule"] else "decision", claim.said, 7)


HEADING = re.compile(
    r"\b(?P<rule>rule|policy|convention|guideline|standard|house style|code style)\b|"
    r"(?P<rule_zh>规定|规矩|规范|约定)|\b(?:decision|decided|verdict|agreed|we agreed)\b|决定|"
    r"结论",
    re.I,
)


def _plain(claim: Claim, tables: Keeping, past: bool) -> Meaning | None:
    """What nothing else tells, kept as a plain fact or episode unless it passes."""
    if not (lasts if claim.language == "zh" else kept_by_default)(claim, past=past):
        if (
            claim.language == "en"
            and not claim.someone
            and " I " not in claim.subject
            and stands(claim.text, claim.entry)
        ):
            return Meaning("note", claim.text, 3, by_default=True)
        return None
    said, whole = claim.said, claim.text
    if past:
        return Meaning("event", whole, 4, episode=True, past=True, by_default=True)
    if _ahead(claim) and not tables.pattern("keep", "often").search(claim.text):
        return Meaning("plan", whole, 5, planned=True, by_default=True)
    if its := _ITS.match(said):
        what = its["what"].lower()
        return Meaning(NAMES.get(what, what), _value(its["value"], claim, what), 5, single=True, moment=True)
    family = claim.someone is not None and tables.relations.get(claim.someone.relation) == "family"
    return Meaning("family" if family else "trait", whole, 5 if claim.someone else 4, by_default=True)


_AS_IT_IS = re.compile(r"^(?!my|our)[A-Za-z][a-z]+ (?:is|are) [a-z]+$")
"""How something of nobody's is just now: "budget is tight"."""
_ITS = re.compile(
    r"^my (?P<what>(?!least|most|only|first|last)[a-z][a-z-]+(?: [a-z][a-z-]+)?) (?:is|are|will be) "
    r"(?P<value>(?!\w+ing\b|not\b|so\b|too\b|very\b|really\b|in\b|on\b|at\b).+)$"
)
"""What somebody's something is: "my landlord is Mr Claes"."""


def _facet(claim: Claim, tables: Keeping, past: bool) -> Meaning | None:
    for facet in tables.facets:
        for pattern in facet.patterns:
            found = pattern.search(claim.said)
            if found is None:
                continue
            value = (found.groupdict().get("value") or "").strip(" ,.")
            if not _fits(facet, value, claim, tables, past):
                continue
            if facet.attribute == "workplace" and _is_school(claim, value):
                return Meaning("education", _value(value, claim, "education"), 7, single=True, moment=True)
            if facet.attribute == "diet":
                return _diet(claim, value, facet.importance, past=past)
            return Meaning(
                facet.attribute,
                _value(value, claim, facet.attribute),
                facet.importance,
                facet.single,
                facet.permanent,
                moment=(facet.moment or _TURNED.search(claim.text) is not None) and not _LIVED.search(claim.said),
                planned=facet.planned,
                past=past and not (facet.planned or facet.dated),
            )
    return None


_TURNED = re.compile("[换改调转挪](?:到|成|回|去|为)")
"""A change, and so the beginning of something: 又调回夜班了."""
_LIVED = re.compile(r"过$")
"""What was so once, and takes no place of what is: 我在兰州住过."""


def _is_school(claim: Claim, value: str) -> bool:
    """Whether a child of the user's goes there to learn: "He started at Elm Primary"."""
    child = claim.someone is not None and keeping(claim.language).relations.get(claim.someone.relation) == "child"
    return child and _SCHOOL.search(value) is not None


_SCHOOL = re.compile(r"\b(?:primary|school|kindergarten|nursery|elementary|academy|college|university|grammar)\b", re.I)


def _diet(claim: Claim, value: str, importance: int, *, past: bool) -> Meaning:
    """A way to eat, of which there is one at a time; or something that is not eaten or drunk, of which there"
    " are many."""
    if named := _WAY_TO_EAT.search(claim.said):
        return Meaning("diet", named[0].lower(), importance, single=True, moment=True, past=past)
    value = _value(value, claim, "diet")
    if _DRINKS.match(claim.said):
        return Meaning("drink", value, importance, single=returns(claim), moment=True, past=past)
    meat = claim.language == "zh" or _kinds(value) & {"meat", "animal"} or re.search(r"\b(?:meat|animal)", value)
    return Meaning("diet" if meat else "avoids", value, importance, moment=True, past=past)


_WAY_TO_EAT = re.compile(
    r"\b(?:vegetarian|vegan|pescatarian|pescetarian|kosher|halal|flexitarian|keto|plant-based)\b|"
    r"吃全素|全素|纯素|吃素|素食|清真|生酮",
    re.I,
)
_DRINKS = re.compile(r"^I (?:\w+ly |only |now |mostly )?drink\b|^I am drinking\b", re.I)


def _fits(facet: Facet, value: str, claim: Claim, tables: Keeping, past: bool) -> bool:
    if facet.kinds and not facet.kinds & _kinds(claim.said if facet.anywhere else value):
        return False
    if facet.needs and not facet.needs.search(claim.text):
        return False
    if facet.attribute == "home" and _kinds(value) & _TOOLS:
        return False
    if facet.dated and not dated(claim):
        return False
    if facet.team and not _TEAM.match(claim.text):
        return False
    if facet.planned:
        return _planned(claim, tables) and not (past and claim.language == "zh" and not _ahead(claim, read_ahead=False))
    if facet.attribute == "name" and claim.said.startswith("I am ") and not claim.said.startswith("I am called"):
        return not _kinds(value) and not value.endswith(("ish", "ian", "ese", "can", "er"))
    if facet.attribute == "has":
        return _possession(value, tables)
    return True


def _planned(claim: Claim, tables: Keeping) -> bool:
    """Whether a plan is more than the next step: it has a date, or it says itself that it is one."""
    return dated(claim, beyond_today=True) or tables.pattern("keep", "ambition").search(claim.said) is not None


def _possession(value: str, tables: Keeping) -> bool:
    return bool(_kinds(value) & _OWNED) or tables.pattern("keep", "owned").search(value) is not None


_TEAM = re.compile(r"^(?:in our [\w ]+ )?(?:we|our|the team|at work|everyone)\b|^(?:我们|咱们|公司|团队)", re.I)
_MANY = word_set("colleague colleagues coworker co-worker teammate client intern professor teacher lead")
_TOOLS = word_set("editor database framework programming_language operating_system browser tracker cloud")
_OWNED = word_set("drive phone laptop device instrument pet dog cat bird")


def _other(claim: Claim, tables: Keeping, past: bool) -> Meaning | None:
    """What no facet tells: an event of the user's life, a lasting habit or trait, a thing of theirs."""
    said = claim.said
    if past and _event(claim, tables):
        return Meaning("event", said, 5, episode=True, past=True)
    if tables.pattern("keep", "trait").search(said):
        return Meaning("trait", said, 6)
    if parent := re.match(
        r"^I (?:am|have become|became) (?:now )?an? (?P<value>father|mother|dad|mum|mom|parent)$", said
    ):
        return Meaning("family", parent["value"], 6, past=past)
    if tables.pattern("keep", "person").search(said) and re.match(
        r"^(?:I (?:am|have been|was)(?! not)|我是)" if claim.someone else r"^(?:I (?:am|have been)(?! not)|我是)", said
    ):
        return Meaning(
            "job",
            _value(re.sub(r"^(?:I am|I was|I have been|我是)\s*(?:an? |the )?", "", said), claim, "job"),
            8,
            single=True,
            moment=True,
            past=past,
        )
    if claim.subject != USER and claim.someone is None:
        return _of_thing(claim, tables, past) if claim.language == "en" or solid(claim) else None
    if (
        not past
        and tables.pattern("keep", "often").search(said)
        and (claim.someone or tables.pattern("keep", "acts").search(said))
    ):
        return Meaning("habit", said, 5)
    return None


def _of_thing(claim: Claim, tables: Keeping, past: bool) -> Meaning | None:
    words = {word.lower() for word in re.findall(r"[\w-]+", claim.subject)} if not is_cjk(claim.subject) else set()
    things = tables.words("keep", "things")
    known = any(word in things or word.removesuffix("s") in things for word in words)
    named = re.search(r"^my [\w -]+? (?:is|are) (?-i:[A-Z])\w+", claim.said) and re.match(
        r"(?:my|our)\b", claim.text, re.I
    )
    known = known or _WEEKLY.search(claim.said) is not None or named is not None
    if is_cjk(claim.subject):
        known = any(thing in claim.subject for thing in things)
    if not known:
        return None
    if past and not dated(claim, beyond_today=claim.language == "en") and not _OURS.match(claim.text):
        return None
    if tables.pattern("keep", "often").search(claim.said):
        return Meaning("schedule", claim.said, 6)
    told = classify(claim.text)
    attribute = next((name for name, kinds in _OF_THINGS if kinds & _kinds(claim.subject)), claim.subject.lower())
    return Meaning(
        attribute, _value(told.value, claim, attribute) or claim.said, 6, single=True, moment=True, past=past
    )


_OURS = re.compile(r"^(?:公司|我们|单位|学校|家里|办公室)")
_WEEKLY = re.compile(
    r"\b(?:on|every|each) (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"每?周[一二三四五六日天]",
    re.I,
)
_OF_THINGS: tuple[tuple[str, frozenset[str]], ...] = (
    ("deadline", frozenset(("deadline",))),
    ("schedule", frozenset(("meet",))),
    ("has", frozenset(("drive", "phone", "laptop", "device", "instrument", "bike"))),
    ("tool", frozenset(("framework", "operating_system", "programming_language"))),
)


def _event(claim: Claim, tables: Keeping) -> bool:
    said = claim.said
    if claim.language == "zh":
        said = claim.text
        return tables.pattern("keep", "event").search(said) is not None and (
            dated(claim) or tables.pattern("keep", "plainly").search(said) is not None
        )
    verb = _verb(said)
    if verb not in tables.words("keep", "event"):
        return False
    if len(said.split()) < 4 or _ONLY_WHEN.fullmatch(said):
        return False
    if verb in tables.words("keep", "plainly") or tables.pattern("keep", "object").search(said):
        return True
    return dated(claim, beyond_today=True)


_ONLY_WHEN = re.compile(
    r"I (?:have |had |just |only )*(?:started|began|finished|ended|stopped) (?:in|on|at|last|this"
    r"|yesterday|today|two|three|a) ?[\w ]*",
    re.I,
)
"""What began or ended, of which nothing but its day is told."""


def _past(claim: Claim, tables: Keeping) -> bool:
    if claim.language == "zh":
        # What was put on another day is still to come, although it says 了.
        planned = re.match("我?(?:打算|计划|准备|想|要)", claim.said) or _MOVED_TO.search(claim.text)
        return not planned and tables.pattern("keep", "past").search(claim.text) is not None
    verb = _verb(claim.said)
    return (
        bool(verb)
        and verb not in ("has", "have", "is", "am", "are")
        and (
            verb in ("was", "were", "had", "did")
            or (verb in IRREGULAR and verb not in _PRESENT)
            or (verb.endswith("ed") and verb not in ("need", "feed"))
        )
    )


_MOVED_TO = re.compile(
    r"(?:改|推迟|延后|延期|挪|提前|调)到(?:[\d一二三四五六七八九十]+[月号日点周]|[下明后]|周|星期|礼拜|年底|春节)"
)
_PRESENT = word_set("am is are been has have does put set let cost run come become cut read")
_SKIPPED = word_set("""
just also still now have has then finally recently already all never always only once""")


def _verb(said: str) -> str:
    """The verb of a clause in the first person, adverbs and "have" aside."""
    words = [word.strip(",.'\"").lower() for word in said.split()]
    start = (
        1
        if words and words[0] in ("i", "we")
        else next(
            (
                at
                for at, word in enumerate(words)
                if at and (word in IRREGULAR or word.endswith("ed") or word in ("is", "are", "was", "has"))
            ),
            1,
        )
    )
    for word in words[start : start + 5]:
        if word in _SKIPPED or (word.endswith("ly") and len(word) > 4):
            continue
        return word
    return ""


def _ahead(claim: Claim, *, read_ahead: bool = True) -> bool:
    """Whether it names a day to come, other than one since which something is so."""
    today = claim.entry.at.date()
    return any(
        one.after > today and one.day > today
        for one in stretches(claim.text, today, ahead=read_ahead)
        if not re.search(r"\bsince\b[\w ]*$|自从?$", claim.text[: one.start] + claim.text[one.start : one.end][:6])
    )


def _kinds(value: str) -> frozenset[str]:
    about = terms(value)
    # "My cat" names its kind where it is no example of one.
    return about.kinds() | frozenset(name for term in about.terms for name in term.names)


def _value(text: str, claim: Claim, attribute: str) -> str:
    return bare_value(text, attribute, claim.language, claim.entry.at.date())
