"""A sentence kept as it stands, where its clauses could not be read: "half my family lives in Cork, the rest in Bath".

It is the last resort. It must be of the user, or of people and things of theirs, and nothing in it may speak of the
moment, of this talk, or of a next step.
"""

from __future__ import annotations

import re

from ....when import stretches
from ..stems import IRREGULAR, stem
from .claim import Claim, Entry
from .english_grammar import KEEP
from .english_predicate import predicate

_OWN = re.compile(r"\b(?:I|my|we|our|mine|ours|[MW]e|[MO]ur|My)\b")
_ADDRESSED = re.compile(
    r"\b(?:you|your|yours|please|pls|thanks|thank|sorry|lol|haha|hmm+|ok|okay|let us|let me|help)\b|^(?:if|when"
    r"|what|how|why|who|where|which|it|that|this|these|those|there|here|imagine|suppose|maybe|perhaps|yes|no|nope"
    r"|yeah|same|another)\b",
    re.I,
)
_POINTS = re.compile(
    r"\b(?:this|that|these|those) (?:one|time|message|answer|version|sentence|paragraph|list|code|file|draft|thing"
    r"|way|part|error|option|idea|plan|function)\b|\b(?:above|below|attached)\b",
    re.I,
)
_OPEN = re.compile(
    r"\b(?:will|shall|should|would|could|might|may|ask me|(?:was|were) \w+ing|need to|have to|must)\b", re.I
)
"""What is not so, or not yet."""
_SAID = re.compile(
    r"\b(?:says?|said|thinks?|thought|claims?|told|tells|asked|asks|wonders?|wants me|reckons?|swears?"
    r"|insists?|believes?|(?:driving|drives) (?:me|us)|keeps? \w+ing)\b",
    re.I,
)
"""What somebody else said, or what goes on."""
_ASKS = re.compile(
    r"^(?:need|want|wanted|looking for|help|any|give|find|write|make|draft|suggest|recommend|got|some(?:where|thing"
    r"|one|body)|any(?:where|thing|one))\b|\b(?:how|what|where|why|when|which) (?:do|does|can|should|would|is|are"
    r"|could) (?:I|we|my|our|you|it)\b",
    re.I,
)
"""What asks for something, without a question mark."""
_MOST = 40
"""Words of a sentence that is kept as it stands."""


def whole(text: str, entry: Entry) -> Claim | None:
    """The claim that a sentence makes as it stands, if it may make one."""
    text = re.sub(r"^(?:[A-Za-z]{1,5}, )+(?=[A-Za-z])", "", text)
    return Claim(text, text, "en", entry, whole=True, rests_on=[entry.number]) if stands(text, entry) else None


def stands(text: str, entry: Entry) -> bool:
    """Whether a statement may be kept as it stands."""
    words = text.split()
    if not 4 <= len(words) <= _MOST or not _OWN.search(text) or _ADDRESSED.search(text) or _POINTS.search(text):
        return False
    tables = (("drop", "faint"), ("drop", "any"), ("hedge", "words"), ("lasting", "moment"), ("drop", "today"))
    if any(KEEP.pattern(*name).search(text) for name in tables):
        return False
    if _ASKS.search(text):
        return False
    if predicate(text) and not re.search(r"[,;:]| and | but ", text):
        return False  # it could be read, and tells nothing that lasts
    if _SAID.search(text) or _passing_state(words):
        return False
    return _on_a_day(text, entry) or (_lasts(words) and _OPEN.search(text) is None)


def _passing_state(words: list[str]) -> bool:
    """Whether somebody or something is said to be as one is for an hour: "Biscuit is asleep on my foot"."""
    plain = [word.strip(",.;:!").lower() for word in words]
    passing = KEEP.words("lasting", "passing")
    degree = KEEP.words("lasting", "degree") | {"not"}
    for at, word in enumerate(plain):
        if word in ("is", "are", "am"):
            after = next((one for one in plain[at + 1 :] if one not in degree), "")
            if after in passing:
                return True
    return False


def _on_a_day(text: str, entry: Entry) -> bool:
    today = entry.at.date()
    return any(abs((one.day - today).days) > 2 for one in stretches(text, today, ahead=True))


def _lasts(words: list[str]) -> bool:
    """Whether its verbs are of the present, or mark a life."""
    plain = [word.strip(",.;:!'\"()").lower() for word in words]
    past = [
        word
        for word in plain
        if (word.endswith("ed") and len(word) > 4)
        or (word in IRREGULAR and word not in ("is", "are", "am", "has", "have", "kids"))
    ]
    marking = {stem(word) for word in KEEP.words("lasting", "marking")} - {"be", "go", "get"}
    doing = [word for word in plain if word.endswith("ing") and len(word) > 5]
    long = KEEP.words("lasting", "long") | KEEP.words("lasting", "going")
    if past:
        return any(stem(word) in marking for word in past)
    return not doing or any(word in long for word in doing)
