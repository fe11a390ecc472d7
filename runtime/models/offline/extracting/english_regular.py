"""Puts sentences about things into one shape: "We moved Otter to Codeberg" is "Otter was moved to Codeberg"."""

from __future__ import annotations

import re

from ..words import terms
from .english_grammar import NAME, RELATION

_EXCHANGED = re.compile(
    r"^(?:we|I) (?:have |had )?(?:just |finally |now |also )*(?P<verb>switched|moved|migrated|changed|ported"
    r"|converted|put off|"
    r"postponed|pushed|delayed|rescheduled|shifted|renamed|relicensed|upgraded) (?:back )?"
    r"(?P<thing>(?!from\b|to\b)(?:the |our |my )?(?:[\w-]+ ){0,2}?(?-i:[A-Z])[\w-]*(?:'s)?(?: [a-z]+){0,2}) "
    r"(?:back |over |forward )?"
    r"(?P<to>(?:to|until|till|onto|under) .+)$",
    re.I,
)
_GATHER = re.compile(
    rf"^(?P<when>(?:every|each|on) [\w :]+?),? (?:(?P<other>{NAME}) and I|I|we) have (?:our|my|the|a)"
    rf" (?P<what>[\w -]+)$"
    rf"|^(?:(?P<other2>{NAME}) and I|I|we) have (?:our|my|the) (?P<what2>[\w -]+?) (?P<when2>(?:every|each|on) .*)$",
    re.I,
)
_NAMED_THING = re.compile(
    rf"^(?P<own>(?:my|our) [a-z][\w -]*?), (?P<name>{NAME}), (?P<rest>(?:is|was|has|keeps?|runs?|uses?)\b.+)$", re.I
)
_THEN = re.compile(
    r"\b(?P<day>(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b(?P<rest>.*[:;,–—-] .*\b(?:at|from) [\d:]+.*) then$", re.I
)
_GIVEN_ME = re.compile(
    r"^(?:they|the company|work|my (?:boss|company|employer|new job|office)) (?:have |has )?(?:just )?"
    r"(?:gave|given|handed|issued|lent|bought|got) (?:me|us) (?=(?:an?|the|two|my)\b)",
    re.I,
)
_PRESCRIBED = re.compile(
    r"^(?:the|my) (?:doctor|gp|cardiologist|psychiatrist|dermatologist|specialist|nurse) (?:has |have )?(?:put"
    r"|started) (?:me|us) on ",
    re.I,
)
_CLEFT = re.compile(
    r"^it (?:is|was) (?P<what>[a-z][\w -]{1,40}?)(?:, not [\w ]+,?)? (?:that|which) "
    r"(?P<does>I (?:can't|cannot|can not|do not|don't|should not|must not|am allergic to|like|love|hate|avoid|want)\b"
    r"(?: \w+)?)$",
    re.I,
)
"""It singles one out, so that another one which was told is wrong: "It's gluten that I can't have"."""
_TOOLS = frozenset(
    ("editor", "database", "framework", "programming_language", "operating_system", "browser", "tracker", "cloud")
)


def regular(text: str) -> str:
    """A sentence as one about its thing, where it says what somebody did to that, or when they meet for it."""
    text = re.sub(r"^([A-Z]\w+)'s got\b", r"\1 has got", text)
    text = re.sub(
        r"^(?P<what>[\w' -]+?) (?:was|has been|is|got) changed,? (?:and |so )?(?:please )?(?:remember |note"
        r" )?(?:the )?new one(?: is|:)? ",
        r"Remember: \g<what> is ",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^I have (?:got )?(?:a|my) new (?P<what>(?:phone |mobile )?number|e-?mail(?: address)?|address),?"
        r" (?:is |it is )?(?=[+\d\w])",
        r"My \g<what> is now ",
        text,
        flags=re.I,
    )
    text = re.sub(r"^(?:so )?(?:the |my )?(\w+ing) is over(?: for me)?\b", r"I have stopped \1", text, flags=re.I)
    text = re.sub(
        r"^(?P<a>(?-i:[A-Z])[\w-]+) and (?P<b>(?-i:[A-Z])[\w-]+) (?:have |had )?(?:just )?(?P<how>split up"
        r"|broken up|broke up|separated|"
        r"divorced|parted ways|got divorced)\b",
        r"\g<a> has split up with \g<b>",
        text,
    )
    text = _GIVEN_ME.sub("I got ", text)
    text = _PRESCRIBED.sub("I was prescribed ", text)
    text = _THEN.sub(r"\g<day>\g<rest> on \g<day>", text)
    if meets := _GATHER.match(text):
        other = meets["other"] or meets["other2"]
        tail = f", with {other}" if other else ""
        text = f"Our {meets['what'] or meets['what2']} is {(meets['when'] or meets['when2']).lower()}{tail}"
        text = re.sub(r"\b(mon|tues|wednes|thurs|fri|satur|sun)(?=day)", lambda found: found[0].capitalize(), text)
    if (called := _NAMED_THING.match(text)) and not re.search(rf"\b(?:{RELATION})$", called["own"], re.I):
        text = f"{called['own']} is called {called['name']}, {called['name']} {called['rest']}"
    text = _CLEFT.sub(r"\g<does> \g<what>, actually", text)
    moved = _EXCHANGED.match(text)
    if moved and not re.match(rf"(?:my|our) (?:{RELATION})\b", moved["thing"], re.I):
        text = f"{moved['thing'][0].upper()}{moved['thing'][1:]} was {moved['verb'].lower()} {moved['to']}"
    back = re.match(r"^I am back (?:on|to|with|in|using) (?P<what>(?-i:[A-Z])[\w+#. -]*)(?P<rest>,.*)?$", text)
    if back and terms(back["what"]).kinds() & _TOOLS:
        text = f"I use {back['what']} again{back['rest'] or ''}"
    return re.sub(r"^I am (?:drinking|having) (.+?) again\b", r"I drink \1 again", text)
