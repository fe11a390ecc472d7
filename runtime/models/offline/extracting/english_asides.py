"""Takes apart an English sentence that tells something by the way: "my aunt Bo, who is a vet, moved to Bonn" tells that
she is a vet, and that she moved to Bonn."""

from __future__ import annotations

import re

from ..person import third
from .english_grammar import NAME, RELATION

_WHO = rf"(?:(?:my|our|the|her|his) (?:[\w-]+ ){{0,3}}?(?:{RELATION})(?:,? {NAME})?|{NAME})"
_RELATIVE = re.compile(
    rf"(?P<who>{_WHO}),? (?:who|which) (?P<what>(?:is|was|has|had|am|works?|lives?|likes?|loves?|hates?|plays?"
    rf"|studies|speaks?|teaches|moved|turns?|turned|just|never|always|can|cannot|does|used|will|comes|drives|runs"
    rf"|owns|got|\w+ed)\b[^,;()]*)(?P<end>,|$|[;)])",
    re.I,
)
_WHOM = re.compile(
    rf"(?P<who>(?:(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{RELATION})(?: {NAME})?|^{NAME})), (?:who|whom|that)"
    rf" (?P<what>(?:I|we) "
    r"[^,]+?)(?P<how> (?:with|for|to|from|about|of|at))?, "
)
_OFFICE = re.compile(
    rf"(?P<who>(?:(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{RELATION}) {NAME}|^{NAME})), (?P<what>(?:the|an?) (?P<kind>[\w"
    rf" -]+?)),"
    r" (?=(?:is|was|has|had|will|can|moved|lives?|works?|wants?|loves?|hates?|likes?|got|just|never|always|\w+s"
    r"|\w+ed)\b)",
)
_BRACKETED = re.compile(r"\s*\((?P<what>[^()]{1,80})\)")
_OF_RELATION = re.compile(rf"\b(?P<who>(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{RELATION})(?: {NAME})?)$", re.I)
_SUBJECT = re.compile(r"^(?:I|we|my|our|he|she|they)\b", re.I)
_OLD = re.compile(r"^(?:(?:aged?|is|now) )?\d{1,2}(?: years old| y/?o| months old)?$", re.I)
_OWN = re.compile(r"(?:my|our|her|his)\b", re.I)


def apart(text: str) -> list[str]:
    """`text` as sentences of one statement each: the sentence itself first, without what it tells by the way."""
    text, told = _brackets(text)
    if whom := _WHOM.search(text):
        told.append(f"{whom['what']}{whom['how'] or ''} {whom['who']}")
        text = f"{text[: whom.start()]}{whom['who']} {text[whom.end() :]}"
    if relative := _RELATIVE.search(text):
        who, own = relative["who"], _OWN.match(relative["who"])
        if own or relative.start() == 0:
            told.append(f"{_upper(who)} {relative['what'].strip()}")
            end = "" if relative["end"] in ",)" else relative["end"]
            text = f"{text[: relative.start()]}{who}{end}{text[relative.end() :]}"
    if office := _OFFICE.search(text):
        told.append(f"{_upper(office['who'])} is {office['what']}")
        text = f"{text[: office.start()]}{office['who']} {text[office.end() :]}"
    return [text.strip(" ,"), *told]


def _brackets(text: str) -> tuple[str, list[str]]:
    """`text` without its brackets, and what stood in them that is told of somebody."""
    told: list[str] = []

    def opened(found: re.Match[str]) -> str:
        inside, before = found["what"].strip(), text[: found.start()]
        person = _OF_RELATION.search(before) or re.search(rf"(?P<who>{NAME})$", before)
        if person and re.fullmatch(NAME, inside):
            return f" {inside}"
        if person and _OLD.match(inside):
            told.append(f"{_upper(person['who'])} is {inside.removeprefix('aged ').removeprefix('age ')}")
            return ""
        if _SUBJECT.match(inside):
            group = re.search(r"\b(?P<who>our [\w -]+?)$", before, re.I)
            ours = re.match(r"we (?P<verb>\w+)", inside, re.I) if group else None
            told.append(
                f"{_upper(group['who'])} {third(ours['verb'])}{inside[ours.end() :]}" if group and ours else inside
            )
            return ""
        return f", {inside}," if found.end() < len(text) else f", {inside}"

    return _BRACKETED.sub(opened, text), told


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
