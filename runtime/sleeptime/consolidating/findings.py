"""What a reflection finds, as it comes out of a text: the schema that a model is asked for, and how it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...arguments import validate
from ...errors import ToolError
from ...text import storable
from ..clamping import clamped
from ..instructions import instruction
from ..operations import LONGEST

MOST = 10
"""Insights, and rules, of one reflection."""
FEWEST_FOR = {"insights": 2, "rules": 3}
"""How much each must rest on."""

_FINDING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": LONGEST},
        "evidence": {"type": "array", "maxItems": 50, "items": {"type": "string", "maxLength": 200}},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["text", "evidence"],
    "additionalProperties": False,
}
_FINDINGS: dict[str, Any] = {"type": "array", "maxItems": MOST, "items": _FINDING}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"insights": _FINDINGS, "rules": _FINDINGS},
    "required": ["insights", "rules"],
    "additionalProperties": False,
}
"""The JSON Schema of a reply to a request for reflection."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An insight or a rule that is proposed, and the ids of the memories that it rests on."""

    text: str
    evidence: tuple[str, ...]
    confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class Findings:
    """What a reflection came to, and what was wrong with the rest of the answer."""

    insights: list[Finding] = field(default_factory=list)
    rules: list[Finding] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    clamped: list[str] = field(default_factory=list)
    """Numbers beyond their range, in whose place its end was taken."""


def read(answer: Mapping[str, Any], shown: Collection[str]) -> Findings:
    """The findings of an answer, as far as they rest on enough of what was `shown`, by id. Raises ValueError for an
    answer that has none to offer, not even empty lists."""
    found = Findings()
    if not any(isinstance(answer.get(name), list) for name in FEWEST_FOR):
        raise ValueError("it has no list of insights or rules")
    for name, into in (("insights", found.insights), ("rules", found.rules)):
        given = answer.get(name, [])
        if not isinstance(given, list):
            found.faults.append(f"{name} that are no list")
            continue
        if len(given) > MOST:
            found.faults.append(f"{len(given) - MOST} {name} too many")
        for data in given[:MOST]:
            within, told = clamped(data, _FINDING) if isinstance(data, dict) else (data, [])
            one = _finding(within, shown, name)
            if isinstance(one, Finding):
                into.append(one)
                found.clamped.extend(told)
            else:
                found.faults.append(one)
    return found


def _finding(data: Any, shown: Collection[str], name: str) -> Finding | str:
    """A finding, or what is wrong with it."""
    what = f"one of the {name}"
    if not isinstance(data, dict):
        return f"{what} that is no object"
    try:
        valid = validate(data, _FINDING, what)
    except ToolError as error:
        return error.message
    text = " ".join(storable(valid["text"]).split())
    if not text:
        return f"{what} without text"
    if name == "insights" and instruction(text):
        return f"{what} that is an instruction to the assistant"
    evidence = tuple(dict.fromkeys(one for one in valid["evidence"] if one in shown))
    if len(evidence) < FEWEST_FOR[name]:
        return f"{what} that rests on fewer than {FEWEST_FOR[name]} memories that there are"
    return Finding(text, evidence, valid.get("confidence", 0.5))
