"""How the assistant is to answer from now on, and what it is asked to do just now."""

from __future__ import annotations

import re

from ..person import third
from ..phrasebook import phrasebook
from ..stems import word_set
from .claim import Claim, Entry

_OBJECTS = word_set("""
a an the me my this that it in for some all these those with to out up another more them us him her
devil's your two three again one five ten""")

_STANDING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|going forward|by default|every time|"
    r"whenever you|each time|any time you|for all)\b",
    re.I,
)

_ONCE = re.compile(
    r"\b(?:this time|just (?:this|for)|for (?:this|now|once)|this (?:one|message|answer)|in "
    r"this|the last|that last|today)\b",
    re.I,
)

_WISH = re.compile(
    r"^(?:please |pls |also |and |from now on,? |in (?:the )?future,? |going forward,? |by "
    r"default,? |could you |can we agree (?:that )?(?:you )?|promise (?:me )?(?:that )?(?:you "
    r"will |to )?|make sure (?:that )?you |can you |would you |"
    r"I (?:want|need|would like|prefer|'d like|expect) you to )*"
    r"(?:please )?(?P<verb>(?:always |never |only |do not |don't |not |stop )?(?:use|schedule|book|plan|answer|"
    r"reply|respond|write|give|put|show|speak|talk|address|start|end|include|add|"
    r"send|ask|suggest|recommend|mention|assume|say|format|explain|keep|make|call|convert|"
    r"quote|be|avoid|stick|remind|skip|leave|tell|stop|check|cite|"
    r"translate|round|spell|greet|treat|refer|offer|default|prefer)\b.*)$",
    re.IGNORECASE,
)

_UNWANTED = re.compile(
    r"^no (?:need for |more )?(?P<what>[\w -]+?)(?=,? (?:in (?:your|any) (?:answers|replies|"
    r"responses|code)|ever|from now on|at all))"
    r"(?:,? (?:in (?:your|any) (?:answers|replies|responses|code)|ever|from now on|at all|please))+$",
    re.I,
)
_WISH_FREE = re.compile(
    r"\bwhen (?:you|answering|replying)\b|\b(?:your|my|all|the) (?:\w+ )?(?:answers|replies|"
    r"responses|examples|code|explanations)\b|\b(?:answers|replies) (?:short|brief|in)\b",
    re.I,
)


_LENGTH = re.compile(
    r"\b(?P<how>(?:much |a bit )?(?:short|shorter|brief|briefer|concise|terse|long|longer|detailed|more"
    r" detailed|in-depth|thorough|"
    r"one-line)) (?:\w+ )?(?:answers?|replies|responses|explanations)\b|\b(?:answers|replies|responses|explanations) "
    r"(?:to be |should be |must be |as )?(?P<how2>short|brief|concise|long|detailed|shorter|longer|briefer)\b",
    re.I,
)
_SPOKEN = re.compile(
    r"\b(?:answer|reply|respond|write|speak|talk)(?: to me| back)? in (?P<how>(?-i:[A-Z])[a-z]+)\b", re.I
)


def style(text: str) -> tuple[str, str] | None:
    """What of the answers a wish is about, and how it wants that; None where it is about something else."""
    if found := _LENGTH.search(text):
        return "length of answers", (found["how"] or found["how2"]).lower()
    return ("language of answers", spoken["how"]) if (spoken := _SPOKEN.search(text)) else None


def _of_length(plain: str, entry: Entry) -> Claim | None:
    """A lasting wish for longer or shorter answers, in whatever words."""
    found = _LENGTH.search(plain)
    if (
        not found
        or _ONCE.search(plain)
        or not _STANDING.search(plain)
        or re.match(r"^(?:why|are|do|is)\b", plain, re.I)
    ):
        return None
    rest = re.search(r",? (with (?:\w+ )?(?:examples|code|sources|links))\b", plain, re.I)
    stated = (
        f"I want the assistant to give {(found['how'] or found['how2']).lower()} answers{' ' + rest[1] if rest else ''}"
    )
    return Claim(stated, stated, "en", entry, wish=True)


def wish(text: str, entry: Entry) -> Claim | None:
    """How the assistant is to answer from now on; a wish for this answer alone is none."""
    plain = re.sub(r",? (?:please|pls|thanks|ok|okay)$", "", text, flags=re.I)
    case = re.match(
        r"^(?P<case>(?:whenever|when|if|every time|each time|any time) (?:you|I) [^,]+), "
        r"(?P<rest>.+)$",
        plain,
        re.I,
    )
    plain = (
        f"always {case['rest']}"
        if case and not re.match(r"(?:I|my|we|it|you|can|what|how)\b", case["rest"], re.I)
        else plain
    )
    if styled := _of_length(plain, entry):
        return styled
    if unwanted := _UNWANTED.match(plain):
        stated = f"I want the assistant to give no {unwanted['what']}"
        return Claim(stated, stated, "en", entry, wish=True)
    found = _WISH.match(plain)
    if not found or _ONCE.search(plain) or not (_STANDING.search(plain) or _WISH_FREE.search(plain)):
        return None
    if re.match(r"^(?:I|we|my|our)\b(?! (?:want|need|would like|prefer|expect) you)", plain, re.I):
        return None
    verb = re.split(
        r",? (?:I think|because|since|as I|I am|I find|I like)\b|, (?:I|we|my|it)\b", found["verb"].strip()
    )[0].rstrip(" ,")
    verb = (
        re.sub(r"^(?:do not|don't|stop) ", "not to ", verb, flags=re.I)
        if re.match(r"(?:do not|don't|stop) ", verb, re.I)
        else f"to {verb}"
    )
    verb = re.sub(r"^to (never|always|only|not) ", r"\1 to ", verb, flags=re.I)
    verb = re.sub(
        r"\byour\b",
        "its",
        re.sub(r"\byou\b(?: (\w+))?", lambda found: f"it {third(found[1])}" if found[1] else "it", verb, flags=re.I),
        flags=re.I,
    )
    verb = re.sub(r"^((?:(?:never|always|only|not) )?to )([A-Z])", lambda found: found[1] + found[2].lower(), verb)
    if case:
        spoken = re.sub(r"\byou (\w+)", lambda found: f"it {third(found[1])}", case["case"], flags=re.I)
        verb = f"{verb.removeprefix('always ')} {spoken[0].lower()}{spoken[1:]}"
    stated = f"I want the assistant {verb[0].lower()}{verb[1:]}"
    return Claim(stated, stated, "en", entry, wish=True)


def imperative(text: str) -> bool:
    """Whether it asks the assistant to do something now."""
    words = text.lower().split()
    if len(words) < 2 or words[0] not in phrasebook("en").words("chatter", "requests"):
        return False
    return words[1] in _OBJECTS and not _STANDING.search(text) and not _WISH_FREE.search(text)
