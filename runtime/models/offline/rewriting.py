"""Makes a question stand by itself, by rule: pronouns become those who were spoken of last, and what goes on from the
question before it takes that along."""

from __future__ import annotations

import json
import re
from typing import Any

from ..base import ModelRequest
from .extracting.english_phrases import product
from .extracting.keeping import keeping
from .stems import is_cjk, tokens
from .view import content
from .words import STOP, terms

_SHE = "sister mother mom mum aunt niece grandmother grandma granny wife girlfriend daughter fiancée landlady"
_HE = "brother father dad uncle nephew grandfather grandpa husband boyfriend son fiancé landlord"
_RELATIONS = "|".join(sorted(map(re.escape, keeping("en").relations), key=len, reverse=True))
_PERSON = re.compile(
    rf"\b(?:[Mm]y|[Yy]our|[Oo]ur|[Tt]he user's) (?:[\w-]+ )?(?P<relation>{_RELATIONS})\b(?: (?P<name>[A-Z]\w+))?|"
    r"(?<=[a-z,] )(?P<alone>[A-Z][a-z]+)\b|^(?P<first>[A-Z][a-z]+)(?= (?:is|has|was|lives|works|said|likes)\b)"
)
_PERSON_ZH = re.compile(
    rf"[我你](?:家)?(?:的)?(?P<relation>{'|'.join(sorted(keeping('zh').relations, key=len, reverse=True))})"
)
_GOES_ON = re.compile(
    r"^(?:and|but|or|so|what about|how about|what of|also|then)\b|^(?:那么?|还有|而|那)", re.IGNORECASE
)
_THINGS = re.compile(r"\b(?:it|its|that one|this one)\b", re.IGNORECASE)


def rewrite(request: ModelRequest) -> str:
    """The question with what it leans on, as JSON: {"query": ...}. What cannot be read is given back as it is."""
    texts = [content(message) for message in request.messages if message["role"] == "user"]
    try:
        given = json.loads(texts[-1]) if texts else {}
    except json.JSONDecodeError:
        given = {}
    if not isinstance(given, dict):
        given = {}
    return json.dumps({"query": _rewritten(str(given.get("question") or ""), _turns(given))}, ensure_ascii=False)


def _turns(given: dict[str, Any]) -> list[tuple[str, str]]:
    listed = given.get("turns")
    turns = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [(str(one.get("speaker") or "user"), str(one.get("text") or "")) for one in turns]


def _rewritten(question: str, turns: list[tuple[str, str]]) -> str:
    whole = _chinese(question, turns) if is_cjk(question) else _english(question, turns)
    before = next((text for speaker, text in reversed(turns) if speaker == "user" and _asks(text)), "")
    if before and _GOES_ON.match(question) and len(_weighty(question)) < 3:
        # "And before that?" asks the same of another time, "And Ana's?" of another person.
        return f"{before} {whole}"
    return whole


def _asks(text: str) -> bool:
    return "?" in text or "？" in text


def _weighty(text: str) -> list[str]:
    return [term.stem for term in terms(text).terms if term.weight > 0.4]


def _english(question: str, turns: list[tuple[str, str]]) -> str:
    for pronouns, others in (("she|her|hers", _HE), ("he|him|his", _SHE), ("they|them|their", "")):
        if re.search(rf"\b(?:{pronouns})\b", question, re.IGNORECASE) and (who := _person(turns, others.split())):
            possessive = pronouns.split("|")[1 if pronouns.startswith("she") else 2]
            question = re.sub(rf"\b{possessive} (?=\w)", f"{who}'s ", question, flags=re.IGNORECASE)
            question = re.sub(rf"\b(?:{pronouns})\b", who, question, flags=re.IGNORECASE)
    if _THINGS.search(question) and (thing := _thing(turns)):
        question = re.sub(r"\bits\b", f"{thing}'s", question, flags=re.IGNORECASE)
        question = _THINGS.sub(thing, question)
    return question


def _person(turns: list[tuple[str, str]], others: list[str]) -> str:
    """Who was spoken of last, and may be meant: "my sister Ana"."""
    for _, text in reversed(turns):
        for found in reversed(list(_PERSON.finditer(text))):
            if found["relation"] and found["relation"].lower() not in others:
                name = found["name"]
                return f"my {found['relation']} {name}" if name else f"my {found['relation']}"
            name = found["alone"] or found["first"]
            placed = re.search(r"\b(?:at|in|to|from|on|of|for)\s*$", text[: found.start()])
            if name and not placed and not terms(name).kinds():
                return str(name)
    return ""


def _thing(turns: list[tuple[str, str]]) -> str:
    """What was spoken of last: a tool by its name, or else the last word of weight."""
    for speaker, text in reversed(turns):
        if speaker == "user":
            words = [word for word in tokens(text) if word.lower() not in STOP]
            return product(text) or (words[-1] if words else "")
    return ""


def _chinese(question: str, turns: list[tuple[str, str]]) -> str:
    if not re.search(r"[他她]", question):
        return question
    for _, text in reversed(turns):
        for found in reversed(list(_PERSON_ZH.finditer(text))):
            return re.sub(r"[他她](?!们)", f"我{found['relation']}", question)
    return question
