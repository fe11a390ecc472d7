"""What a clause ends besides what it tells: who sold the car has none any more, and a pet that died is kept no"
" longer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..stems import is_cjk, stem
from ..words import terms
from .claim import USER, Claim
from .english_endings import dropped, is_lack, resumed
from .keeping import keeping
from .revising import Memory

_NOW = r"^I (?:have |had )?(?:just |finally |also |already |now |sadly |recently )*"
_RULES: tuple[tuple[str, str], ...] = (
    (
        rf"{_NOW}(?:sold|gave away|given away|got rid of|gotten rid of|scrapped|donated|returned|traded in"
        rf"|wrecked|totalled) "
        r"(?:the|my|our) (?P<value>.+)",
        "has",
    ),
    (
        rf"{_NOW}(?:cancelled|canceled|ended|stopped|dropped|let go of|quit) (?:my|our|the) "
        r"(?:subscriptions?|memberships?)(?: (?:to|at|of|with|for) (?P<value>.+))?",
        "subscription",
    ),
    (rf"{_NOW}(?:unsubscribed from|cancelled|canceled) (?P<value>(?:the )?(?-i:[A-Z]).+)", "subscription"),
    (
        rf"{_NOW}(?:left|quit|resigned from|handed in my notice at|stopped working (?:at|for)|was fired (?:from|by)"
        r"|was laid off (?:by|from)) (?P<value>(?-i:[A-Z]).+)",
        "workplace",
    ),
    (
        rf"{_NOW}(?:retired|quit my job|lost my job|stopped working)"
        r"(?:$|,| (?:last|this|in|on|because|since|two|a)\b.*)",
        "workplace",
    ),
    (r"^我(?:们)?[^，。]{0,6}(?:辞职|辞掉|辞了|离职|被裁|失业|退休|不干)[^，。]{0,6}$", "workplace"),
    (r"^I (?:now )?(?:drink|eat|am drinking|am eating|am having) (?P<value>.+?) again\b", "avoids"),
    (
        rf"{_NOW}(?:dropped|lifted|scrapped|abolished|abandoned) (?:the|our|my) (?P<value>.*?)(?: rule| policy| ban)$",
        "decision",
    ),
)
_ENDINGS = tuple((re.compile(says, re.I), attribute) for says, attribute in _RULES)
_DIED = re.compile(
    r"^I (?:have |had |was )?(?:sadly |just )?(?:died|passed away|(?:(?:had )?to be |been |be )?(?:put"
    r" down|put to sleep))\b|"
    r"(?:没熬过[^，。]*|没挺过[^，。]*|没救回来|死了|去世|[^搬飞]走了|没了|过世)$"
)
_PARTED = re.compile(r"^I (?:have |had )?(?:split up|broken up|broke up|separated) (?:with|from) (?P<who>[A-Z][\w-]+)")
_OFF = re.compile(
    r"\b(?:is|are|was|were|has been|have been|got) (?:now )?(?:cancelled|canceled|called off|scrapped|off)\b|"
    r"\bfell through\b|取消|泡汤|黄了",
    re.I,
)
_PLANS = frozenset(("plan", "event", "schedule", "deadline", "appointment"))
_CUT = re.compile(r",| (?:because|since|so|and|but|for good|last|this|yesterday|today|on|at the|in|to my|as)\b", re.I)


@dataclass(frozen=True, slots=True)
class Ending:
    """Something that is over: that memory, or the attribute of the subject with that value."""

    subject: str
    attribute: str
    value: str
    memory: Memory | None

    @property
    def alone(self) -> bool:
        """Whether that it is over is all that there is to keep, where it is known what is meant."""
        return self.memory is not None and self.attribute != "avoids"


def ending(claim: Claim, memories: list[Memory]) -> Ending | None:
    """What is over by what `claim` tells; None where nothing is."""
    active = [memory for memory in memories if memory.status == "active" and memory.sorted]
    if claim.someone and claim.someone.name and _DIED.search(claim.text if claim.language == "zh" else claim.said):
        group = keeping("zh" if is_cjk(claim.someone.relation) else "en").relations.get(claim.someone.relation, "pet")
        found = next((one for one in active if one.attribute == group and claim.someone.name in one.text), None)
        return Ending(USER, group, claim.someone.name, found) if group == "pet" or found else None
    if claim.subject not in (USER, "") and _OFF.search(claim.text):
        words = _stems(claim.subject)
        plans = [one for one in active if one.attribute in _PLANS]
        found = next((one for one in plans if words & _stems(f"{one.subject} {one.text} {one.value}")), None)
        return Ending(found.subject or USER, found.attribute, found.value, found) if found else None
    if claim.someone and (parted := _PARTED.match(claim.said)):
        name = claim.someone.name
        held = (one for one in active if one.attribute == "partner" and name in f"{one.subject} {one.text}")
        found = next((one for one in held if parted["who"] in one.text), None)
        return Ending(name, "partner", parted["who"], found)
    if claim.subject != USER:
        return _general(claim, active)
    for pattern, attribute in _ENDINGS:
        if told := pattern.match(claim.said):
            value = (told.groupdict().get("value") or "").strip()
            cut = _CUT.search(value)
            value = value[: cut.start()] if cut and cut.start() > 1 else value
            words = _stems(value)
            found = next(
                (
                    one
                    for one in active
                    if (one.attribute == attribute or {one.attribute, attribute} <= {"decision", "rule"})
                    and (not words or words & _stems(one.text))
                ),
                None,
            )
            meant = None if found else _general(claim, active)
            # Who left one workplace may have the next one already: nothing else of it is over.
            if meant is None or attribute == "workplace" != meant.attribute:
                return Ending(USER, attribute, value, found)
            return meant
    return _general(claim, active)


def _general(claim: Claim, active: list[Memory]) -> Ending | None:
    """What is over of what is known, in whatever words it is told."""
    if claim.language != "en":
        return None
    if (what := dropped(claim)) and (found := _known(claim, what, active)):
        return Ending(found.subject or USER, found.attribute, found.value, found)
    if what := resumed(claim):
        lacking = [one for one in active if is_lack(one.text)]
        eaten = terms(what).kinds() & _OF_ANIMALS
        found = _known(claim, what, lacking) or next(
            (one for one in lacking if eaten and one.attribute == "diet" and _same_one(claim, one)), None
        )
        return Ending(found.subject or USER, "avoids", found.value, found) if found else None
    return None


_OF_ANIMALS = frozenset(("meat", "seafood", "dairy", "animal"))


def _known(claim: Claim, what: str, active: list[Memory]) -> Memory | None:
    """The memory that is meant by `what`: most of its words, or of those of the value, are in the other."""
    words = _stems(_CUT.split(what)[0].replace("-", " ")) - _LIGHT
    rated: list[tuple[float, int, Memory]] = []
    for one in active:
        value = _stems(one.value) - _LIGHT
        share = len(words & _stems(one.text)) / len(words) if words else 0.0
        if value:
            share = max(share, len(value & _stems(what)) / len(value))
        if share >= 0.5 and _same_one(claim, one) and one.attribute not in ("event", "name"):
            rated.append((share, -len(rated), one))
    return max(rated, key=lambda rate: rate[:2])[2] if rated else None


_LIGHT = frozenset(("my", "the", "all", "it", "that", "this", "up", "so", "for", "with", "in", "on", "at", "to", "and"))


def _same_one(claim: Claim, memory: Memory) -> bool:
    """Whether a memory is of whom or what the clause is about, or names."""
    subject = memory.subject or USER
    if claim.someone:
        if not claim.someone.relation and subject == USER and claim.someone.name.lower() in memory.text.lower():
            return True  # what was taken for a name may be a thing: "Tennis is over for me"
        return any(word and word.lower() in subject.lower() for word in (claim.someone.name, claim.someone.relation))
    # "The Skoda" is the user's car where that is known to be one.
    its_name = memory.attribute == "has" and bool(_stems(memory.value) & _stems(claim.subject))
    # What "we" dropped may be the project's.
    ours = subject.lower() in ("project", "the project", "user's project", "user's team")
    return subject == USER or its_name or ours or bool((_stems(subject) - {"project"}) & _stems(claim.text))


def _stems(text: str) -> set[str]:
    if is_cjk(text):
        return {text[at : at + 2] for at in range(len(text) - 1)}
    return {stem(word) for word in re.findall(r"[\w+#-]+", text.lower())} - {
        "the",
        "a",
        "an",
        "my",
        "our",
        "of",
        "user",
    }
