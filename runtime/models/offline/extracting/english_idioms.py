"""Idioms by which English tells what somebody has got, begun, left, moved or changed, and the plain words for each:
"they gave me the X job" is "I am now the X".

Each rule keeps what was told and changes how it is said; none of them decides what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..stems import word_set
from ..words import terms
from .english_grammar import RELATION

Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
"""What is looked for, and what stands in its place."""

DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
START = r"(?:(?<=^)|(?<=[.!?,;:] )|(?<=\n)|(?<=\band )|(?<=\bso )|(?<=\bbut ))"
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_ON = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|the \d{{1,2}}(?:st|nd|rd|th)|{DAY})"
)
_CHANGED = re.compile(
    rf"{START}(?P<what>my (?:shifts?|hours|rota|schedule|working hours)) (?:have|has) changed(?: again)?[.,:;!]+ "
    r"(?:(?:it|they|I) )?(?:was|were|used to be) (?P<old>[^,;.]+)[,;.] (?:but |and )?(?:from"
    r" (?P<from>[\w ]+?),? )?(?:now )?"
    r"(?:its|it's|it is|they're|they are)(?: now)? (?P<new>[^.;]+)",
    re.I,
)
_PUT_ON_DAY = re.compile(
    r"\b(?:they|we|he|she|the [a-z]+)(?:'ve| have| has)? (?:moved|switched|shifted|changed) (?!me\b"
    r"|us\b|it\b|in\b|from\b)"
    rf"(?:the |our |my )?(?P<what>[a-z][\w ]{{2,30}}?) to (?P<day>{DAY})\b(?P<why> (?:since|because"
    r"|as|so|cos|now)\b[^.!?]*)?",
    re.I,
)
_MOVED_ME = re.compile(
    rf"{START}(?:the |my )?(?P<who>[a-z][a-z]+(?: [a-z]+)?) (?:has |have |just )*(?:moved|bumped"
    r"|pushed|rescheduled|postponed|shifted"
    r"|switched) (?:me|us|my appointment|it)(?: back| forward)?(?: again)?[.,!;:–-]+ (?:it is |it's |its |now )?"
    rf"(?P<to>{_ON})(?: now)?(?P<at>, (?:at )?\d{{1,2}}[.:]\d\d(?: (?:am|pm|in the \w+))?)?(?=[,.;!?]|$)",
    re.I,
)
_NEW_NUMBER = re.compile(
    rf"{START}(?:I have |I've |I |got |have )*(?:got )?(?:a |my )?new (?P<what>number|phone number"
    r"|mobile(?: number)?|email"
    r"(?: address)?|address)(?: (?:btw|by the way|is|now))*[:,]? (?P<to>\+?\d[\d ]{5,}\d|[\w.+-]+@[\w.-]+\w)",
    re.I,
)
_THEIR_NUMBER = re.compile(
    rf"{START}(?P<who>(?:my )?[a-z]+(?: (?-i:[A-Z])\w+)?) (?:has |have )?(?:changed|got|switched)(?:"
    r" (?:a|her|his|their))?(?: new)? "
    r"(?:phones?|numbers?|mobiles?)(?: again)?[,.;:!-]+ (?:the new one is |it's |its |it is |now"
    r" )(?P<to>\+?\d[\d ]{5,}\d)",
    re.I,
)
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
    rf"{START}(?:(?:I am|I'm|am|we are|we're) )?(?:now )?back to being (?:an? )?(?P<what>[a-z]+(?:"
    r" [a-z]+)?)(?=[.,;!]| (?:since|as|from|for)\b|$)",
    re.I,
)
_TASTES = re.compile(
    rf"{START}(?:(?:ugh|yuck|eww?|no|bleh),? )?(?P<what>(?!ugh|yuck)[a-z][a-z-]+)[.!,…]+ (?=(?:tastes"
    r"|smells) like|(?:gives|makes|brings) me\b)",
    re.I,
)
_AT_ONE = re.compile(
    r"(?P<how>\b(?:starting|working|start|work|started) (?:at|for|with)) an? (?P<what>(?:[a-z]+ ){0,3}?[a-z]+) called "
    r"(?P<name>(?-i:[A-Z])[\w&'-]+(?: (?-i:[A-Z])[\w&'-]+)*)(?P<when> (?:on|in|from|next) [\w ]+?)?(?=[,.;!?]|$)"
)
_KIN_AGE = re.compile(
    r"\b(?:my )?(?P<who>mum|mom|mam|dad|nan|gran|grandma|grandad|sister|brother|wife|husband)'?s"
    r" (?P<many>\d+(?:st|nd|rd|th))(?: birthday)?,?"
    rf" (?:it's |its |it is |is |'s )?(?:on )?(?P<day>{_ON})",
    re.I,
)
_PRONOUNS = re.compile(
    rf"{START}use (?P<what>(?:they|she|he|xe|ze)/[a-z]+)(?: pronouns)?(?: (?:for|with) me)?(?= please"
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
_MY_PLACE = re.compile(rf"{START}(?:(?:my|our|the) )?(?:flat|house|new place|place)'s in (?=(?-i:[A-Z]))", re.I)
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
_ENDED_UP = re.compile(r"\bended up (?:going with|using|choosing|picking|on)\b", re.I)
_HURT = re.compile(
    rf"{START}(?P<what>(?:torn|broken|sprained|fractured|ruptured|slipped|dislocated|pulled"
    r"|herniated) (?:[a-z]+ )?(?:meniscus|disc|ankle"
    r"|wrist|knee|leg|arm|foot|toe|finger|rib|collarbone|hip|tendon|ligament|muscle|hamstring"
    r"|achilles|acl|shoulder|elbow))\b",
    re.I,
)

IDIOMS: tuple[Rule, ...] = (
    (_KIN_AGE, r"My \g<who>'s \g<many> birthday is on \g<day>"),
    (_PRONOUNS, r"My pronouns are \g<what>"),
    (_OFFICE_THEN, r"\g<got>. I am the \g<office>"),
    (_GUIDE, "Our team rule: "),
    (_MY_PLACE, "I live in "),
    (_AT_NUMBER, r"My address is now \g<at>"),
    (_GIVEN_UP, lambda found: f"{found['have']}gave up {found['in'] or found['head']}".replace("'ve gave", " gave")),
    (_ENDED_UP, "went with"),
    (_CHANGED, lambda found: f"My shifts are now {found['new']}{', from ' + found['from'] if found['from'] else ''}"),
    (_PUT_ON_DAY, lambda found: f"{found['what'][0].upper()}{found['what'][1:]} was moved to {found['day']}"),
    (_MOVED_ME, lambda found: f"My {found['who']} appointment was moved to {found['to']}{found['at'] or ''}"),
    (_NEW_NUMBER, lambda found: f"My {_number(found['what'])} is now {found['to']}"),
    (_THEIR_NUMBER, lambda found: f"{_named(found['who'])}'s phone number is now {found['to']}"),
    (_PROMOTED, lambda found: f"I am now the {found['what']}"),
    (_LIVES_ON, lambda found: f"{'. ' if found.start() else ''}We now host everything on {found['what']}"),
    (_COULD, lambda found: f"I love {_doing(found['verb'])} {found['what']}"),
    (_SOURCE, lambda found: found["got"]),
    (_FOOD, lambda found: f"{found['not']} {'eat' if terms(found['what']).kinds() & _EATEN else 'do'} {found['what']}"),
    (_BACK_TO, lambda found: f"I am {found['what']} again"),
    (_TASTES, lambda found: f"{found['what'].capitalize()} "),
    (_HURT, lambda found: f"I have a {found['what']}"),
    (_AT_ONE, lambda found: f"{found['how']} {found['name']}{found['when'] or ''}, a {found['what']}"),
)


def _number(what: str) -> str:
    return what if what.startswith(("e", "a")) else "phone number"


def _named(who: str) -> str:
    """A name that was typed small, as it is written; "my aunt" stays as it is."""
    return who if re.match(rf"my |(?:{RELATION})\b", who, re.I) else who[0].upper() + who[1:]


def _doing(verb: str) -> str:
    first, *rest = verb.lower().split()
    return " ".join([f"{first}ing", *rest])
