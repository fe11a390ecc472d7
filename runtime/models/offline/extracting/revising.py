"""What a claim does to the memories that are there already: nothing, add, update, delete or clear."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from ..acts import Told
from ..facts import fact, related, same
from ..stems import is_cjk, stem
from ..words import terms
from .claim import USER, Claim
from .figure import told_before
from .judging import Meaning
from .keeping import keeping

Op = Literal["add", "update", "delete", "clear"]


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as the request shows it."""

    id: str
    text: str
    subject: str = ""
    attribute: str = ""
    value: str = ""
    status: str = "active"
    sorted: bool = True
    """It is known of whom it tells what; the agent's own note of a message is not until it is worked through."""

    @classmethod
    def read(cls, given: dict[str, Any]) -> Memory:
        """From its JSON; what it lacks is read from its text."""
        known = fact(str(given.get("text") or ""))
        attribute = str(given.get("attribute") or known.attribute)
        value = re.sub(r"^[一两三四几\d]+[只匹条辆台个把张件位艘架部套]", "", str(given.get("value") or known.value))
        return cls(
            id=str(given.get("id") or ""),
            text=known.text,
            subject=str(given.get("subject") or ""),
            attribute=_USUAL.get(attribute, attribute),
            value=value,
            status=str(given.get("status") or "active"),
            sorted=bool(given.get("attribute") and given.get("value")),
        )


@dataclass(frozen=True, slots=True)
class Revision:
    """The operation, and the memory that it is on."""

    op: Op
    memory: Memory | None = None


def revise(
    claim: Claim, meaning: Meaning, line: str, memories: list[Memory], *, later: bool = False
) -> Revision | None:
    """What `claim` does; None where the memories hold it already. `line` is how it would be noted; `later`: it is of a
    day to come, so that nothing has ended yet."""
    if claim.figure:
        there = [memory for memory in memories if memory.status == "active" and memory.sorted]
        older = told_before(claim.figure, there)
        if older and older.value == claim.figure.value:
            return None
        return Revision("update", older) if older else Revision("add")
    alike = [
        memory
        for memory in memories
        # The agent's own note, most often of this very message, neither holds it already nor is ended by it.
        if memory.status == "active"
        and memory.sorted
        and (_same_subject(claim, meaning, memory) or _was_zh(claim, memory))
    ]
    ends = claim.ended or _ends(claim)
    negative = keeping(claim.language).pattern("keep", "negative").search(claim.said) is not None
    if not (ends or claim.denied) and any(same(memory.text, line) for memory in alike):
        return None
    if claim.denied or (negative and not ends):
        said_so = [
            memory for memory in alike if not keeping(claim.language).pattern("keep", "denies").search(memory.text)
        ]
        if (
            none := next((one for one in said_so if one.attribute == meaning.attribute), None)
            if _of_none(claim)
            else None
        ):
            return Revision("update", none)
        wrong = _best(said_so, lambda memory: _about(claim, memory) - (0 if claim.denied else 0.4))
        if wrong or claim.denied:
            return Revision("delete", wrong) if wrong else None
    if not ends and any(_holds(memory, claim, meaning) for memory in alike):
        return None
    if ends and later:
        return Revision("add")
    if ends:
        over = _best(alike, lambda memory: _ended(claim, meaning, memory))
        if over is None and claim.language == "zh":
            held = [memory for memory in memories if memory.status == "active" and memory.sorted]
            over = _best(held, lambda memory: _named_zh(claim, memory))
        if over:
            return Revision("clear", over)
        return Revision("clear") if _plainly_over(claim) and not meaning.past else Revision("add")
    if claim.placed:
        alike = [memory for memory in alike if _in_place(claim, meaning, memory)]
    replaced = _best(alike, lambda memory: _replaced(claim, meaning, memory))
    return Revision("update", replaced) if replaced else Revision("add")


def exchanged(claim: Claim, memories: list[Memory]) -> tuple[Memory, str] | None:
    """The memory whose value a claim gives away for another ("we swapped Hull for Aarhus"), and how it reads now."""
    found = _EXCHANGE.search(claim.text)
    if not found:
        return None
    old = found["old"].lower()
    if found["new"].lower().split()[:1] in (["good"], ["now"], ["ever"]):
        return None
    memory = next(
        (
            one
            for one in memories
            if one.sorted and one.value and (_shares(old, one.value.lower()) or _shares(one.value.lower(), old))
        ),
        None,
    )
    if memory is None or memory.value.lower() not in memory.text.lower():
        return None
    new = re.split(r" (?:at|on|in|last|this|so|because|and|yesterday|today|for|after)\b", found["new"].strip())[0]
    at = memory.text.lower().index(memory.value.lower())
    head = memory.text[:at]
    if re.match(r"(?:an?|the|my|our) ", new, re.I):
        head = re.sub(r"\b(?:an?|the) $", "", head)
    return memory, head + new + memory.text[at + len(memory.value) :]


def _of_none(claim: Claim) -> bool:
    """Whether a claim says that there is nothing at all of what others of its kind tell."""
    return _NONE.search(claim.said) is not None


_NONE = re.compile(
    r"\b(?:not|never|n't)\b[^,.;]* (?:any|anything|anyone|anybody)(?: (?:allerg\w+|at all|any ?more|now|food))*$"
    r"|\bhave no (?:known |food |more )*allergies$"
    r"|^我?(?:现在)?(?:对)?(?:什么|任何(?:东西|食物)?)都?(?:不|没有?)[^，。]+$"
    r"|^我?(?:现在)?(?:没有|不)(?:对)?任何[^，。]+$",
    re.IGNORECASE,
)
_EXCHANGE = re.compile(
    r"\b(?:swapped|traded|exchanged|left|quit|replaced|ditched|dropped|switched from|moved "
    r"from|went from) (?P<old>[\w&' +#-]+?) (?:for|with|by|to|in favou?r of) (?P<new>[\w&' "
    r"+#-]+)",
    re.I,
)


def _in_place(claim: Claim, meaning: Meaning, memory: Memory) -> bool:
    """Whether a memory tells the same of the same thing; when something is may be told of the user as well."""
    if memory.attribute == meaning.attribute and memory.subject == claim.subject:
        return True
    words = _stems(claim.subject)
    return meaning.attribute in ("schedule", "deadline", "plan") and words <= _stems(f"{memory.subject} {memory.text}")


def _best(memories: list[Memory], fit: Any) -> Memory | None:
    """The memory that fits best, if one fits by half."""
    rated = [(float(fit(memory)), -place, memory) for place, memory in enumerate(memories)]
    best = max(rated, key=lambda one: one[:2], default=None)
    return best[2] if best and best[0] >= 0.5 else None


def _same_subject(claim: Claim, meaning: Meaning, memory: Memory) -> bool:
    """Whether claim and memory are of the same: a name, or the word for the relation, in common."""
    mine, other = claim.subject.lower(), memory.subject.lower() or USER
    if mine == other:
        return True
    if claim.naming and claim.introduces and any(word in other for word in _relations(claim.introduces)):
        return True
    if claim.someone and claim.someone.name and claim.someone.name.lower() in f"{memory.text} {other}".lower():
        return True
    told_as_old = claim.old and memory.value and claim.language == "en" and _shares(claim.old, memory.value)
    if told_as_old and other == USER and re.search(r"\b(?:I|me|my|we|us|our)\b", claim.text):
        return True
    if claim.subject == USER and other != USER and claim.language == "zh" and _plain_subject(other) in claim.text:
        return True
    if claim.someone and claim.someone.relation:
        return _relation_in(claim, other) or (other == USER and _relation_in(claim, memory.text.lower()))
    if claim.someone is None and mine != USER:
        words = _stems(mine) - {"project", "team", "项目"}
        return bool(words & _stems(f"{other} {memory.text}")) or (
            is_cjk(mine) and any(mine[at : at + 2] in memory.text for at in range(len(mine) - 1))
        )
    return other == USER and mine == USER


def _was_zh(claim: Claim, memory: Memory) -> bool:
    """Whether a Chinese clause names the value of a memory as the old one, whosever that is."""
    return claim.language == "zh" and len(claim.old) > 1 and claim.old in memory.text


def _plain_subject(subject: str) -> str:
    return subject.removeprefix("user's ").removesuffix("项目") or subject


def _relation_in(claim: Claim, text: str) -> bool:
    word = claim.someone.relation if claim.someone else ""
    for alike in _relations(word):
        if alike in text if is_cjk(alike) else re.search(rf"\b{re.escape(alike)}\b", text):
            return True
    return False


def _relations(word: str) -> list[str]:
    """The words for the same relation, in both languages."""
    groups = keeping("en").table["same_relation"].values()
    return next((words for group in groups if word in (words := group.split())), [word])


def _stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[\w+#-]+", text.lower())}


def _holds(memory: Memory, claim: Claim, meaning: Meaning) -> bool:
    """Whether a memory says all that a claim says."""
    if claim.asked and not same(memory.text, claim.text):
        pass
    if claim.language == "zh" and _AGAIN_ZH.search(claim.text) and _ONCE_ZH.search(memory.text):
        return False
    there = terms(memory.text)
    weighty = [term for term in terms(claim.text).terms if term.weight > 0.4 and term.stem not in _IDLE]
    if not weighty or (
        bool(re.search(r"\d", claim.text))
        and not set(re.findall(r"\d+", claim.text)) <= set(re.findall(r"\d+", memory.text))
    ):
        return False
    return all(
        term.stem in there.stems
        or (is_cjk(term.stem) and (term.stem in there.raw or all(char in there.raw for char in term.stem)))
        for term in weighty
    )


_AGAIN_ZH = re.compile("^我?(?:又|重新|再次|改回|回去)")
_ONCE_ZH = re.compile("以前|之前|曾|原来|过去|戒|不再|不[喝抽吃]")
"""What was so once, or is so no more: 以前开网约车."""
_IDLE = frozenset(("alreadi", "still", "again", "told", "说过", "告诉"))


def _about(claim: Claim, memory: Memory) -> float:
    """The share of a memory's value, or of its weighty words, that a claim names."""
    words = [term for term in terms(memory.value or memory.text).terms if term.weight > 0.3]
    there = terms(claim.text)
    held = sum(1 for term in words if term.stem in there.stems or (is_cjk(term.stem) and term.stem in there.raw))
    return held / len(words) if words else 0.0


def _ended(claim: Claim, meaning: Meaning, memory: Memory) -> float:
    named = _about(claim, memory)
    if memory.attribute == "event":
        return 0.0
    if {memory.attribute, meaning.attribute} == {"job", "workplace"} and claim.language == "zh":
        return 0.7
    if memory.attribute and memory.attribute == meaning.attribute:
        value = terms(memory.value).kinds() | {name for term in terms(memory.value).terms for name in term.names}
        mine = {name for term in terms(claim.said).terms for name in term.names | term.member_of}
        return 0.9 if value & mine or named or meaning.single or meaning.attribute == "partner" else 0.3
    if named > 0:
        return 0.6 + 0.3 * named
    if claim.subject != USER and claim.someone is None and _stems(claim.subject) <= _stems(memory.text):
        return 0.7
    mine = {name for term in terms(claim.said).terms for name in term.names}
    return 0.6 if mine & {kind for term in terms(memory.value).terms for kind in term.member_of} else 0.0


def _named_zh(claim: Claim, memory: Memory) -> float:
    """Whether a Chinese clause names what a memory tells of: by two characters of it, by its last one (烟戒了 of 抽烟),
    or by what is counted with its measure word (车卖了 of 一辆思域)."""
    value = re.sub(r"[^\u4e00-\u9fffA-Za-z0-9]", "", memory.value)
    if not value or memory.attribute == "event":
        return 0.0
    runs = {value[at : at + 2] for at in range(len(value) - 1) if is_cjk(value[at : at + 2])}
    last = re.search(rf"{re.escape(value[-1])}(?:也|都|已经|就|给|被)?[停戒卖退丢没扔送取不关断]", claim.text)
    counted = any(measure in memory.text and noun in claim.text for measure, noun in _COUNTED)
    return 0.6 if any(run in claim.text for run in runs) or last or counted else 0.0


_COUNTED = (
    ("一辆", "车"),
    ("一套", "房"),
    ("一间", "房"),
    ("一只", "猫"),
    ("一只", "狗"),
    ("一条", "狗"),
    ("一部", "手机"),
)


_AFTER_ALL = re.compile(r"\b(?:after all|instead)\b", re.I)
"""What takes the place of what was planned."""
_BESIDES = re.compile(r"\b(?:also|too|as well|another|a second|in addition)\b", re.I)
"""What comes beside what was there, and does not take its place."""
_FORMERLY = re.compile(r"^I (?:once |previously |originally )?(?:lived|worked|studied|used|had|was|spoke)\b", re.I)
"""How things were before, which takes the place of nothing."""


_RESUMED_ZH = re.compile("^我又(?P<verb>[喝抽吃])上(?P<what>[^，。]*)了$")
_TAKEN = {"喝": "酒|咖啡|茶|奶", "抽": "烟", "吃": "肉|荤|糖|辣|甜"}


def _resumed_zh(claim: Claim, memory: Memory) -> bool:
    """Whether a Chinese clause tells that somebody does again what a memory says they gave up: 又喝上了."""
    found = _RESUMED_ZH.match(claim.text)
    if not found or not re.search(rf"戒|不(?:再|能)?{found['verb']}|不碰", memory.text):
        return False
    return re.search(re.escape(found["what"]) or _TAKEN[found["verb"]], memory.text) is not None


def _replaced(claim: Claim, meaning: Meaning, memory: Memory) -> float:
    if claim.language == "zh" and _resumed_zh(claim, memory):
        return 0.9
    if not claim.old and _BESIDES.search(claim.text):
        return 0.0
    if (
        claim.language == "en"
        and _AFTER_ALL.search(claim.text)
        and {memory.attribute, meaning.attribute} <= {"plan", "decision", "event"}
        and any(len(word) > 4 for word in _stems(claim.text) & _stems(memory.text))
    ):
        return 0.8
    if claim.old and memory.value and (claim.old.lower() in memory.text.lower() or _shares(claim.old, memory.value)):
        return 1.0
    if (
        claim.subject != USER
        and claim.someone is None
        and memory.attribute in _DATED[claim.language]
        and (claim.corrects or meaning.attribute == memory.attribute)
    ):
        return 0.8
    if memory.value and not claim.old and _shares(memory.value, claim.text):
        return 0.0
    if meaning.planned or meaning.episode or (meaning.past and (not meaning.moment or _FORMERLY.search(claim.said))):
        return 0.0
    if (
        meaning.attribute == memory.attribute == "diet"
        and "diet" in terms(claim.text).kinds() & terms(memory.text).kinds()
    ):
        return 0.8
    if meaning.attribute in ("trait", "family") and not claim.old:
        return 0.0
    if memory.attribute and memory.attribute == meaning.attribute:
        if meaning.single:
            return 0.9
        if claim.corrects or claim.subject != USER:
            return 0.7 if terms(claim.text).kinds() & terms(memory.text).kinds() or claim.corrects else 0.4
    if not claim.corrects:
        return 0.0
    if not claim.old and memory.attribute != meaning.attribute and (meaning.single or claim.subject == USER):
        return 0.0
    told = Told(
        claim.text,
        claim.language,
        meaning.attribute,
        meaning.value,
        single=meaning.single,
        corrects=True,
        surely=True,
        old=claim.old,
    )
    return min(0.8, related(told, fact(memory.text)))


_DATED = {"en": ("deadline", "schedule"), "zh": ("deadline", "schedule", "plan", "appointment")}
"""What is told of a thing, and is one at a time."""
_USUAL = {"employer": "workplace", "likes": "taste", "convention": "rule", "possession": "has"}
"""Other names of the usual attributes."""


def _shares(one: str, other: str) -> bool:
    words = _stems(one) - {"a", "the", "an"}
    return bool(words) and words <= _stems(other)


def _ends(claim: Claim) -> bool:
    return keeping(claim.language).pattern("keep", "over").search(claim.text) is not None


def _plainly_over(claim: Claim) -> bool:
    return keeping(claim.language).pattern("keep", "no_longer").search(claim.text) is not None
