"""How the assistant is to answer from now on, and what it is asked to do just now."""

from __future__ import annotations

import re

from ..person import third
from ..phrasebook import phrasebook
from ..stems import IRREGULAR, word_set
from .claim import Claim, Entry

_OBJECTS = word_set("""
a an the me my this that it in for some all these those with to out up another more them us him her
devil's your two three again one five ten""")

_STANDING = re.compile(
    r"\b(?:always|never|ever|from now on|from (?:here|this point) (?:on|out)|in (?:the )?future|going forward"
    r"|by default|every time|whenever you|each time|any time you|for all|(?:in |to |with |for )?(?:every|each)"
    r" (?:answer|reply|response|message|question|mail|email|text|summary|list|example)|(?:in|for) everything you \w+"
    r"|any ?more|in (?:this and )?all (?:other |future |our |the )?(?:chats"
    r"|conversations|answers|replies|texts|messages)|our (?:\w+ )?(?:convention|rule|policy|standard|style))\b",
    re.I,
)

_ONCE = re.compile(
    r"\b(?:this time|just (?:this|for)|for (?:this|now|once)|this (?:one|message|answer)|in "
    r"this|the last|that last|today)\b",
    re.I,
)

_WISH = re.compile(
    r"^(?:please |pls |also |and |from now on,? |in (?:the )?future,? |going forward,? |by default,? |could you "
    r"|can we agree (?:that )?(?:you )?|promise (?:me )?(?:that )?(?:you will |to )?|make sure (?:that )?you |can"
    r" you |would you |I (?:want|need|would like|prefer|'d like|expect) you to )*(?:please )?(?P<verb>(?:always "
    r"|never |only |do not |don't |not |stop )?(?:use|schedule|book|plan|answer|reply|respond|write|give|put|show"
    r"|speak|talk|address|start|end|include|add|send|ask|suggest|recommend|mention|assume|say|format|explain|keep"
    r"|make|call|convert|quote|be|avoid|stick|remind|skip|leave|tell|stop|drop|lose|check|cite|translate|round"
    r"|spell|greet|treat|refer|offer|default|prefer|propose|number|sign|stress|link|sort|express|apologi[sz]e"
    r"|assume|limit|follow|put|order|list|count|wait|begin|highlight|capitali[sz]e|state|prioriti[sz]e|reserve|warn"
    r"|double-check)\b.*)$",
    re.IGNORECASE,
)

_UNWANTED = re.compile(
    r"^no (?:need for |more )?(?P<what>[\w -]+?)(?=,? (?:in (?:your|any) (?:answers|replies|responses|code)|ever"
    r"|from now on|at all))(?:,? (?:in (?:your|any) (?:answers|replies|responses|code)|ever|from now on|at all"
    r"|please))+$",
    re.I,
)
_WISH_FREE = re.compile(
    r"\bwhen (?:you|answering|replying)\b|\b(?:your|my|all|the) (?:\w+ )?(?:answers|replies|responses|examples|code"
    r"|explanations|(?:commit )?messages|texts|e?mails|documents|titles|comments|dates|numbers|names|prices)\b"
    r"|^(?:please |pls |always )*(?:address|speak to|talk to|write to|greet|call) me\b|\b(?:answers|replies)"
    r" (?:short|brief|in)\b",
    re.I,
)


_LENGTH = re.compile(
    r"\b(?P<how>(?:much |a bit )?(?:short|shorter|brief|briefer|concise|terse|long|longer|detailed|more detailed"
    r"|in-depth|thorough|one-line)) (?:\w+ )?(?:answers?|replies|responses|explanations)\b|\b(?:answers|replies"
    r"|responses|explanations) (?:to be |should be |must be |as )?(?P<how2>short|brief|concise|long|detailed"
    r"|shorter|longer|briefer)\b",
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


_RATHER = re.compile(
    r"^I (?:would|'d) (?:rather|prefer|like|love|appreciate)(?: it)?(?: that| if)? you (?:would |could"
    r" )?(?P<verb>[a-z]+)\b",
    re.I,
)


def _base(verb: str) -> str:
    """The plain form of "answered" and "used"."""
    if not verb.endswith("ed"):
        return verb
    return (
        verb[:-1]
        if verb.endswith(("sed", "ved", "ted", "ced", "ged", "bed"))
        and verb[-3] != verb[-4]
        and not re.search(r"(?:[aeiou][aeiou]|[^aeiou])[tb]ed$", verb)
        else verb[:-2]
    )


def wish(text: str, entry: Entry) -> Claim | None:
    """How the assistant is to answer from now on; a wish for this answer alone is none."""
    plain = re.sub(r",? (?:please|pls|thanks|ok|okay)$", "", text, flags=re.I)
    if listed := _listed(plain):
        return Claim(listed, listed, "en", entry, wish=True)
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
    plain = _RATHER.sub(lambda rather: f"please {IRREGULAR.get(rather['verb'], _base(rather['verb']))}", plain)
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
        re.sub(r"^(?:do not|don't) ", "not to ", verb, flags=re.I)
        if re.match(r"(?:do not|don't) ", verb, re.I)
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


_KEEP_THAT = re.compile(
    r"^(?:please |pls |and |so |can you |could you |would you |do |always |just )*(?:store|save|note|keep|remember"
    r"|write|jot|log|record|file|memori[sz]e|don't forget|do not forget|never forget) (?:all )?(?:that|this|it"
    r"|those|these|them)(?:$|,? (?:down|in mind|in your|for|please|when|with|somewhere|will you|too|as well|okay|ok"
    r"|on file)\b[^:]*$)",
    re.I,
)


def keep_that(text: str) -> bool:
    """Whether a sentence asks to remember the one before it: "Keep that in mind for the reports"."""
    return _KEEP_THAT.match(text) is not None


def without_keep_that(text: str) -> tuple[str, bool]:
    """`text` without "..., write that down for me" at its end, and whether it had it."""
    at = max(text.rfind(", "), text.rfind(" - "), text.rfind(" – "), text.rfind(" and "))
    tail = re.sub(r"^(?:,|-|–|and)\s*(?:and )?", "", text[at:].strip()) if at > 3 else ""
    return (text[:at].rstrip(" ,-–"), True) if tail and keep_that(tail) else (text, False)


_CASE = re.compile(
    r"^(?P<case>(?:when(?:ever)? you|if you|every time|each time|any time|next time(?: and every time)?|for (?:all"
    r"|any|every)|in (?:all|every)) ?[^:]*?): (?P<what>(?!I\b|we\b|what|how|which|who|where|can|could|is|are)[^:]+)$",
    re.I,
)


def _listed(text: str) -> str:
    """A lasting wish that names only what is wanted: "When you compare trains for me: window seat, always"."""
    found = _CASE.match(text)
    if not found:
        return ""
    case = re.sub(r"\byou (\w+)", lambda you: f"the assistant {third(you[1])}", found["case"], flags=re.I)
    return f"I want, {case[0].lower()}{case[1:].strip()}: {found['what']}"


def imperative(text: str) -> bool:
    """Whether it asks the assistant to do something now."""
    words = text.lower().split()
    if len(words) < 2 or words[0] not in phrasebook("en").words("chatter", "requests"):
        return False
    return words[1] in _OBJECTS and not _STANDING.search(text) and not _WISH_FREE.search(text)
