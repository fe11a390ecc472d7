"""Puts a message as people type it into the English that the reader of clauses knows: words cut short, sentences
without their subject or their full stop, relatives without "my"; idioms stand in english_idioms.py.

Each rule keeps what was told and changes how it is said; none of them decides what is kept.
"""

from __future__ import annotations

import re

from .english_grammar import KEEP, RELATION
from .english_idioms import DAY, IDIOMS, START, Rule

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
_STOPPED = re.compile(
    r"\b(?P<did>I used to [^,.;!?]+?),? (?:but|and|then|though|until)(?: then)? (?:I )?(?:have |then |finally )*"
    r"(?:stopped|quit|gave (?:it|that) up|gave up|stopped (?:it|that|doing (?:it|that)))"
    r"(?: (?P<when>(?:in|on|at|last|this|around|when|after|during|back in) [^,.;!?]+|yesterday|today"
    r"|\w+ (?:years?|months?|weeks?|days?) ago))?(?=[,.;!?]|$)",
    re.I,
)
"""What was stopped is told before it: "I used to smoke but I stopped in 2020"."""
_TOOK_ME = re.compile(rf"{START}(?=(?:took|cost|gave|drives|drove|saved|beat|makes) me\b)")
_NO_APOSTROPHE = re.compile(
    r"\b(?P<who>she|he|they|that|what|where|who|you|we|mum|mom|dad|nan|gran)(?P<is>s|re|ve)\b(?<!\bhere)(?<!\bwere)"
    r"(?= (?:a|an|the|in|on|at|got|been|gone|moved|had|not|now|just|mad|into|my|our|up|down|off|still"
    r"|always|never|only|really|too|so|coming"
    r"|turning|allergic|vegan|vegetarian|gluten|\d+)\b)",
    re.I,
)
_LACKS = re.compile(
    rf"{START}no (?P<what>car|kids|oven|dishwasher|freezer|garden|balcony|licence|license|telly|tv"
    r"|lift)(?=,? (?:btw|fyi|here|by the way)\b|, so\b)",
    re.I,
)
_VOID = re.compile(r"(?P<comma>,?) ?\b(?:btw|fyi|tbh|ngl|imho|imo|iirc)\b(?P<after>,?) ?(?!(?:is|means)\b)", re.I)
_NAME_BETWEEN = re.compile(rf"\b(?P<who>(?:[Mm]y|[Oo]ur) (?:[\w-]+ )?(?:{RELATION})), (?P<name>[A-Z][a-z]+), (?=[a-z])")
"""A name between commas: "our eldest, Signe, just started school"."""
_DUE_ON = re.compile(
    r"\b(?P<what>deadline|exam|flight|interview|appointment|wedding|party|meeting|train|launch"
    r"|release|course|surgery|op)'s"
    rf" (?=(?:now |on |moved |been |at )*(?:the \d|\d|next |this |{DAY}))",
    re.I,
)
_NOT_SO = re.compile(
    rf"{START}(?=not (?:vegan|vegetarian|single|married|pregnant|working|living|with|at"
    r"|in)\b[^.,;!?]* any ?more)",
    re.I,
)
_NEED_TO = re.compile(rf"{START}(?=need to (?:be|leave|move|hand|submit|finish|pay|renew|file|book)\b)", re.I)
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
_THEN_ASKS = re.compile(
    r", (?=(?:so |and |but )?(?:(?:what|how|which|where|why|who|when)(?:'s)? (?:do|does|did|can|could"
    r"|should|would|will|much|many)\b"
    r"|(?:do|does|did|can|could|should|would|will|is|are) (?:they|it|you|i|I|the|this|that|these"
    r"|those|there|anyone)\b))"
)
"""A question after a statement, whether or not it has its mark."""
_SUBJECTLESS_MOVE = re.compile(rf"{START}(?=(?:moved|pushed|shifted|postponed|rescheduled) (?:the|our|my) [a-z])", re.I)
_GONE_DIET = re.compile(rf"{START}(?=gone (?:vegetarian|vegan|teetotal|gluten))", re.I)
_THEN_REMEMBER = re.compile(
    r"^(?:no|nah|nope|oh|and|ok|right|also|so|well)[ ,.–-]+(?=(?:please )?(?:remember|note|keep in"
    r" mind)\b)",
    re.I,
)
_REMEMBER_THIS = re.compile(
    r"\bremember this(?: (?:one|rule))?(?: for (?:next time|later|the future|good))?[,:] (?=\w)", re.I
)
_PUT_SO = re.compile(r"(?<=[a-z]) so (?=its |it's |(?:the |now )?(?!it |that |this )[a-z]+ (?:is|are|was|were) )")
_LEAVE_OUT = re.compile(r", (?=(?:leave|keep) (?:it|them|that|those) out of (?:everything|all|any))")
_VEGGIE = re.compile(r"\b(?P<verb>am|I'm|being|went|gone|turned) (?:a )?veggie\b", re.I)

_RULES: tuple[Rule, ...] = (
    (_SHORTENED, lambda found: _SHORT[found[0].rstrip("/")]),
    (re.compile(r"\b(?:pls|plz)\b", re.I), "please"),
    (_VEGGIE, r"\g<verb> vegetarian"),
    (_LACKS, r"I have no \g<what>"),
    (_NO_APOSTROPHE, r"\g<who>'\g<is>"),
    (_VOID, lambda found: _between(found)),
    (_NAME_BETWEEN, r"\g<who> \g<name> "),
    (_DUE_ON, r"\g<what> is "),
    (_NOT_SO, "I am "),
    (_NEED_TO, "I "),
    (_REMEMBER_THIS, "remember: "),
    (_THEN_REMEMBER, ""),
    (_THEN_ASKS, ". "),
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
    (_TOOK_ME, "it "),
    (_LEAVE_OUT, ". "),
    (_PUT_SO, ". So "),
)


def in_plain_words(text: str) -> str:
    """`text` as a careful writer would put it."""
    for pattern, put in (*_RULES, *IDIOMS):
        text = pattern.sub(put, text)
    text = _STOPPED.sub(_until, text)
    return _KIN.sub(lambda kin: kin[0] if _OWNED.search(text[: kin.start()]) else f"my {kin[0].lower()}", text)


def _until(stopped: re.Match[str]) -> str:
    """What was done until when, as one clause."""
    when = re.sub(r"^(?:in|on|at|around|back in|during) ", "", stopped["when"] or "", flags=re.I)
    return f"{stopped['did']} until {when}" if when else stopped["did"]


def _between(void: re.Match[str]) -> str:
    """What is left where a word that says nothing stood: a comma, where it had one within its sentence."""
    within = void.string[: void.start()].rstrip()[-1:] not in ("", ".", "!", "?", ",", ";", ":")
    return (", " if void["comma"] or void["after"] else " ") if within else " " if void.start() else ""
