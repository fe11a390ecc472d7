"""Says in so many words what an English reply leaves to the question before it, or to what is known: "I gave that up"
is "I no longer have an allotment" where the allotment was asked about and is remembered."""

from __future__ import annotations

import re

from ..person import to_first
from ..stems import stem, tokens, word_set
from ..words import STOP, terms
from .claim import USER
from .english_grammar import NAME
from .revising import Memory

_COUNT = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|thirty"
_ECHO = re.compile(
    rf"^(?P<old>{_COUNT})\s*[?!]+(?: [a-z ,]{{0,12}}?\bno\b[^\w]*)? *(?:(?:it is|it's|its|just|only)"
    rf" )?(?P<new>{_COUNT})\b[.,!]",
    re.I,
)
_GAVE_UP = re.compile(
    r"\b(?:I|we)(?:'ve| have| had)? (?:gave|given|had to give) (?:that|it|them|those) up\b|\b(?:I"
    r"|we)(?:'ve| have)? (?:got rid"
    r" of|sold|packed in|quit|stopped) (?:that|it|them|those)\b",
    re.I,
)
_NONE_SINCE = re.compile(
    r"(?:^|[,.?!;)] *)(?:I |we )?(?:have not|haven't|havent) (?:had|touched|smoked|drunk|eaten"
    r"|bought) (?:one|any|a drop|a single"
    r" one)(?= (?:since|for|in)\b)",
    re.I,
)
_LEFT = re.compile(
    r"(?:(?<=^)|(?<=\bno )|(?<=\bnope )|(?<=\bno, )|(?<=\bnope, ))(?:I )?(?:left|quit|resigned|got"
    r" laid off|was let go)(?= (?:in|last|on|at|a|two|three)\b"
    r"|[.,!]|$)",
    re.I,
)
_CALLED_OFF = re.compile(
    r"^(?:(?:ok|right|so|well|oh),? )?(?:scrap|cancel|forget about|call off|scratch|kill|bin) (?:the "
    r"|my |our )?(?P<what>[\w -]{2,30}?)"
    r"(?: trip| plans?)?(?=[,.;!]|$)",
    re.I,
)
_PARTED = re.compile(
    r"\b(?P<who>I|we)(?P<have>'ve| have)? (?P<how>split up|broke up|broken up|separated|divorced)(?!"
    r" with)\b",
    re.I,
)
_OVER_WITH = re.compile(
    rf"\b(?:me and {NAME}|{NAME} and (?:I|me)) (?:are (?:over|done|finished|no longer together|getting"
    r" divorced|not together any ?more)"
    r"|aren't together any ?more|called it a day|call(?:ed)? it quits|split(?: up)?|broke up"
    r"|separated|parted ways|went our separate ways"
    r"|have (?:split|broken) up)\b",
    re.I,
)
_CALLED_IT_OFF = re.compile(
    r"\b(?:I|we)(?:'ve| have| had to| have to|'ve had to)? cancel(?:led|ed)?(?: it| that|"
    r" them)?(?=[.,;!]|$)|\b(?:I'm|we're|I am|we are) not"
    r" going (?:any ?more|after all)\b|\b(?:that|it)(?:'s| is) (?:off|cancelled|not happening)\b"
    r"|\b(?:that|it) fell through\b",
    re.I,
)
_GOODBYE = re.compile(
    r"\b(?:I|we)(?: have|'ve)?(?: just)? (?:had to (?:say goodbye to|let go of|put down)|said goodbye"
    r" to|lost|put down) (?P<name>"
    + NAME
    + r")(?: down)?|(?P<gone>"
    + NAME
    + r") (?:did not|didn't) make it\b|(?P<more>"
    + NAME
    + r") (?:is no longer with us|is gone|crossed the rainbow bridge)"
)
_ONLY = re.compile(
    r"(?:^|[.,!;] )(?:it|that)(?:'s| is| was| has been) (?:only|just)(?: ever)? (?P<new>[a-z]+(?:"
    r" [a-z]+)?)(?=[,.;!]|$)",
    re.I,
)
_DOSE = re.compile(
    r"\b(?:(?:they|he|she|we|the \w+|my \w+|I)(?:'ve| have| has|'s)? )?(?:put|upped|moved|bumped"
    r"|brought|cut|dropped|raised|lowered)"
    r" (?:me |it )?(?:up |down )?to (?P<new>\d[\d.]*) ?(?P<unit>mg|mcg|micrograms|milligrams|units"
    r"|ml)?,? (?:on|of) (?:the |my )?(?P<what>[a-z]+)",
    re.I,
)
_NOW = re.compile(
    r"(?:^|[,.;!?] )(?:it's |its |it is )?(?P<new>(?-i:[A-Z])[\w+#.-]*\w)(?: (?:it is|it's))? now(?=[,.;!]|$)"
)
_CHOSE = re.compile(
    r"\b(?:I|we)(?:'re| are|'m| am)? (?:going with|gonna use|going to use|went with|settled on|chose"
    r"|using) (?P<new>[\w+#.-]+)",
    re.I,
)
_TOOLS = word_set("editor database framework programming_language operating_system tracker cloud browser")
_AGAIN = re.compile(r"\b(?:I am|I'm|we're|we are) (?P<what>[a-z]+ing(?: [a-z]+)?) again\b", re.I)
_CALL_ME = re.compile(rf"^(?:(?:it's|its|just) )?(?P<name>{NAME}),? (?:please|pls)\b[^.!?]*[.!?]?")
_HERE = re.compile(
    r"\b(?:(?:I|we)(?:'ve| have) )?(?:been|lived|living) here (?:for )?(?P<long>[\w ]*?\b(?:years?"
    r"|months?|decades?|since [\w ]+))",
    re.I,
)
_ADDRESS = re.compile(r"(?:^|(?<=[.!?] ))(?P<at>[\w.+-]+@[\w.-]+\w)(?=[.,!?]? |[.!?]?$)")
_WHO_IS = re.compile(rf"\b(?P<name>{NAME})\b[^.?!]*[.!] (?:so |and )?who(?:'s| is) (?:she|he|that|they)\b", re.I)
_PLANS = word_set("plan event schedule appointment deadline")
_KEPT_FROM = word_set("allergy dislike avoids diet health")


def spelled_out(text: str, asked: str, here: str, memories: list[Memory]) -> str:
    """`text` with what it leaves unsaid; `here`: the place that the user spoke of before."""
    known = [one for one in memories if one.status == "active" and one.sorted and one.value]
    own = [one for one in known if (one.subject or USER) == USER]
    for rule in (_recounted, _gone, _off, _cancelled, _parted, _only, _dose, _now, _resumed):
        text = rule(text, asked, own)
    text = _chosen(text, asked, known)
    if (name := _CALL_ME.match(text)) and re.search(rf"(?:^|, ){NAME}[,.!]", asked) and not terms(name["name"]).kinds():
        text = f"Call me {name['name']}. {text[name.end() :].strip()}"
    if here:
        text = _HERE.sub(rf"I have lived in {here} for \g<long>", text).replace("for since", "since")
    if met := _WHO_IS.search(asked):
        text = _ADDRESS.sub(rf"{met['name']}'s email address is \g<at>", text)
    return text


def in_place(asked: str, here: str) -> str:
    """A question with the place that its "there" means."""
    return re.sub(r"\bthere(?=\?|$| (?:on|in|for|with|until)\b)", f"in {here}", asked) if here else asked


def last_place(text: str) -> str:
    """The place that a message speaks of as where something is: "Restaurants in Bruges"."""
    found = re.findall(r"\b(?:in|around|near|to) ((?-i:[A-Z])[a-z]+(?: (?-i:[A-Z])[a-z]+)*)", text)
    no_places = {"month", "weekday", "human_language"}
    return next((place for place in reversed(found) if not terms(place).kinds() & no_places), "")


def _words(text: str) -> set[str]:
    return {stem(word.lower()) for word in tokens(text) if word.lower() not in STOP}


def _meant(asked: str, known: list[Memory]) -> Memory | None:
    """The memory that the last thing said speaks of."""
    return next((one for one in known if _words(f"{one.value} {one.text}") & _words(asked)), None)


def _no_longer(memory: Memory) -> str:
    said = to_first(memory.text).rstrip(". ")
    return (
        re.sub(r"^I am\b", "I am no longer", said) if said.startswith("I am ") else re.sub(r"^I\b", "I no longer", said)
    )


def _swapped(memory: Memory, old: str, new: str) -> str:
    """What a memory tells, of something else: "I keep three hens, not thirteen"."""
    said = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, to_first(memory.text).rstrip(". "), count=1, flags=re.I)
    return f"{said}, not {old}"


def _put(text: str, found: re.Match[str], said: str) -> str:
    """`text` with a sentence of its own in place of what was found."""
    head = re.sub(r"[\s,;:)(]+$", "", text[: found.start()])
    return f"{head}{'. ' if head else ''}{said}. {text[found.end() :].lstrip(' ,.')}"


def _recounted(text: str, asked: str, known: list[Memory]) -> str:
    found = _ECHO.match(text)
    if not found or found["old"].lower() == found["new"].lower():
        return text
    for one in known:
        if found["old"].lower() in tokens(one.text.lower()) and found["old"].lower() in asked.lower():
            return f"{_swapped(one, found['old'], found['new'])}. {text[found.end() :].strip()}"
    return text


def _gone(text: str, asked: str, known: list[Memory]) -> str:
    for pattern in (_GAVE_UP, _NONE_SINCE):
        found = pattern.search(text)
        if found and (one := _meant(asked, known)):
            head = re.sub(r"[\s,;:)(]+$", "", text[: found.start()])
            return f"{head}{'. ' if head else ''}{_no_longer(one)},{text[found.end() :]}"
    left = _LEFT.search(text)
    if left and (one := _meant(asked, [one for one in known if one.attribute in ("workplace", "employer")])):
        return f"{text[: left.start()]}I left {one.value}{text[left.end() :]}"
    if died := _GOODBYE.search(text):
        name = died["name"] or died["gone"] or died["more"]
        if any(one.attribute == "pet" and name in one.text for one in known):
            return f"{text[: died.start()]}{name} died{text[died.end() :]}"
    return text


def _off(text: str, asked: str, known: list[Memory]) -> str:
    found = _CALLED_OFF.match(text)
    if found and any(one.attribute in _PLANS and _words(found["what"]) & _words(one.text) for one in known):
        return f"{found['what']} is cancelled{text[found.end() :]}"
    return text


def _cancelled(text: str, asked: str, known: list[Memory]) -> str:
    found = _CALLED_IT_OFF.search(text)
    one = _meant(asked, [one for one in known if one.attribute in _PLANS]) if found else None
    return _put(text, found, f"{one.value} is cancelled") if found and one else text


def _parted(text: str, asked: str, known: list[Memory]) -> str:
    partner = next((one for one in known if one.attribute == "partner"), None)
    if partner and (over := _OVER_WITH.search(text)) and partner.value in over[0]:
        return f"{text[: over.start()]}I split up with {partner.value}{text[over.end() :]}"
    return _PARTED.sub(rf"I \g<how> with {partner.value}", text, count=1) if partner else text


def _only(text: str, asked: str, known: list[Memory]) -> str:
    found = _ONLY.search(text)
    kept_from = [one for one in known if one.attribute in _KEPT_FROM]
    if not found:
        return text
    kinds = terms(found["new"]).kinds()
    meant = [one for one in kept_from if kinds & (terms(one.value).kinds() | set(tokens(one.value.lower())))]
    one = next(iter(meant or (kept_from if len(kept_from) == 1 and kinds else [])), None)
    return _put(text, found, _swapped(one, one.value, found["new"])) if one else text


def _dose(text: str, asked: str, known: list[Memory]) -> str:
    found = _DOSE.search(text)
    one = next((one for one in known if found and found["what"].lower() in one.text.lower()), None)
    old = re.search(r"\d[\d.]*", one.text) if one else None
    if not found or not one or not old:
        return text
    return _put(text, found, _swapped(one, old[0], found["new"]))


def _now(text: str, asked: str, known: list[Memory]) -> str:
    found = _NOW.search(text)
    one = next((one for one in known if found and one.value.lower() in asked.lower()), None)
    if not found or not one or one.value.lower() not in one.text.lower():
        return text
    return _put(text, found, _swapped(one, one.value, found["new"]))


def _resumed(text: str, asked: str, known: list[Memory]) -> str:
    """What somebody had given up, and does again."""
    for found in _AGAIN.finditer(text):
        for one in known:
            if re.search(rf"\b(?:quit|stopped|given up|gave up) {found['what']}", one.text, re.I):
                return f"{text[: found.start()]}I am {found['what']} again, not {one.value}{text[found.end() :]}"
    return text


def _chosen(text: str, asked: str, known: list[Memory]) -> str:
    """A choice that takes the place of what is known and named: "we're going with SQLite, Postgres was too much"."""
    found = _CHOSE.search(text)
    if not found:
        return text
    for one in known:
        alike = terms(found["new"]).kinds() & terms(one.value).kinds() & _TOOLS
        if alike and one.value.lower() in f"{text} {asked}".lower() and one.value.lower() != found["new"].lower():
            return f"{text[: found.start()]}we swapped {one.value} for {found['new']}{text[found.end() :]}"
    return text
