"""Whom or what an English clause is of, and whom its pronouns stand for."""

from __future__ import annotations

import re
from dataclasses import replace

from ..person import to_first
from ..stems import word_set
from ..words import STOP, terms
from .claim import Claim, Someone
from .english_grammar import (
    KEEP,
    LEAD,
    NAME,
    PRONOUN,
    RELATION,
    agreeing,
    guessed_verb,
    last_noun,
    leads,
    placed,
    verb_place,
)
from .scene import Scene

_OWN = re.compile(
    rf"^(?:my|our) (?P<of>(?:[\w-]+ ){{0,2}}?(?P<relation>{RELATION}))\b(?! "
    rf"(?:{RELATION})\b)(?:,? (?P<name>{NAME}))?"
    r"(?P<possessive>'s|')?,? (?P<rest>.+)$",
    re.IGNORECASE,
)

TOGETHER = re.compile(
    rf"^(?:only |both )?(?P<other>(?:my|our) (?:[\w-]+ )?(?:{RELATION})(?: {NAME})?|{NAME}(?: (?:from|in)"
    rf" [\w -]+?)?) and I (?P<rest>.+)$",
    re.I,
)

_SOME_OF_US = re.compile(
    r"^(?P<who>nobody|no one|none|everyone|everybody|all|both|each|two|three|four|most|some|half|one)(?: of us|"
    r" (?:in|at|on) (?:my|our) [\w -]+?|, [\w ]+,)+ (?P<rest>(?:\w+s|are|is|do|does|don't|doesn't|has|have|can"
    r"|cannot|can't|eat|drink|speak|work|live|like|hate|use|play|never|always)\b.*)$",
    re.I,
)
"""What is told of all or some of the user's household or team: "nobody in our house drinks milk"."""
_NAMES = re.compile(rf"^(?P<name>{NAME})(?P<possessive>'s)? (?P<rest>.+)$")

_THING = re.compile(
    r"^(?:(?P<own>my|our|the|this|that) )?(?P<thing>(?:[\w&+'-]+ ){0,4}?[\w&+'-]+?) "
    r"(?P<rest>(?:\w+ly )?(?P<verb>[\w']+)(?: .*)?)$",
    re.I,
)

_HAS_ONE = re.compile(
    rf"^I (?:\w+ )?(?:have|had|got|adopted|own|rescued|bought|keep) (?:an?|two|our|my|another) (?P<of>(?:[\w-]+"
    rf" )*?(?P<relation>{RELATION}))\b(?:,? (?:named|called|whose name is|who is called)? ?(?P<name>{NAME}))?",
    re.IGNORECASE,
)

ABOUT = re.compile(
    r"^(?:change of plans? (?:for|on|with|about)|about|regarding|re|as for|for|update on|news "
    r"(?:on|about)|(?:the )?project) (?P<topic>.+)$",
    re.I,
)

_OWN_WORDS = re.compile(
    r"(?:^|\b)(?:\w*name|birthday|age|job|profession|title|hometown|address|e?-?mail|goal|dream|pronouns|height"
    r"|weight|blood (?:type|group)|shoe size|size|native language|mother tongue|first language|religion|faith|star"
    r" sign|hobby|hobbies|phone number|number|employer|diet)$|^(?:(?:all-time|absolute|new|current) )?(?:favou?rite"
    r"|fave|go-to)\b",
    re.I,
)

NO_NAMES = STOP | word_set(
    "just also still then now never always only even both once already maybe perhaps today yesterday zero no"
    " good easter"
)
"""Words that are no names, though they are written large where they begin a sentence."""
_THINGS = KEEP.words("keep", "things")


def of_whom(claim: Claim, scene: Scene) -> None:
    """Finds the subject of a claim, and what it says of it in the first person."""
    text = claim.text
    lead = LEAD.match(text)
    plain = text[lead.end() :] if lead else text
    if team := re.match(r"^(?:the (?:whole )?team|our team) (?P<rest>.+)$", plain, re.I):
        plain = to_first(f"The user {team['rest']}")
    plain = re.sub(r"^we\b", "I", plain, flags=re.I)
    plain = re.sub(r"^I are\b", "I am", plain)
    claim.said = re.sub(r"^our\b", "my", plain, flags=re.I)
    if together := TOGETHER.match(plain):
        claim.said = f"I {together['rest']}"
        return
    if some := _SOME_OF_US.match(plain):
        claim.said = to_first(f"The user {some['rest']}")
        if some["who"].lower() in ("nobody", "no one", "none"):
            claim.said = re.sub(r"^I ", "I never ", claim.said)
        return
    own = _OWN.match(plain)
    if own and (own["possessive"] or own["name"] or leads(own["rest"]) or placed(own["rest"])):
        someone = Someone(own["relation"].lower(), own["name"] or "", own["of"].lower())
        someone = scene.meet(someone)
        rest = own["rest"]
        if re.match(r"(?:in|from|at|near|over in|across) ", rest) and (at := verb_place(rest)):
            rest = " ".join(rest.split()[at:])
        if own["possessive"]:
            claim.said = f"my {rest}"
            if _nested(claim, rest, someone.name or f"the user's {someone.relation}", scene):
                return
            if re.match(r"name is ", rest, re.I):
                _named(someone, rest.split(" is ", 1)[1], claim, scene)
                return
        elif naming := re.match(rf"^(?:is|are) (?:called |named )?(?P<name>{NAME})(?:$|,| and\b)", rest):
            _named(someone, naming["name"], claim, scene)
            return
        else:
            claim.said = to_first(f"The user {rest}")
        claim.someone, claim.subject = someone, scene.subject(someone)
        return
    if re.match(r"^(?:I|me)\b", plain):
        if re.match(
            r"^I am (?:now )?(?:seeing|dating|engaged to|married to|going out with) (?:someone|"
            r"somebody|a )",
            plain,
        ):
            scene.meet(Someone("partner", "", "partner"))
            claim.introduces = "partner"
        if one := _HAS_ONE.match(re.sub(r"^we\b", "I", plain, flags=re.I)):
            scene.meet(Someone(one["relation"].lower(), one["name"] or "", one["of"].lower()))
            claim.introduces = "" if one["name"] else one["relation"].lower()
        return
    named = _NAMES.match(plain)
    if named and named["possessive"] and _nested(claim, named["rest"], named["name"], scene):
        return
    if named and (someone_known := scene.known(named["name"])):
        claim.said = f"my {named['rest']}" if named["possessive"] else to_first(f"The user {named['rest']}")
        claim.someone, claim.subject = someone_known, scene.subject(someone_known)
        return
    _of_thing(claim, plain, named, scene)


_NESTED = re.compile(
    rf"^(?P<of>(?:[\w-]+ )??(?P<relation>{RELATION})),? (?P<name>{NAME}),? (?P<rest>(?:is|was|has|[a-z]+s"
    rf"|[a-z]+ed)\b.*)$",
    re.I,
)


def _nested(claim: Claim, rest: str, owner: str, scene: Scene) -> bool:
    """Whether it is of somebody else's: "Marit's boyfriend Joost is a baker" is of Joost."""
    found = _NESTED.match(rest)
    if not found:
        return False
    claim.nested = (owner, found["relation"].lower(), found["name"])
    claim.someone = scene.meet(Someone("", found["name"]))
    claim.subject, claim.said = found["name"], to_first(f"The user {found['rest']}")
    return True


def _named(someone: Someone, name: str, claim: Claim, scene: Scene) -> None:
    claim.naming = name.strip()
    someone = scene.meet(replace(someone, name=re.split(r"[,.]| and ", name)[0].strip()))
    claim.introduces = someone.relation
    claim.said = re.sub(r"^our\b", "my", claim.text, flags=re.I)


def _of_thing(claim: Claim, plain: str, named: re.Match[str] | None, scene: Scene) -> None:
    found = _THING.match(plain)
    if not found or found["thing"].lower() in PRONOUN:
        return
    at = verb_place(plain) or guessed_verb(plain)
    if at is None:
        return
    words = plain.split()
    while at > 1 and words[at - 1].lower() in ("now", "also", "still", "currently", "only", "always", "never"):
        at -= 1
    thing = " ".join(words[:at])
    bare = re.sub(r"^(?:my|our|the|this|that|a|an) (?:(?:new|old|current|latest|next|whole) )?", "", thing, flags=re.I)
    rest = " ".join(words[at:])
    if _OWN_WORDS.search(bare) and re.match(r"^(?:my|our)\b", thing, re.I):
        claim.said = f"my {bare} {rest}"
        scene.thing = thing
        return
    if mine := re.match(r"^(?:is|are) my (?P<what>[\w -]+?)(?=,| but| and|$)", rest, re.I):
        claim.said = f"my {mine['what']} is {bare}"
        return
    if named and thing in scene.things:
        named = None
    if (
        named
        and not re.match(r"^(?:the|my|our|project)\b", thing, re.I)
        and thing == named["name"]
        and thing.split()[0].lower() not in NO_NAMES
        and not any(word in _THINGS or word.removesuffix("s") in _THINGS for word in bare.lower().split())
    ):
        # Somebody who is not known yet.
        claim.someone = scene.meet(Someone("", thing))
        claim.subject, claim.said = thing, to_first(f"The user {rest}")
        return
    claim.subject = bare
    claim.said = f"my {bare} {rest}"
    scene.thing = thing
    if called := re.match(rf"(?:is|are) (?:called|named) (?P<name>{NAME})", rest):
        scene.thing = called["name"]


def _thing(word: str) -> bool:
    """Whether a word is known to name something, or is written like a name or several things."""
    return word[:1].isupper() or word.endswith("s") or any(term.names | term.member_of for term in terms(word).terms)


_BEFORE = re.compile(
    r"(?<!^)(?<!\bin )(?<!\bat )(?<!\bnear )(?<!\binto )(?<!\bmoved to )(?<!\bmoving to )(?<!\bwent to )"
    rf"\b(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof) )?{NAME})"
)
"""A name that is none of a place where somebody is or goes."""


def named_before(text: str) -> str:
    """The last name in a sentence that may be somebody's."""
    names = [found["name"] for found in _BEFORE.finditer(text)]
    return next((name for name in reversed(names) if not terms(name).kinds() and name.lower() not in NO_NAMES), "")


_KIND = re.compile(
    r"\b(?:(?:side|pet|hobby|new|research) )?(?:project|app|game|book|novel|band|company|startup|shop|site|website"
    r"|tool|library|boat|podcast|blog|channel|club|team|dog|cat)\b",
    re.I,
)
"""What may have a name that the next sentence tells: "Side project time. It's called Otter"."""


def resolved(text: str, heading: str, scene: Scene) -> str:
    """`text` with its pronouns replaced by what they stand for; empty where one of somebody stands for nobody known."""
    text = re.sub(
        r"^(?:Mum|Mom|Dad|Grandma|Grandpa|Granny|Nana|Mama|Papa)\b(?=(?:'s)? )",
        lambda found: f"My {found[0].lower()}",
        text,
    )
    text = re.sub(r"^(?:both|all)(?: of)? (?=(?:my|our) )", "", text, flags=re.I)
    text = re.sub(
        r"^The (?=(?:kids|children|dog|cat|baby|twins|wife|husband|puppy|kitten|boys|girls|missus|boss)\b)",
        "My ",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?P<lead>(?:since|every|on|in|at|from|after|most|these|this|until)\b(?:(?!\b(?:I|we|he|she"
        r"|they)\b)[^,]){2,30}?,?) the (?=(?:kids|children|dog|cat|baby|twins|wife|husband|boys|girls) )",
        r"\g<lead> my ",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:it is|it's) (my|our) ([\w ]+?) (?=(?:on|in|at|next|tomorrow|today|this)\b)",
        r"\1 \2 is ",
        text,
        flags=re.I,
    )
    first = text.split()[0].lower() if text.split() else ""
    if first in ("he", "she", "his", "her", "they", "their") or re.match(r"^(?:and |but )?(?:he|she)\b", text, re.I):
        phrase = scene.phrase() or named_before(scene.before)
        if not phrase:
            return ""
        tail = text.split(" ", 1)[1] if " " in text else ""
        return f"{phrase}'s {tail}" if first in ("his", "her", "their") else f"{phrase} {agreeing(tail)}"
    called = re.match(rf"^(?:it|this) is called (?P<name>{NAME})(?P<rest>.*)$", text, re.I)
    if called and (kind := _KIND.search(scene.before)):
        scene.thing = called["name"]
        return f"My {kind[0].lower()} is called {called['name']}{called['rest']}"
    if scene.antecedent:
        text = re.sub(r"^(my|our|the) new one\b", rf"\1 new {scene.antecedent.removesuffix('s')}", text, flags=re.I)
    if scene.thing[:1].isupper() and not scene.thing.lower().startswith(("my ", "our ", "the ")):
        text = re.sub(r"^(I|we) (\w+) it (?=with|in|on|at|for)", rf"\1 \2 {scene.thing} ", text, flags=re.I)
    about = ABOUT.match(heading)
    topic = about["topic"].strip() if about else last_noun(heading) or scene.antecedent
    if (
        scene.thing
        and first in ("it", "its")
        and (
            not re.match(r"^it (?:is|was) (?:my|a|an|the|not|just|so|very|too)\b", text, re.I)
            # "It is a pity" is of nothing; "it is a blue Skoda" is of the car.
            or re.match(r"^(?i:it is) an? (?:[a-z-]+ ){0,2}[A-Z]", text)
        )
    ):
        text = f"{scene.thing}{chr(39) + 's' if first == 'its' else ''} {text.split(' ', 1)[1] if ' ' in text else ''}"
    if topic and re.match(r"^(?:it is|its|it's) my\b", text, re.I):
        text = re.sub(r"^(?:it is|its|it's)\b", f"{topic[0].upper()}{topic[1:]} is", text, flags=re.I)
    if topic and _thing(topic):
        text = re.sub(r"\bits (?=\w)", f"{topic}'s " if about else "its ", text)
        them = "them" if topic.endswith("s") else "it"
        text = re.sub(
            rf"\b(to|of|with|without|about|hate|loathe|detest|dislike|adore|love|like|stand|eat|bear|use) {them}$",
            rf"\1 {topic}",
            text,
        )
        if scene.product:
            text = re.sub(r"\b(use|using|switched to|moved to|used|in|with) it\b", rf"\1 {scene.product}", text)
        them = "them" if topic.endswith("s") else "it"
        text = re.sub(rf"\b(find|found) {them} (?=\w)", rf"\1 {topic} ", text)
    if about and topic and topic.lower() not in text.lower():
        text = f"For {topic}, {text}"
    return text
