"""A figure of something of the user's: whose it is, what is counted or measured, and whether it takes the place of
another figure that is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..data import load
from ..stems import stem, word_set
from .amounts import KINDS, Amount
from .claim import USER
from .keeping import keeping
from .passing import own_name

if TYPE_CHECKING:
    from .revising import Memory

Way = Literal["", "up", "down", "other"]

_TABLE: dict[str, str] = load("figures_en.toml")
_DIMENSIONS, _BOUNDS, _COUNTS = (word_set(_TABLE[name]) for name in ("dimensions", "bounds", "counts"))
_PASSING, _WORLDLY, _PASSING_UNITS = (word_set(_TABLE[name]) for name in ("passing", "worldly", "passing_units"))
_STOP, _JOINS = word_set(_TABLE["stop"]), word_set(_TABLE["joins"])
_FRESH = word_set("new recent current latest updated whole")
_PERIODS = dict(zip(_TABLE["adverbs"].split(), "hour day night week month quarter year year".split(), strict=True))  # noqa: SIM905
_IDLE = word_set(
    "user the my our of for on in into at new number count is are now has have per a an and to was were with"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """So many of something, or so much."""

    text: str
    """The sentence that tells it, in the user's own person."""
    subject: str
    attribute: str
    """What is counted or measured, in as few words as tell it from other figures of the subject."""
    number: str
    value: str
    """The number with its unit."""
    unit: str
    way: Way
    """How it changed; empty where it is not told that it did."""
    faint: bool = False
    """It tells no more than that there are so many, perhaps of nobody's own."""


def figure_of(
    thing: str,
    amount: Amount,
    way: Way = "",
    *,
    anew: bool = False,
    plainly: bool = False,
    place: str = "",
    done: str = "",
) -> Figure | None:
    """The figure of a noun phrase; None where that is nobody's own, or it passes.

    Without `thing` the user has so many. `anew`: it is told as what holds now. `plainly`: no more is told than that it
    is so. `place` follows on the number, and `done` is the clause that tells with what something was brought out.
    """
    own, core, own_place = _parted(thing)
    head = core[-1] if core else ""
    name, place = _singular(head.lower()), own_place or place
    owner = " ".join(core).rpartition("'s ")[0]
    mine = not thing or re.match(r"(?:my|our) ", thing, re.I) or (owner and (owner.islower() or own_name(owner)))
    surely = own or mine or (name in _DIMENSIONS | _COUNTS and not owner)
    if not surely or (thing and not core) or _passes(name, place, amount.unit):
        return None
    # "The house has 3 rooms" and "the price is 20 euros" tell of anybody's.
    faint = not (anew or mine or done) and not (name in _DIMENSIONS and (len(core) > 1 or place or name in _BOUNDS))

    def told(text: str, subject: str, attribute: str) -> Figure:
        return Figure(text, subject, attribute.lower(), amount.number, amount.value, amount.unit, way, faint)

    many = head.endswith("s") and not head.endswith("ss")
    now, be, have = "now " if anew else "", "are" if many else "is", "have" if many else "has"
    if name in _COUNTS and place.startswith("of "):
        counted, of = _counted(place.removeprefix("of "))
        return told(f"the number of {place.removeprefix('of ')} is {now}{amount.value}", of or USER, counted)
    if name in _DIMENSIONS:
        phrase = thing if own_place or not place else f"{thing} {place}"
        return told(f"{phrase} {be} {now}{amount.value}", *_whose(core, place, amount.per))
    if not amount.measured and not plainly:
        whole = done or f"{now}{have if thing else 'have'} {amount.value}"
        tail = f" {place}" if place and not own_place else ""
        return told(f"{thing or 'we'} {whole}{tail}", " ".join(core) or _bare(place) or USER, amount.unit)
    if not (thing and anew) or not (amount.unit or "'s " in thing or way in ("up", "down")):
        return None  # "my flight is at 7" tells when
    return told(f"{thing} {be} {now}at {amount.value}", USER, " ".join(core))


def _parted(thing: str) -> tuple[bool, list[str], str]:
    """Whether a noun phrase is the user's own or a certain one, its words before any preposition, and the rest."""
    words = thing.split()
    own = not words or words[0].lower() in ("the", "my", "our")
    if words and words[0].lower() in ("the", "my", "our", "a", "an"):
        words = words[1:]
    at = next((at for at, word in enumerate(words) if word.lower() in _JOINS), len(words))
    core = [word for word in words[:at] if word.lower() not in _FRESH]
    return own, core[:-1] if len(core) > 1 and core[-1].endswith("ed") else core, " ".join(words[at:])


def dimension(thing: str) -> bool:
    """Whether a noun phrase names what is measured or counted."""
    core = _parted(thing)[1]
    return bool(core) and _singular(core[-1].lower()) in _DIMENSIONS | _COUNTS


def _passes(name: str, place: str, unit: str) -> bool:
    close = keeping("en").relations
    counted = unit.lower().split()[-1:]
    return (
        name in _PASSING | _WORLDLY
        or any(word in close for word in (name, f"{name}s", *counted))
        or _singular(_bare(place).lower()) in _WORLDLY
        or not _PASSING_UNITS.isdisjoint(counted)
    )


def _counted(what: str) -> tuple[str, str]:
    """What is counted, and of what: "commits merged into the main branch" are commits of the main branch."""
    words = what.split()
    at = next((at for at, word in enumerate(words) if word.lower() in _JOINS), len(words))
    core = [word for word in words[:at] if word.lower() not in ("the", "my", "our")]
    while len(core) > 1 and core[-1].endswith("ed"):
        core = core[:-1]
    return " ".join(core).lower(), _bare(" ".join(words[at:]))


def _whose(core: Sequence[str], place: str, per: str) -> tuple[str, str]:
    """Whose it is, and what it measures; what bounds something is a limit by whatever name, each day if it is daily."""
    text = " ".join(core)
    owner, _, what = text.rpartition("'s ")
    words = what.lower().split()
    if _singular(words[-1]) in _BOUNDS:
        period = next((_PERIODS[word] for word in words if word in _PERIODS), per)
        kinds = [word for word in words[:-1] if word not in _PERIODS and word not in ("rate", "usage")]
        words = [*kinds, "limit", *(("per", period) if period else ())]
    return owner or _bare(place) or USER, " ".join(words)


def _bare(place: str) -> str:
    """What a prepositional phrase is about: of "on the helpdesk board" the helpdesk board."""
    words = place.split()
    while words and words[0].lower() in _JOINS | {"the", "my", "our", "a", "an"}:
        words = words[1:]
    at = next((at for at, word in enumerate(words) if word.lower() in _JOINS), len(words))
    at -= at > 1 and words[at - 1].endswith("ed")
    return " ".join(words[:at])


def _singular(word: str) -> str:
    return word if word in _DIMENSIONS else word.removesuffix("s")


# ---- what it takes the place of


def told_before(figure: Figure, memories: Sequence[Memory]) -> Memory | None:
    """The memory of an older figure for the same, of several the last; None where none is surely of the same.

    It counts or measures the same, and what it is of agrees as far as both say that. Where they say it in other words,
    a change that goes the right way is of the one figure that there is, if they have another word in common.
    """
    alike = [memory for memory in memories if _same_measure(figure, memory)]
    mine = _stems(figure.subject)
    found = [memory for memory in alike if _agree(mine, _stems(memory.subject))]
    most = max((len(mine & _stems(memory.subject)) for memory in found), default=0)
    found = [memory for memory in found if len(mine & _stems(memory.subject)) == most]
    if not found and len({(memory.subject, memory.attribute) for memory in alike}) == 1:
        found = [memory for memory in alike[-1:] if _went(figure, memory) and _in_common(figure, memory)]
    return found[-1] if len({(memory.subject, memory.attribute) for memory in found}) == 1 else None


def _same_measure(figure: Figure, memory: Memory) -> bool:
    if not memory.value or not re.match(r"[$€£¥]?\d", memory.value):
        return False
    mine, other = _stems(figure.attribute), _stems(memory.attribute)
    last = stem(figure.attribute.split()[-1]), stem((memory.attribute.split() or [""])[-1])
    return (
        last[0] == last[1] and _agree(mine, other) and bool(mine and other) and _units_agree(figure.unit, memory.value)
    )


def _units_agree(unit: str, value: str) -> bool:
    there = re.sub(r"^[$€£¥]?[\d,.]+ ?", "", value).split("/")[0].split(" per ")[0].strip().lower()
    mine = unit.lower()
    if not mine or not there:
        return True
    if mine in KINDS or there in KINDS:
        return KINDS.get(mine, -1) == KINDS.get(there, -2)
    return bool(_stems(mine) & _stems(there))


def _agree(mine: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one says no more than the other."""
    return mine <= other or other <= mine


def _went(figure: Figure, memory: Memory) -> bool:
    old, new = _number(memory.value), _number(figure.number)
    return new > old if figure.way == "up" else new < old if figure.way == "down" else figure.way != "" and new != old


def _in_common(figure: Figure, memory: Memory) -> bool:
    told = f"{figure.attribute} {figure.value}", f"{memory.attribute} {memory.value}"
    return bool((_stems(figure.text) & _stems(memory.text)) - _stems(told[0]) - _stems(told[1]))


def _number(text: str) -> float:
    found = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    return float(found[0].replace(",", "")) if found else 0.0


def _stems(text: str) -> frozenset[str]:
    words = (word for word in re.findall(r"[a-z][\w-]*", text.lower()) if word not in _IDLE)
    return frozenset(stem(word) for word in words)
