"""How well a model extracts what is worth remembering from labelled dialogues.

Each dialogue is put to the model as memory work puts it, and what comes back is held against the labels. An entry of
the labels counts as found if a text that is to be stored says it, and if the memory that it must end is ended. A text
that serves no entry and is not admitted either, or that holds a forbidden word, is wrong; so is ending a memory that
must stay. Precision is the share of what was done that is right, recall the share of the entries that were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..runtime.errors import ModelError
from ..runtime.models.base import Model
from ..runtime.sleeptime.asking import Cost, ask
from ..runtime.sleeptime.known import about
from ..runtime.sleeptime.names import USER
from ..runtime.sleeptime.operations import SCHEMA, read_all
from .labelled import Case, Entry, has_any, says

Operation = dict[str, Any]
Tell = Callable[[int, int], None]
DETAILS = ("subject", "attribute", "time", "kind", "asked")
"""What is looked at beside the text of what was found, where a label says it."""
_NOTHING = "nothing to keep"


@dataclass(slots=True)
class Outcome:
    """What a model made of one dialogue."""

    case: Case
    operations: list[Operation]
    unreadable: str = ""
    """Why its reply could not be used; empty where it could."""
    found: list[Entry] = field(default_factory=list)
    missed: list[Entry] = field(default_factory=list)
    right: int = 0
    """Operations that serve an entry."""
    wrong: list[Operation] = field(default_factory=list)
    details: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By detail: how often it is right, of how many labels that say it and were found."""

    def __post_init__(self) -> None:
        _score(self)


async def run(cases: Sequence[Case], model: Model, tell: Tell = lambda done, of: None) -> list[Outcome]:
    """Put every case to `model`. Raises what the model raises, where it does not answer."""
    outcomes = []
    for done, case in enumerate(cases, 1):
        outcomes.append(Outcome(case, *await _asked(model, case)))
        tell(done, len(cases))
    return outcomes


async def _asked(model: Model, case: Case) -> tuple[list[Operation], str]:
    """The operations that can be used of a model's answer, and what is wrong with the rest."""
    try:
        answer = await ask(model, "extract", question(case), SCHEMA, Cost())
        faults = read_all(answer).faults
    except ValueError as error:
        return [], str(error)
    except ModelError as error:
        if type(error) is not ModelError:  # it did not answer at all
            raise
        return [], error.message
    return [one for one in answer["operations"] if not read_all({"operations": [one]}).faults], "; ".join(faults)


def question(case: Case) -> dict[str, Any]:
    """What a model is told of a case, as memory work tells it."""
    at = case.now.isoformat(timespec="minutes")
    return {
        "now": at,
        "weekday": f"{case.now:%A}",
        "timezone": "UTC",
        "memories": [{**memory, "kind": "fact", "status": "active"} for memory in case.memories],
        "dialogue": [
            {"n": n, "speaker": who, "at": at, "text": text} for n, (who, text) in enumerate(case.dialogue, 1)
        ],
    }


# ---- scoring


def _score(outcome: Outcome) -> None:
    case = outcome.case
    ended = {one["id"] for one in outcome.operations if one["op"] != "add" and one.get("id")}
    ended |= {
        memory["id"]
        for one in outcome.operations
        for memory in case.memories
        if one["op"] == "add" and one.get("single") and _replaces(one, memory)
    }
    serving: set[int] = set()
    for entry in case.store:
        texts = [n for n, one in enumerate(outcome.operations) if entry.says and _serves(one, entry, case)]
        serving.update(texts)
        there = (bool(texts) or not entry.says) and (not entry.ends or entry.ends in ended)
        (outcome.found if there else outcome.missed).append(entry)
        if there:
            serving.update(n for n, one in enumerate(outcome.operations) if entry.ends and one.get("id") == entry.ends)
            _detail(outcome, entry, [outcome.operations[n] for n in texts])
    may_end = {entry.ends for entry in case.store if entry.ends}
    for n, one in enumerate(outcome.operations):
        touches = one["op"] != "add" and one.get("id") and one["id"] not in may_end
        if touches or not (n in serving or _free(one, case)):
            outcome.wrong.append(one)
        elif n in serving:
            outcome.right += 1


def _serves(one: Operation, entry: Entry, case: Case) -> bool:
    text = str(one.get("text", ""))
    return one["op"] in ("add", "update", "clear") and says(text, entry.says) and not has_any(text, case.never)


def _free(one: Operation, case: Case) -> bool:
    """Whether an operation counts neither for nor against."""
    text = str(one.get("text", ""))
    if one["op"] in ("clear", "delete"):
        return True
    return any(says(text, groups) for groups in case.may) and not has_any(text, case.never)


def _replaces(one: Operation, memory: dict[str, Any]) -> bool:
    same = about(one.get("subject"), one.get("attribute")) == about(memory["subject"], memory["attribute"])
    return same and _plain(one.get("value")) != _plain(memory.get("value"))


def _plain(value: object) -> str:
    return str(value or "").casefold().removeprefix("the ")


def _usual(attribute: object) -> str:
    """The usual name of an attribute."""
    known = about(USER, str(attribute or ""))
    return known[1] if known else ""


def _detail(outcome: Outcome, entry: Entry, serving: list[Operation]) -> None:
    checks: dict[str, Callable[[Operation], bool]] = {}
    if entry.subject:
        checks["subject"] = lambda one: has_any(str(one.get("subject", "")), entry.subject)
    if entry.attribute:
        known = {_usual(name) for name in entry.attribute}
        checks["attribute"] = lambda one: _usual(one.get("attribute")) in known
    if entry.event_time or entry.valid_from or entry.valid_to:
        checks["time"] = lambda one: _timely(one, entry)
    if entry.kind:
        checks["kind"] = lambda one: one.get("kind", "fact") == entry.kind
    if entry.asked:
        checks["asked"] = lambda one: bool(one.get("explicit", True))
    for name, check in checks.items():
        if serving:
            right, of = outcome.details.get(name, (0, 0))
            outcome.details[name] = (right + any(map(check, serving)), of + 1)


def _timely(one: Operation, entry: Entry) -> bool:
    began = [str(one.get("event_time", "")), str(one.get("valid_from", ""))]
    starts = [time for time in (entry.event_time, entry.valid_from) if time]
    ends = not entry.valid_to or str(one.get("valid_to", "")).startswith(entry.valid_to)
    return ends and all(any(time.startswith(wanted) for time in began) for wanted in starts)


# ---- figures


def figures(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Precision, recall and F1 of some outcomes, with the counts that they are made of."""
    outcomes = list(outcomes)
    right = sum(one.right for one in outcomes)
    wrong = sum(len(one.wrong) for one in outcomes)
    found = sum(len(one.found) for one in outcomes)
    missed = sum(len(one.missed) for one in outcomes)
    return _figures(right, wrong, found, missed)


def _figures(right: int, wrong: int, found: int, missed: int) -> dict[str, Any]:
    precision = right / (right + wrong) if right + wrong else None
    recall = found / (found + missed) if found + missed else None
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else None
    counts = {"right": right, "wrong": wrong, "found": found, "missed": missed}
    return {
        **counts,
        **{
            name: None if value is None else round(value, 4)
            for name, value in (("precision", precision), ("recall", recall), ("f1", f1))
        },
    }


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All figures of a run: overall, by language, by what the labels tell of, and of the details."""
    sets = {one.case.set for one in outcomes}
    languages = sorted({one.case.language for one in outcomes})
    details = {
        name: tuple(sum(one.details.get(name, (0, 0))[part] for one in outcomes) for part in (0, 1)) for name in DETAILS
    }
    return {
        "sets": sorted(sets),
        "dialogues": len(outcomes),
        "unreadable": sum(bool(one.unreadable) for one in outcomes),
        "all": figures(outcomes),
        "languages": {name: figures(one for one in outcomes if one.case.language == name) for name in languages},
        "categories": _categories(outcomes),
        "details": {name: {"right": right, "of": of} for name, (right, of) in details.items() if of},
    }


def _categories(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Any]]:
    """Recall by the attribute of the label, and what is wrong by the attribute that the model gave it."""
    found: dict[str, list[int]] = {}
    for one in outcomes:
        for entry in [*one.found, *one.missed]:
            counts = found.setdefault(_usual(entry.attribute[0]) if entry.attribute else "other", [0, 0, 0])
            counts[entry in one.missed] += 1
        for operation in one.wrong:
            name = _NOTHING if not one.case.store else _usual(operation.get("attribute")) or "other"
            found.setdefault(name, [0, 0, 0])[2] += 1
    return {
        name: {"found": a, "missed": b, "wrong": c, "recall": round(a / (a + b), 4) if a + b else None}
        for name, (a, b, c) in sorted(found.items())
    }


def each_case(outcomes: Sequence[Outcome]) -> Iterable[dict[str, Any]]:
    """Every dialogue with what was made of it, to see where a model fails."""
    for one in outcomes:
        yield {
            "set": one.case.set,
            "id": one.case.id,
            "dialogue": [{who: text} for who, text in one.case.dialogue],
            "operations": one.operations,
            "unreadable": one.unreadable,
            "missed": [{"says": entry.says, "ends": entry.ends} for entry in one.missed],
            "wrong": [operation.get("text", operation.get("id", "")) for operation in one.wrong],
        }
