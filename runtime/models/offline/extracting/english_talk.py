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
    "sis": "sister",
    "bro": "brother",
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
_SHORTENED = re.compile(
    r"(?<![\w'/-])(?:gf|bf|(?<=\bmy )sis|(?<=\bmy )bro|hubby|missus|til|tmrw|tmr|tomoz|bday|appt|bc"
    r"|w(?=/ ))(?![\w'-])/?"
)
_NEGATED = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|ca|wo)nt\b", re.I)
_ITS = re.compile(
    r"\bits (?=(?:now|been|not|on|at|from|only|just|always|called|my|our|for|a|an|the|due|gone)\b|\+?\d|like )"
    r"|^its (?=(?-i:[A-Z]\w+)(?:[.,!]| (?:not|with|actually|without)\b))",
    re.I,
)
_SPELLED = re.compile(r"(?<![\w-])(?:[A-Za-z]-){2,}[A-Za-z](?![\w-])[,.;]?\s*")
"""A name spelled out: "R-o-s-h-e-e-n"."""

_KIN = re.compile(
    r"(?:(?<=\s)|(?<=^))(?P<kin>mum|mom|mam|dad|nan|gran|grandma|grandad|granddad|husband"
    r"|wife)(?='s\b| (?:is|has|was|can|can't"
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
    r"(?:,? (?:so|and) )?\b(?:as of (?:tonight|today|now|last night|this week),? )?(?:the"
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
_NO_APOSTROPHE = re.compile(
    r"\b(?P<who>she|he|they|that|what|where|who|you|we|mum|mom|dad|nan|gran)(?P<is>s|re|ve)\b(?<!\bhere)(?<!\bwere)"
    r"(?= (?:a|an|the|in|on|at|got|been|gone|moved|had|not|now|just|mad|into|my|our|up|down|off|still"
    r"|always|never|only|really|too|so|coming"
    r"|turning|allergic|vegan|vegetarian|gluten|\d+)\b)",
    re.I,
)
_KIN_AGE = re.compile(
    r"\b(?:my )?(?P<who>mum|mom|mam|dad|nan|gran|grandma|grandad|sister|brother|wife|husband)'?s"
    r" (?P<many>\d+(?:st|nd|rd|th))(?: birthday)?,?"
    rf" (?:it's |its |it is |is |'s )?(?:on )?(?P<day>{_ON})",
    re.I,
)
_PRONOUNS = re.compile(
    rf"{_START}use (?P<what>(?:they|she|he|xe|ze)/[a-z]+)(?: pronouns)?(?: (?:for|with) me)?(?= please"
    r"|[.,!]|$)",
    re.I,
)
_OFFICE_THEN = re.compile(
    r"\b(?P<got>(?:got|landed|was offered|accepted|took) (?:the|a|a new) job)[.!,:–-]+ (?:as )?(?:an?"
    r" |the )?(?P<office>[a-z][a-z -]{3,40}?"
    r" (?:at|with|for) (?-i:[A-Z])[\w&'-]+(?: (?-i:[A-Z])[\w&'-]+)*)",
    re.I,
)
_GUIDE = re.compile(
    r"\bour (?P<what>style guide|house style|coding style|convention|team rule|linter|rule) (?:says"
    r"|is|wants|demands)(?: that)? ",
    re.I,
)
_LACKS = re.compile(
    rf"{_START}no (?P<what>car|kids|oven|dishwasher|freezer|garden|balcony|licence|license|telly|tv"
    r"|lift)(?=,? (?:btw|fyi|here|by the way)\b|, so\b)",
    re.I,
)
_VOID = re.compile(r"(?P<comma>,?) ?\b(?:btw|fyi|tbh|ngl|imho|imo|iirc)\b(?P<after>,?) ?(?!(?:is|means)\b)", re.I)
_NAME_BETWEEN = re.compile(rf"\b(?P<who>(?:[Mm]y|[Oo]ur) (?:[\w-]+ )?(?:{RELATION})), (?P<name>[A-Z][a-z]+), (?=[a-z])")
"""A name between commas: "our eldest, Signe, just started school"."""
_DUE_ON = re.compile(
    r"\b(?P<what>deadline|exam|flight|interview|appointment|wedding|party|meeting|train|launch"
    r"|release|course|surgery|op)'s"
    rf" (?=(?:now |on |moved |been |at )*(?:the \d|\d|next |this |{_DAY}))",
    re.I,
)
_MY_PLACE = re.compile(rf"{_START}(?:(?:my|our|the) )?(?:flat|house|new place|place)'s in (?=(?-i:[A-Z]))", re.I)
_AT_NUMBER = re.compile(
    r"\b(?:we're|we are|I'm|I am)(?P<now> now)? at (?P<at>\d+[a-z]? (?:(?-i:[A-Z])\w+ ){1,3}(?-i:Street|St|Road|Rd|Lane"
    r"|Avenue|Ave|Close|Drive|Way|Square|Terrace|Court|Crescent|Place|Gardens|Row|Hill))\b(?(now)| now\b)",
    re.I,
)
_GIVEN_UP = re.compile(
    r"\b(?P<have>(?:I|we)(?:'ve| have)? )(?:(?:just |finally )?(?:jacked|packed|chucked) (?:in|it in"
    r" with) (?:the |my )?(?P<in>[a-z]+(?: [a-z]+)?)"
    r"|knocked (?:the |my )?(?P<head>[a-z]+(?: [a-z]+)?) on the head)",
    re.I,
)
_NOT_SO = re.compile(
    rf"{_START}(?=not (?:vegan|vegetarian|single|married|pregnant|working|living|with|at"
    r"|in)\b[^.,;!?]* any ?more)",
    re.I,
)
_NEED_TO = re.compile(rf"{_START}(?=need to (?:be|leave|move|hand|submit|finish|pay|renew|file|book)\b)", re.I)
_ENDED_UP = re.compile(r"\bended up (?:going with|using|choosing|picking|on)\b", re.I)
_ASKED_FIRST = re.compile(
    r"(?P<ask>(?:^|(?<=[.!?] ))(?:(?:hi|hey|ok|so|quick q|quick one|quick question)[,:]? )*(?:(?:can|could|would"
    r"|will) (?:you|u)|please|need|want|looking for|help|write|draft|make|give|find|plan|suggest|fix|check|explain"
    r"|shorten|list|compare|any|got any|what|what's|whats|how|which|where|who|when|why|is|are|does|do) (?![^,.!?]*\b"
    r"(?:say|says|saying|tell|telling|reply|text|message|if|when|because|since|story|poem|novel|character)\b)"
    r"[^,.!?\n]{6,90}?)(?:, (?:and |so |but |as |cos |bc )?| [-–] | (?:and|but|cos|bc) )(?=(?:I|i|we"
    r"|im|ive|I'm|I've|I'll"
    r"|i'm|i've|we're|we've|my|our|she|he|she's|he's|just got|just bought|just moved|just started)\b)"
)
"""A request that goes on with what it is for: "can you shorten this, I start at Kiln on Monday"."""
_SUBJECTLESS_MOVE = re.compile(
    rf"{_START}(?=(?:moved|pushed|shifted|postponed|rescheduled) (?:the|our|my) [a-z])", re.I
)
_GONE_DIET = re.compile(rf"{_START}(?=gone (?:vegetarian|vegan|teetotal|gluten))", re.I)
_THEN_REMEMBER = re.compile(
    r"^(?:no|nah|nope|oh|and|ok|right|also|so|well)[ ,.–-]+(?=(?:please )?(?:remember|note|keep in"
    r" mind)\b)",
    re.I,
)
_REMEMBER_THIS = re.compile(
    r"\bremember this(?: (?:one|rule))?(?: for (?:next time|later|the future|good))?[,:] (?=\w)", re.I
)
_PUT_SO = re.compile(r"(?<=[a-z]) so (?=its |it's |(?:the |now )?(?!it |that |this )[a-z]+ (?:is|are|was|were) )")
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
    (_LACKS, r"I have no \g<what>"),
    (_NO_APOSTROPHE, r"\g<who>'\g<is>"),
    (_KIN_AGE, r"My \g<who>'s \g<many> birthday is on \g<day>"),
    (_PRONOUNS, r"My pronouns are \g<what>"),
    (_OFFICE_THEN, r"\g<got>. I am the \g<office>"),
    (_GUIDE, "Our team rule: "),
    (_VOID, lambda found: _between(found)),
    (_NAME_BETWEEN, r"\g<who> \g<name> "),
    (_DUE_ON, r"\g<what> is "),
    (_MY_PLACE, "I live in "),
    (_AT_NUMBER, r"My address is now \g<at>"),
    (_GIVEN_UP, lambda found: f"{found['have']}gave up {found['in'] or found['head']}".replace("'ve gave", " gave")),
    (_NOT_SO, "I am "),
    (_NEED_TO, "I "),
    (_ENDED_UP, "went with"),
    (_REMEMBER_THIS, "remember: "),
    (_THEN_REMEMBER, ""),
    (_SUBJECTLESS_MOVE, "we "),
    (_GONE_DIET, "I have "),
    (
        _ASKED_FIRST,
        lambda found: (
            found["ask"]
            + ("? " if re.match(r"(?:\w+,? )*?(?:can|could|wh|how|is|are|do|any)", found["ask"], re.I) else ". ")
        ),
    ),
    (_NEGATED, lambda found: f"{found[1]}n't"),
    (_ITS, "it's "),
    (_SPELLED, ""),
    (_THEN_NAMED, lambda found: f"{found['who']} {found['name']}. {found['name']}{' is' if found['is'] else ''} "),
    (_CHANGED, lambda found: f"My shifts are now {found['new']}{', from ' + found['from'] if found['from'] else ''}"),
    (_PUT_ON_DAY, lambda found: f"{found['what'][0].upper()}{found['what'][1:]} was moved to {found['day']}"),
    (_MOVED_ME, lambda found: f"My {found['who']} appointment was moved to {found['to']}{found['at'] or ''}"),
    (_NEW_NUMBER, lambda found: f"My {_number(found['what'])} is now {found['to']}"),
    (_THEIR_NUMBER, lambda found: f"{_named(found['who'])}'s phone number is now {found['to']}"),
    (_TOOK_ME, "it "),
    (_PROMOTED, lambda found: f"I am now the {found['what']}"),
    (_LIVES_ON, lambda found: f"{'. ' if found.start() else ''}We now host everything on {found['what']}"),
    (_COULD, lambda found: f"I love {_doing(found['verb'])} {found['what']}"),
    (_SOURCE, lambda found: found["got"]),
    (_FOOD, lambda found: f"{found['not']} {'eat' if terms(found['what']).kinds() & _EATEN else 'do'} {found['what']}"),
    (_BACK_TO, lambda found: f"I am {found['what']} again"),
    (_TASTES, lambda found: f"{found['what'].capitalize()} "),
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


def _between(void: re.Match[str]) -> str:
    """What is left where a word that says nothing stood: a comma, where it had one within its sentence."""
    within = void.string[: void.start()].rstrip()[-1:] not in ("", ".", "!", "?", ",", ";", ":")
    return (", " if void["comma"] or void["after"] else " ") if within else " " if void.start() else ""


def _number(what: str) -> str:
    return what if what.startswith(("e", "a")) else "phone number"


def _named(who: str) -> str:
    """A name that was typed small, as it is written; "my aunt" stays as it is."""
    return who if re.match(rf"my |(?:{RELATION})\b", who, re.I) else who[0].upper() + who[1:]


def _doing(verb: str) -> str:
    first, *rest = verb.lower().split()
    return " ".join([f"{first}ing", *rest])
