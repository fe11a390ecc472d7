"""Which memory's place something that was just told takes: one that tells the same of the same, and holds till now."""

from __future__ import annotations

import re
from datetime import date

from ...when import stretches
from .acts import Told
from .facts import Fact, fact, line_of, related
from .items import Item
from .reading import Reading, read
from .stems import is_cjk, stem
from .subjects import named_in
from .view import View
from .words import terms

REPLACES = 0.5
"""From this relation on, a correction takes an old fact's place."""
SURELY_REPLACES = 0.4
"""And where it says so plainly."""
CONTRADICTS = 0.85
"""From this relation on, so does a statement that does not say that it is a correction."""
PASSAGE = re.compile(r"\bp-[0-9a-z]+")
"""An id of a passage."""
_STATES = frozenset(("home", "job", "workplace", "manager", "shift", "diet", "database", "editor", "partner"))
"""What is so until it changes, so that a change to come is no change yet."""
_ALIKE = (frozenset(("job", "workplace")), frozenset(("diet", "avoids", "allergy")))
"""Attributes that one sentence tells together."""


def replaced(told: Told, view: View, known: list[Item]) -> Item | None:
    """The memory whose place `told` takes, if there is one."""
    floor = SURELY_REPLACES if told.changes else REPLACES if told.corrects or told.old else CONTRADICTS
    if not (told.corrects or told.old or told.single or told.attribute.startswith(("my ", "the ", "我"))):
        return None
    best: Item | None = None
    fit = floor
    for item in known:
        if _of_another(told, item.text) or _only_to_come(told, item.text, view):
            continue
        strength = related(told, fact(item.text))
        if _tells_just_that(told, item.text):
            strength = max(strength, 0.95)
        if told.ended:
            strength = max(strength, _ends(told, fact(item.text)))
        if strength > fit or (best is None and strength >= fit):
            best, fit = item, strength
    if best is None and told.changes and told.attribute == "decision":
        # Nothing says what kind of thing this is about: it is the decision that was told last.
        last = _last_decision(view, known)
        kinds = fact(line_of(told)).kinds
        if last and not (kinds and fact(last.text).kinds and not kinds & fact(last.text).kinds):
            return last
    return best


_DEATH = re.compile(r"\b(?:died|passed away|dead|put (?:down|to sleep))\b|死了|去世|过世", re.IGNORECASE)
_ENDED = (
    "long quit stop anymore died die passed dead away",
    "yesterday today last week month year morning night",
)
_OVER = frozenset(stem(word) for words in _ENDED for word in words.split())
"""Words that tell that it is over, or when, and not what."""


def _ends(told: Told, old: Fact) -> float:
    """How likely "I no longer drink coffee" ends an old fact: by the words of the new one that the old one holds."""
    if _DEATH.search(told.text) and not old.attribute.startswith(("my ", "我", "has", "habit")):
        return 0.0  # whom one had is had no longer; that one met them once stays true
    words = [term for term in terms(told.text).terms if term.weight > 0.3 and term.stem not in _OVER]
    held = sum(
        1 for term in words if term.stem in old.terms.stems or (is_cjk(term.stem) and term.stem in old.terms.raw)
    )
    return 0.8 * held / len(words) if words else 0.0


def _last_decision(view: View, known: list[Item]) -> Item | None:
    ids = [
        match[0]
        for call in view.earlier
        if call.name in ("archival_insert", "archival_update")
        and call.result
        and fact(str(call.arguments.get("content", ""))).attribute == "decision"
        for match in [PASSAGE.search(call.result)]
        if match
    ]
    decisions = [item for item in known if item.source == "passage" and fact(item.text).attribute == "decision"]
    by_id = {item.ref: item for item in decisions}
    last = next((by_id[ref] for ref in reversed(ids) if ref in by_id), None)
    return last or (decisions[0] if len(decisions) == 1 else None)


def _of_another(told: Told, old: str) -> bool:
    """Whether a memory is about somebody or something else, or tells something else of it, as both are read."""
    if told.old and told.old.lower() in old.lower():
        return False
    new = line_of(told, whole=True)
    mine, theirs = named_in(new), named_in(fact(old).text)
    if mine and theirs:
        return not mine & theirs
    if mine or theirs:
        # What does not name it may be about it all the same: "We switched the Otter database to MySQL".
        other = (old if mine else new).lower()
        return not any(name in other for name in mine | theirs)
    one, another = [r for r in read(new) if r.single], [r for r in read(old) if r.single]
    if one and not another:
        # "I moved to Helix" looks like a new home, and is read as an editor.
        sorted_as = fact(new).attribute
        return sorted_as in _STATES and not any(_alike(sorted_as, it.attribute) for it in one)
    return bool(one and another) and not any(_one_thing(a, b) for a in one for b in another)


def _tells_just_that(told: Told, old: str) -> bool:
    """Whether a memory tells one thing, and that of which something new is told: another workplace of Theo's."""
    theirs = read(old)
    mine = [one for one in read(line_of(told)) if one.single]
    return len(theirs) == 1 and any(
        (one.subject, one.attribute) == (theirs[0].subject, theirs[0].attribute) for one in mine
    )


def _one_thing(one: Reading, other: Reading) -> bool:
    mine, theirs = set(one.subject.split()), set(other.subject.split())
    if mine <= theirs or theirs <= mine:
        # "The rate limit" is the one of the API; of a thing its own name is what is told of it.
        own = one.attribute == one.subject and other.attribute == other.subject
        return own or _alike(one.attribute, other.attribute)
    return one.attribute == other.attribute


def _alike(one: str, other: str) -> bool:
    mine, theirs = set(one.split()), set(other.split())
    return mine <= theirs or theirs <= mine or any({one, other} <= alike for alike in _ALIKE)


def _only_to_come(told: Told, old: str, view: View) -> bool:
    """Whether something is to be so on a later day: till then a memory that tells how it stands is right."""
    if not view.today or not any(one.attribute in _STATES for one in read(old)):
        return False
    today = date.fromisoformat(view.today)
    return any(one.first > today for one in stretches(told.text, today, ahead=True)) and not _BY_THEN.search(told.text)


_BY_THEN = re.compile(r"\b(?:until|till|since|by)\b|直到|为止|以来", re.IGNORECASE)
