"""Completes a correction that names only the new value, by what was claimed before or by the memory that is meant."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher

from ..person import to_first
from ..words import terms
from .claim import USER, Claim, Someone
from .revising import Memory

_VERB = re.compile(r"^(?:(?:won|don|can|didn|isn|doesn)'t|will|do|did|can|not|is|was|has|have|let)\b", re.I)
"""What is no value, but says what somebody does: "nah, won't send it"."""


def complete(claim: Claim, told: list[Claim], memories: list[Memory], asked: str) -> Claim | None:
    """The whole claim, or None where nothing says what is corrected."""
    if _VERB.match(claim.text):
        return None
    for before in (one for one in reversed(told) if not one.ended):
        value = _slot(claim, before.text, "")
        if value:
            return _put(claim, replace(before, entry=claim.entry, rests_on=claim.rests_on), before.text, value)
    mentioned = [memory for memory in memories if memory.value and _names(asked, memory.value)]
    for memory in [*mentioned, *(memory for memory in memories if memory not in mentioned)]:
        first = to_first(memory.text).rstrip(".。")
        value = _slot(claim, first, memory.value, sure=memory in mentioned)
        if value:
            base = replace(claim, text=first, said=first, partial=False)
            if memory.subject and memory.subject != USER:
                base.subject, base.someone = memory.subject, Someone(memory.subject.split()[-1], "")
            return _put(claim, base, first, value)
    return None


def _put(claim: Claim, base: Claim, text: str, value: str) -> Claim:
    at = text.lower().index(value.lower())
    whole = text[:at] + _bare(claim.text) + text[at + len(value) :]
    said = base.said
    if value.lower() in said.lower():
        at = said.lower().index(value.lower())
        said = said[:at] + _bare(claim.text) + said[at + len(value) :]
    return replace(base, text=whole, said=said, corrects=True, old=value, partial=False)


def _bare(text: str) -> str:
    """The new value alone: "Catrin with a C" is Catrin."""
    return re.sub(r" with (?:a|an|one|two) .*$|,? (?:actually|please|then)$", "", text, flags=re.I)


def _slot(claim: Claim, text: str, value: str, *, sure: bool = False) -> str:
    """The words of `text` that the new value stands for."""
    if claim.old and claim.old.lower() in text.lower():
        return claim.old
    if claim.old:
        return ""
    kinds = terms(claim.text).kinds()
    for word in re.findall(r"[\w'+#.-]+", text):
        if (kinds and kinds & terms(word).kinds()) or SequenceMatcher(
            None, word.lower(), _bare(claim.text).lower()
        ).ratio() > 0.7:
            return str(word)
    return value if sure and value.lower() in text.lower() else ""


def _names(text: str, value: str) -> bool:
    return bool(value) and value.lower() in text.lower()
