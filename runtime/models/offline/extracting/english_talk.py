"""Puts a message as people type it into the English that the reader of clauses knows: words cut short, sentences
without their subject, relatives without "my", and idioms for what somebody has got, begun, moved or changed.

Each rule keeps what was told and changes how it is said; none of them decides what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..stems import word_set
from ..words import terms
from .english_grammar import KEEP, RELATION

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_ON = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|the \d{{1,2}}(?:st|nd|rd|th)|{_DAY})"
)
_START = r"(?:(?<=^)|(?<=[.!?,;:] )|(?<=\n)|(?<=\band )|(?<=\bso )|(?<=\bbut ))"

_SHORT = {
    "gf": "girlfriend",
    "bf": "boyfriend",
    "hubby": "husband",
    "missus": "wife",
    "til": "until",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "tomoz": "tomorrow",
    "bday": "birthday",
    "appt": "appointment",
    "bc": "because",
    "w": "with",
}
_SHORTENED = re.compile(r"(?<![\w'/-])(?:gf|bf|hubby|missus|til|tmrw|tmr|tomoz|bday|appt|bc|w(?=/ ))(?![\w'-])/?")
_NEGATED = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|ca|wo)nt\b", re.I)
_ITS = re.compile(
    r"\bits (?=(?:now|been|not|on|at|from|only|just|always|called)\b|\+?\d|like )|^its (?=(?-i:[A-Z][a-z]+)[.,!])",
    re.I,
)
_SPELLED = re.compile(r"(?<![\w-])(?:[A-Za-z]-){2,}[A-Za-z](?![\w-])[,.;]?\s*")
"""A name spelled out: "R-o-s-h-e-e-n"."""

_KIN = re.compile(
    r"(?:(?<=\s)|(?<=^))(?P<kin>mum|mom|mam|dad|nan|gran|grandma|grandad|granddad)(?='s\b| (?:is|has|was|can|can't"
    r"|cannot|will|and (?-i:[a-z]+)|never|only|always|[a-z]+s|[a-z]+ed|does|doesn't|ate|got|had|moved)\b)",
    re.I,
)
_OWNED = re.compile(
    r"(?:\b(?:my|your|her|his|our|their|the|a|an|as|new|single|and|or|for|of|to|says?|hi|hey|ok)|'s) $", re.I
)

_SINGLE = "|".join(word for groups in KEEP.table["relations"].values() for word in groups.split())
_THEN_NAMED = re.compile(
    rf"\b(?P<who>(?:my|our) (?:\w+ )?(?:{_SINGLE}))[.!,;:–-]+ (?P<name>(?-i:[A-Z][a-z]+))(?P<is>'s|"
    r" is)? (?=(?:into|loves"
    r"|likes|hates|can't|cannot|allergic|vegan|vegetarian|turning|turns|obsessed|mad about|works|only|never|always"
    r"|\d{1,2}\b)\b)",
    re.I,
)
"""Somebody is named in the sentence after the one that brings them in: "for my wife. Ana loves figs"."""

_CHANGED = re.compile(
    rf"{_START}(?P<what>my (?:shifts?|hours|rota|schedule|working hours)) (?:have|has) changed(?: again)?[.,:;!]+ "
    r"(?:(?:it|they|I) )?(?:was|were|used to be) (?P<old>[^,;.]+)[,;.] (?:but |and )?(?:from"
    r" (?P<from>[\w ]+?),? )?(?:now )?"
    r"(?:its|it's|it is|they're|they are)(?: now)? (?P<new>[^.;]+)",
    re.I,
)
_PUT_ON_DAY = re.compile(
    r"\b(?:they|we|he|she|the [a-z]+)(?:'ve| have| has)? (?:moved|switched|shifted|changed) (?!me\b"
    r"|us\b|it\b|in\b|from\b)"
    rf"(?:the |our |my )?(?P<what>[a-z][\w ]{{2,30}}?) to (?P<day>{_DAY})\b(?P<why> (?:since|because"
    r"|as|so|cos|now)\b[^.!?]*)?",
    re.I,
)
_MOVED_ME = re.compile(
    rf"{_START}(?:the |my )?(?P<who>[a-z][a-z]+(?: [a-z]+)?) (?:has |have |just )*(?:moved|bumped"
    r"|pushed|rescheduled|postponed|shifted"
    r"|switched) (?:me|us|my appointment|it)(?: back| forward)?(?: again)?[.,!;:–-]+ (?:it is |it's |its |now )?"
    rf"(?P<to>{_ON})(?: now)?(?P<at>, (?:at )?\d{{1,2}}[.:]\d\d(?: (?:am|pm|in the \w+))?)?(?=[,.;!?]|$)",
    re.I,
)
_NEW_NUMBER = re.compile(
    rf"{_START}(?:I have |I've |I |got |have )*(?:got )?(?:a |my )?new (?P<what>number|phone number"
    r"|mobile(?: number)?|email"
    r"(?: address)?|address)(?: (?:btw|by the way|is|now))*[:,]? (?P<to>\+?\d[\d ]{5,}\d|[\w.+-]+@[\w.-]+\w)",
    re.I,
)
_THEIR_NUMBER = re.compile(
    rf"{_START}(?P<who>(?:my )?[a-z]+(?: (?-i:[A-Z])\w+)?) (?:has |have )?(?:changed|got|switched)(?:"
    r" (?:a|her|his|their))?(?: new)? "
    r"(?:phones?|numbers?|mobiles?)(?: again)?[,.;:!-]+ (?:the new one is |it's |its |it is |now"
    r" )(?P<to>\+?\d[\d ]{5,}\d)",
    re.I,
)
_TOOK_ME = re.compile(rf"{_START}(?=(?:took|cost|gave|drives|drove|saved|beat|makes) me\b)")
_PROMOTED = re.compile(
    r"\b(?:they|the \w+|my boss|work|she|he)(?:'ve| have| has)? (?:just |finally )*(?:gave|given|handed) me the "
    r"(?P<what>[a-z][\w -]{2,40}?) (?:job|role|post|position)\b",
    re.I,
)
_LIVES_ON = re.compile(
    r"(?:,? (?:so|and) )?\b(?:as of (?P<since>tonight|today|now|last night|this week),? )?(?:the"
    r" whole (?:thing|lot|site|app|stack)|everything|it all|the lot)"
    r"(?: now)? (?:lives|sits|runs|is hosted|is running|is) (?:now )?on (?P<what>(?:an? |our"
    r" )?[\w.-]+(?: [a-z]+)?)(?=[.,;!]|$)",
    re.I,
)
_COULD = re.compile(
    r"\bI could (?P<verb>eat|drink|watch|listen to|read|play|look at|talk about) (?P<what>[\w' -]+?)"
    r" (?:for (?:hours|days|ever)|all (?:day|night)(?: long)?|forever|every (?:single )?day|on repeat)\b",
    re.I,
)
_SOURCE = re.compile(
    r"(?P<got>\b(?:bought|got|picked up)\b [^.,;!?]*?) (?:off|from) (?:an?|this|some) (?:\w+"
    r" )?(?:woman|man|guy|bloke|lady|lad|couple"
    r"|stranger|dealer|fella|chap)(?: (?:in|from|near|on|at) (?:the )?[\w-]+(?: (?-i:[A-Z])[\w-]+)?)?",
    re.I,
)
"""Whom something was bought from, who is no concern of the user's afterwards."""
_FOOD = re.compile(r"\b(?P<not>can't|cannot|can not|doesn't|does not|don't) do (?P<what>[a-z]+)\b", re.I)
_EATEN = word_set("food meat seafood dairy nut drink sweets fruit vegetable coffee eat diet")
_BACK_TO = re.compile(
    rf"{_START}(?:(?:I am|I'm|am|we are|we're) )?(?:now )?back to being (?:an? )?(?P<what>[a-z]+(?:"
    r" [a-z]+)?)(?=[.,;!]| (?:since|as|from|for)\b|$)",
    re.I,
)
_TASTES = re.compile(
    rf"{_START}(?:(?:ugh|yuck|eww?|no|bleh),? )?(?P<what>(?!ugh|yuck)[a-z][a-z-]+)[.!,…]+ (?=(?:tastes"
    r"|smells) like|(?:gives|makes|brings) me\b)",
    re.I,
)
_AT_ONE = re.compile(
    r"(?P<how>\b(?:starting|working|start|work|started) (?:at|for|with)) an? (?P<what>(?:[a-z]+ ){0,3}?[a-z]+) called "
    r"(?P<name>(?-i:[A-Z])[\w&'-]+(?: (?-i:[A-Z])[\w&'-]+)*)(?P<when> (?:on|in|from|next) [\w ]+?)?(?=[,.;!?]|$)"
)
_REMEMBER_THIS = re.compile(
    r"\bremember this(?: (?:one|rule))?(?: for (?:next time|later|the future|good))?[,:] (?=\w)", re.I
)
_PUT_SO = re.compile(r"(?<=[a-z]) so (?=(?:the |now )?(?!it |that |this )[a-z]+ (?:is|are|was|were) )")
_HURT = re.compile(
    rf"{_START}(?P<what>(?:torn|broken|sprained|fractured|ruptured|slipped|dislocated|pulled"
    r"|herniated) (?:[a-z]+ )?(?:meniscus|disc|ankle"
    r"|wrist|knee|leg|arm|foot|toe|finger|rib|collarbone|hip|tendon|ligament|muscle|hamstring"
    r"|achilles|acl|shoulder|elbow))\b",
    re.I,
)
_LEAVE_OUT = re.compile(r", (?=(?:leave|keep) (?:it|them|that|those) out of (?:everything|all|any))")
_VEGGIE = re.compile(r"\b(?P<verb>am|I'm|being|went|gone|turned) (?:a )?veggie\b", re.I)

_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_SHORTENED, lambda found: _SHORT[found[0].rstrip("/")]),
    (re.compile(r"\b(?:pls|plz)\b", re.I), "please"),
    (_VEGGIE, r"\g<verb> vegetarian"),
    (_REMEMBER_THIS, "remember: "),
    (_NEGATED, lambda found: f"{found[1]}n't"),
    (_ITS, "it's "),
    (_SPELLED, ""),
    (_THEN_NAMED, lambda found: f"{found['who']} {found['name']}. {found['name']}{' is' if found['is'] else ''} "),
    (_CHANGED, lambda found: f"My shifts are now {found['new']}{', from ' + found['from'] if found['from'] else ''}"),
    (_PUT_ON_DAY, lambda found: f"{found['what'][0].upper()}{found['what'][1:]} was moved to {found['day']}"),
    (_MOVED_ME, lambda found: f"My {found['who']} appointment is now on {found['to']}{found['at'] or ''}"),
    (_NEW_NUMBER, lambda found: f"My {_number(found['what'])} is now {found['to']}"),
    (_THEIR_NUMBER, lambda found: f"{_named(found['who'])}'s phone number is now {found['to']}"),
    (_TOOK_ME, "it "),
    (_PROMOTED, lambda found: f"I am now the {found['what']}"),
    (_LIVES_ON, lambda found: f"{_full_stop(found)}We host everything on {found['what']}{_since(found['since'])}"),
    (_COULD, lambda found: f"I love {_doing(found['verb'])} {found['what']}"),
    (_SOURCE, lambda found: found["got"]),
    (_FOOD, lambda found: f"{found['not']} {'eat' if terms(found['what']).kinds() & _EATEN else 'do'} {found['what']}"),
    (_BACK_TO, lambda found: f"I am {found['what']} again"),
    (_TASTES, lambda found: f"{found['what']} "),
    (_LEAVE_OUT, ". "),
    (_PUT_SO, ". So "),
    (_HURT, lambda found: f"I have a {found['what']}"),
    (_AT_ONE, lambda found: f"{found['how']} {found['name']}{found['when'] or ''}, a {found['what']}"),
)


def in_plain_words(text: str) -> str:
    """`text` as a careful writer would put it."""
    for pattern, put in _RULES:
        text = pattern.sub(put, text)
    return _KIN.sub(lambda kin: kin[0] if _OWNED.search(text[: kin.start()]) else f"my {kin[0].lower()}", text)


def _full_stop(found: re.Match[str]) -> str:
    return ". " if found.start() else ""


def _since(day: str | None) -> str:
    return f" since {day}" if day else ""


def _number(what: str) -> str:
    return what if what.startswith(("e", "a")) else "phone number"


def _named(who: str) -> str:
    """A name that was typed small, as it is written; "my aunt" stays as it is."""
    return who if re.match(rf"my |(?:{RELATION})\b", who, re.I) else who[0].upper() + who[1:]


def _doing(verb: str) -> str:
    first, *rest = verb.lower().split()
    return " ".join([f"{first}ing", *rest])
