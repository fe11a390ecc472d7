"""Puts what people say in passing, or in a way of their own, into the words that the tables know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from difflib import SequenceMatcher

from ....when import stretches
from ..stems import tokens, word_set
from ..words import terms
from .claim import Claim, Entry, Someone
from .english_grammar import KEEP, NAME, RELATION
from .english_regular import regular
from .scene import Scene

_APPOSITION = re.compile(rf"^(?P<name>{NAME}), (?:my|our) (?P<relation>(?:[\w-]+ )?(?:{RELATION})),? (?=[a-z])")

_EATEN = word_set("food meat seafood dairy nut drink sweets fruit vegetable coffee eat diet")

NOTE = re.compile(
    r"^(?:(?:please |pls )?(?:make|take) a note(?: of this)?(?:, please)?|(?:a |quick |small "
    r")*(?:note|reminder|memo|fact|info)(?: for (?:later|you|the file|"
    r"future|my file))?(?: to self)?|for the record|for your (?:notes|files)|"
    r"(?:please |pls )?(?:don't|do not|never) let me forget(?: (?:this|that|this one|about "
    r"this))?|keep in mind|file this|save this|write this down)\s*[:,—–-]+\s*(?:that "
    r")?(?P<what>.{4,})$",
    re.I,
)

_ILLNESS = re.compile(
    r"\b(?:given|because of|due to|with|thanks to|despite) my (?P<what>[\w-]+(?: "
    r"[\w-]+)?)(?=,|$| and| I| is)",
    re.I,
)

_FLAT = re.compile(
    r"\b(?:my|our) (?:new |old |little |tiny |current )*(?:flat|house|apartment|home|place|"
    r"studio|cottage) in (?P<place>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*)",
    re.I,
)

_TRAINEE = re.compile(
    r"\bmy (?:new )?(?P<what>traineeship|internship|job|work|shift|apprenticeship|degree|phd|"
    r"studies|residency) at (?P<place>(?:the )?(?-i:[A-Z])[\w'&-]+(?: (?-i:[A-Z])[\w'&-]+)*)",
    re.I,
)

_INTRODUCED = re.compile(
    rf"(?:^|[:,] |\bmeet |\bis )(?P<name>{NAME}), (?P<kind>(?:a|an|our|my) (?:[\w-]+ "
    rf"){{0,2}}?(?P<relation>{'|'.join(KEEP.table['relations']['pet'].split())}))\b(?! (?:is|"
    rf"was|has))",
    re.I,
)

_EVENT_NOUN = re.compile(
    r"^(?:train|flight|ferry|trip|concert|interview|appointment|exam|surgery|wedding|"
    r"conference|check-up|viewing|audition|hearing|dentist|doctor|gp|vet|optician|hairdresser|haircut|physio|dinner"
    r"|lunch|meeting|party) (?:to |for |on |with |at |in |from |is )?(?=[\w])\b(?! "
    r"(?:is|was|went|got)\b)",
    re.I,
)

_DOCTOR = re.compile(
    r"^(?:the|my) (?:doctor|gp|cardiologist|physio|dentist|vet|nurse) (?:says|said|told me|"
    r"wants me|advised me|recommends|has told me|insists)(?: that)? (?:I (?:need to|have to|"
    r"should|must|ought to) |to )",
    re.I,
)

_FOUND_OUT = re.compile(
    r"^(?:the|my|our) (?:[\w-]+ ){1,3}?(?:has |have |just |finally )*(?:found(?: out)?|discovered|confirmed|says?"
    r"|said|told me|shows?|showed|thinks)(?: that)? (?=(?:I|we|my|our) (?:[\w-]+ ){0,2}?(?:have|has|am|are|is|had"
    r"|need|was|were)\b)",
    re.I,
)
"""Who says what is told of the user: "the vet says our cat has asthma"."""
_WRONG = re.compile(
    r"^you (?:have |got |have got )?(?:my|our) (?P<thing>[\w ]+?) wrong[,;:.-]* (?:it is|it "
    r"should be|that is|it was) (?P<value>.+)$",
    re.I,
)

_PUT_OFF = re.compile(
    r"^(?:they|we|I|he|she|(?:the|my|our) [\w ]+?) (?:have |has )?(?P<verb>pushed|moved|postponed|extended|"
    r"rescheduled|delayed|shifted|brought(?: forward)?)(?: back)? (?P<thing>(?:the|our|my) [\w ]+?)"
    r"(?: back| forward)? (?:to|until|till) (?P<to>.+)$",
    re.I,
)

_MENTION = re.compile(
    rf"\b(?:my|our) (?P<of>(?:[\w-]+ )??(?P<relation>{RELATION}))\b(?! "
    rf"(?:{RELATION})\b)(?!')(?: (?P<name>{NAME}))?",
    re.I,
)

_WITH = re.compile(
    r"\b(?:with|met|saw|called|visited|from|about|(?<!moved )(?<!moving )(?<!moves )(?<!move )(?<!went )(?<!going )"
    r"(?<!back )(?<!trip )(?<!way )(?<!flying )to) (?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)"
    r" )?(?-i:[A-Z][a-z]+))(?=,| and|$| "
    r"yesterday| today| last| for| at)"
)

_KEY_WORDS = [
    "diabetic",
    "asthmatic",
    "allergic",
    "allergy",
    "vegetarian",
    "birthday",
    "daughter",
    "brother",
    "sister",
    "girlfriend",
    "boyfriend",
    "husband",
    "diabetes",
    "moved",
    "favourite",
    "married",
    "shellfish",
    "gluten",
]


def product(text: str) -> str:
    """A tool that a sentence names: "Is there a Kate shortcut for this?"."""
    names = re.findall(r"(?<=[a-z] )[A-Z][a-z]+\b", text)
    known = [
        word
        for word in tokens(text)
        if terms(word).kinds() & {"editor", "database", "framework", "programming_language", "tracker", "browser"}
    ]
    return (known or names or [""])[-1]


def respelled(text: str) -> str:
    """`text` with the words that matter most spelled as they should be: "alergic" is "allergic"."""

    def spelled(found: re.Match[str]) -> str:
        word = found[0]
        low = word.lower()
        if low in _KEY_WORDS or low in ("bother", "bothered"):
            return word
        return next((key for key in _KEY_WORDS if low[0] == key[0] and _one_slip(low, key)), word)

    return re.sub(r"\b[a-zA-Z]{5,12}\b", spelled, text)


def _one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter that is missing, doubled or swapped with its neighbour."""
    if abs(len(one) - len(other)) == 1:
        short, long = sorted((one, other), key=len)
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long))) and long != short + "s"
    if len(one) != len(other):
        return False
    places = [at for at in range(len(one)) if one[at] != other[at]]
    if len(places) == 1 and len(one) > 6 and places[0] > 2:
        return True
    return (
        len(places) == 2
        and places[1] == places[0] + 1
        and one[places[0]] == other[places[1]]
        and one[places[1]] == other[places[0]]
    )


_SEVERAL = re.compile(
    rf"^(?P<own>(?:my|our) (?:[\w-]+ )?(?:{RELATION})), (?P<names>{NAME}(?:, {NAME})*,? and {NAME}),? (?=[a-z])", re.I
)


def in_passing(text: str, entry: Entry, scene: Scene) -> Iterator[Claim]:
    """What a noun phrase tells wherever it stands: "hello from our new flat in Bruges"."""
    if (ill := _ILLNESS.search(text)) and terms(ill["what"]).kinds() & {"sick"}:
        yield Claim(f"I have {ill['what']}", f"I have {ill['what']}", "en", entry)
    if several := _SEVERAL.match(text):
        stated = f"{several['own']} are {several['names']}"
        yield Claim(stated, re.sub(r"^our", "my", stated, flags=re.I), "en", entry)
    for thing in _MINE.finditer(text):
        if not terms(thing["name"]).kinds() & {"month", "weekday", "human_language", "city", "country"}:
            yield Claim(f"I have a {thing['name']}", f"I have a {thing['name']}", "en", entry)
    home = _FLAT.search(text)
    if home and (home.start() == 0 or not re.match(r"^(?:I|we|my|our)\b", text, re.I)):
        yield Claim(f"I live in {home['place']}", f"I live in {home['place']}", "en", entry)
    if place := _TRAINEE.search(text):
        stated = (
            f"I work at {place['place']}"
            if place["what"].lower() in ("job", "work", "shift")
            else f"I do my {place['what']} at {place['place']}"
        )
        yield Claim(stated, stated, "en", entry)
    if pet := _INTRODUCED.search(text):
        relation = pet["relation"].lower()
        scene.meet(Someone(relation, pet["name"], relation))
        stated = f"I have {pet['kind']} named {pet['name']}"
        yield Claim(stated, stated, "en", entry)


_MINE = re.compile(
    r"\b(?:my|our) (?P<name>(?:(?:old|new) )?(?-i:[A-Z]\w*[a-z]\w*|[A-Z]\w+)(?: (?-i:[A-Z])[\w-]*){0,2})(?= (?:is"
    r"|was|has|sounds?|looks?|makes?|keeps?|needs?|won't|runs?|gets?|died|broke|crashe[sd])\b|,|[.?!]|$)"
)
"""Something with a name of its make: "the fan of my ThinkPad sounds bad"."""


def rewritten(text: str) -> str:
    """A sentence in the words that the tables know: "They made me head" is "I was made head"."""
    text = regular(text)
    text = _APPOSITION.sub(r"My \g<relation> \g<name> ", text)
    text = re.sub(
        r"^(?P<who>[\w' ]+?) (?:let me go|fired me|sacked me|laid me off|made me redundant)\b",
        r"I was laid off by \g<who>",
        text,
    )
    text = re.sub(
        rf"^((?:my|our) (?:[\w-]+ )?(?:{RELATION})(?: {NAME})?), (?P<age>\d{{1,3}}), ", r"\1 ", text, flags=re.I
    )
    if _EVENT_NOUN.match(text) and stretches(text, date(2000, 1, 1)):
        text = f"I have a {text[0].lower()}{text[1:]}"
    text = re.sub(rf"^The (?=(?:{RELATION})\b)", "My ", text, flags=re.I)
    text = re.sub(
        r"^my (?:friends|family|mates|colleagues|kids|parents|students) (?:all )?(?:say|call me|"
        r"know me as) (?-i:(?=[A-Z]))",
        "I am called ",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^there (?:is|are) (?P<what>(?:an?|two|three|no|some) .+?) (?:that |which )?(?P<who>we|I) (?P<verb>[a-z]+)\b",
        r"\g<who> \g<verb> \g<what>",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?P<what>(?:no|only) [\w -]+?) (?:in|at|on) (?P<whose>(?:my|our) [\w -]+?)(?P<rest>, .*)?$",
        r"\g<whose> has \g<what>\g<rest>",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:I|we) (?:have )?got an? (?:extension|extra \w+) (?:for|on) (?P<what>(?:the|my|our) [\w -]+?)(?:,|:|"
        r" and| -)* (?:the )?(?:new|it is now due|now due|until)(?: (?:date|deadline))?(?: is)? (?P<to>.+)$",
        r"\g<what> was extended to \g<to>",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?P<what>(?:my|our) [\w' -]+?) (?:has |is |was )?(?:just )?changed(?:,|:|;| -)* (?:it is |it's )?(?:now )?"
        r"(?=[\w+@.-]+(?:$|,))",
        r"\g<what> is now ",
        text,
        flags=re.I,
    )
    text = re.sub(r"^(\d{1,3}) (today|yesterday|tomorrow)\b", r"I turn \1 \2", text)
    text = re.sub(
        r"^(?P<day>(?:mon|tues|wednes|thurs|fri|satur|sun)day)s? (?:is|are|means) (?!my|"
        r"our)(?P<what>.+)$",
        r"My \g<what> is on \g<day>s",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:someone|somebody|they|thieves) (?:has |have )?(?:just )?(?:stole|stolen|nicked|pinched) (my|our) (.+?)"
        r"(?=,|$| (?:from|outside|in|at|on|last|yesterday|while|this)\b)",
        r"\1 \2 was stolen",
        text,
        flags=re.I,
    )
    text = re.sub(r"^(?:next (?:stop|up)|coming up|up next)[:,] ", "My plan is ", text, flags=re.I)
    text = re.sub(r"^no more (?P<what>[\w ]+?) for (?:me|us)\b", r"I have given up \g<what>", text, flags=re.I)
    text = re.sub(r"^off to (?=[A-Z])", "I am off to ", text, flags=re.I)
    text = re.sub(r"^back in (?=(?-i:[A-Z]))", "I am back in ", text, flags=re.I)
    text = re.sub(
        r"^(?:day|week|month|year) (?P<count>\d+) (?:without|off|with no) (?P<what>.+)$",
        r"I have been without \g<what>",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:\w+ly )?(?:everyone|everybody|people|folks|friends|they) (?:just |all |still )*(?:says?|calls? me|uses?)"
        r" (?-i:(?=[A-Z]\w+$))",
        "I am called ",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:everyone|everybody|people|folks|they)[\w ]* knows? me (?:as|by the name of) ",
        "I am called ",
        text,
        flags=re.I,
    )
    text = re.sub(r"^(?:just |am )*back from (?=(?-i:[A-Z]))", "I came back from ", text, flags=re.I)
    text = re.sub(r"^I am (?:just )?back from (?=(?-i:[A-Z]))", "I came back from ", text, flags=re.I)
    text = _WRONG.sub(r"My \g<thing> is \g<value>, actually", text)
    put_off = _PUT_OFF.match(text)
    if put_off and (stretches(put_off["to"], date(2000, 1, 1)) or re.match(r"\d{1,2}[.:]\d\d\b", put_off["to"])):
        text = f"{put_off['thing']} was {put_off['verb']} to {put_off['to']}"
    text = _DOCTOR.sub("I have to ", text)
    text = _FOUND_OUT.sub("", text)
    text = re.sub(
        r"^They (made|appointed|promoted|hired|fired|accepted|diagnosed|elected|transferred) me\b",
        r"I was \1",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:please |just |you can |you may )*call me (?P<name>[\w. ]+?)(?P<rest>,.*)?$",
        r"I want to be called \g<name>",
        text,
        flags=re.I,
    )
    refused = re.match(r"^no (?P<what>[\w -]+?) for (?:me|us)\b(?P<rest>.*)$", text, re.I)
    if refused and terms(refused["what"]).kinds() & _EATEN:
        text = f"I do not eat {refused['what']}{refused['rest']}"
    elif refused and re.match(r",? (?:ever|at all|please|thanks|any ?more)\b", refused["rest"], re.I):
        text = f"I do not have {refused['what']}{refused['rest']}"
    return text


def respelling(text: str, asked: str) -> str:
    """The name in "It's Stefan, with an f", where the assistant just wrote it another way."""
    found = re.match(
        r"^(?:it is|it's|that is) (?P<name>(?-i:[A-Z])[\w-]+)(?:,? (?:actually|with .*|not .*|"
        r"please|by the way))?$",
        text,
        re.I,
    )
    if not found:
        return ""
    close = any(0.5 < SequenceMatcher(None, word.lower(), found["name"].lower()).ratio() < 1 for word in tokens(asked))
    return found["name"] if close else ""


def meet_all(text: str, scene: Scene) -> None:
    """Meets whoever is mentioned on the way: "a gift for my mum"."""
    for found in _MENTION.finditer(text):
        scene.meet(Someone(found["relation"].lower(), found["name"] or "", found["of"].lower()))
    for found in _WITH.finditer(text):
        if not scene.known(found["name"]):
            scene.meet(Someone("", found["name"]))
