"""Words a judged and dated claim as an operation."""

from __future__ import annotations

import re
from typing import Any

from ..acts import Told
from ..facts import line_of
from ..stems import is_cjk
from ..words import terms
from .claim import USER, Claim
from .judging import Meaning
from .keeping import keeping
from .timing import Timing

Operation = dict[str, Any]
_STATED, _GUESSED = 0.9, 0.5
_ENTITY = re.compile(
    r"(?<![.!?] )(?<!^)\b[A-Z][\w'’&+#-]*(?: (?:[A-Z][\w'’&+#-]*|&|de|van|von|of))*|"
    r"\b[A-Z]{2,}\b|[A-Za-z][\w+#.-]*(?=[\u4e00-\u9fff]|$)"
)
_PLACE = re.compile(
    r"\b(?:in|to|at|near|from) (?P<place>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)|(?:在|去|到|"
    r"来自)(?P<place_zh>[\u4e00-\u9fff]{2,4}?)(?=工作|上班|住|出差|旅|开|读|上|参|买|办|做|当|"
    r"$)"
)
_NOT_PLACES = re.compile(
    r"^(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b"
)
_PLACED = frozenset(("home", "origin", "plan", "event", "job", "workplace", "education"))
_PRIVATE = frozenset(("pet", "child", "partner", "family", "home"))
_AGREED = frozenset(("deadline", "schedule", "plan"))
_VERBS = {
    "workplace": "works at",
    "job": "works as",
    "home": "lives in",
    "origin": "comes from",
    "education": "studied",
    "language": "speaks",
}


def operation(claim: Claim, meaning: Meaning, timing: Timing) -> Operation:
    """The operation that adds what `claim` tells."""
    text = _line(claim, timing.text, team=meaning.attribute not in _PRIVATE)
    names = _entities(text)
    people = [claim.someone.name] if claim.someone and claim.someone.name else []
    made: Operation = {
        "op": "add",
        "text": text,
        "kind": "episode" if meaning.episode else "fact",
        "subject": claim.subject,
        "attribute": meaning.attribute,
        "value": meaning.value,
        "single": meaning.single,
        "topics": sorted({meaning.attribute, *terms(claim.said).kinds()})[:6],
        "entities": [name for name in names if name not in people][:8],
        "participants": people,
        "importance": min(10, meaning.importance + (1 if claim.asked else 0)),
        "confidence": _GUESSED if claim.hedged else _STATED,
        "explicit": not claim.hedged,
        "from": claim.rests_on,
    }
    place = _PLACE.search(text) if meaning.attribute in _PLACED else None
    named = (place["place"] or place["place_zh"] or "") if place else ""
    if named and not _NOT_PLACES.match(named):
        made["location"] = named
    for key, value in (("event_time", timing.event), ("valid_from", timing.begins), ("valid_to", timing.ends)):
        if value:
            made[key] = value
    if meaning.attribute in _AGREED and meaning.single and "valid_from" not in made:
        # What was agreed for a day holds from when it was said, not from that day.
        made["valid_from"] = claim.entry.at.isoformat(timespec="minutes")
    if meaning.permanent:
        made["permanent"] = True
    if relations := _relations(claim, meaning):
        made["relations"] = relations
    return made


def _line(claim: Claim, text: str, *, team: bool) -> str:
    if team and _of_team(text) and not is_cjk(text):
        text = re.sub(
            r"^we have\b",
            "The user's team has",
            re.sub(r"^we are\b", "The user's team is", text, flags=re.I),
            flags=re.I,
        )
        text = re.sub(r"^we\b", "The user's team", text, flags=re.I)
    text = re.sub(r"\b(and|nor) I (?=\w)", r"\1 the user ", text)
    text = re.sub(r"\b[Ww]e\b(?! (?:all|both) )", "I", text)
    text = re.sub(r"\bI are\b", "I am", re.sub(r"\bus\b", "me", text)) if not is_cjk(text) else text
    text = re.sub(r"^I are\b", "I am", text)
    text = re.sub(r"\bours?\b", lambda found: "my" if found[0] == "our" else "mine", text) if not is_cjk(text) else text
    text = re.sub(r"^Our\b", "My", text)
    if is_cjk(text):
        text = re.sub(
            r"^(?:我们|咱们)(?:这边)?(?P<team>组|团队)?",
            lambda found: "用户的团队" if found["team"] or _of_team(text) else "用户",
            text,
        )
        text = re.sub(r"(?<=，)(?:我们|咱们)", "用户", text)
    return line_of(Told(text, claim.language))


_TEAM = re.compile(
    r"^(?:we|we've|we have|we are|we're) (?:\w+ly |all |have |just |finally |now |still "
    r")*(?:decided|agreed|chose|picked|use|switched|migrated|deploy|host|ship|release|adopted|"
    r"standardi[sz]ed|run|store|test|write|review|settled|went with|dropped|replaced|build|"
    r"log|track)\b|^(?:我们|咱们)(?:组|团队|公司|部门|项目)?(?:决定|商量|用|采用|规定|选|换|"
    r"改|部署|约定|定)",
    re.IGNORECASE,
)


def _of_team(text: str) -> bool:
    return _TEAM.search(text) is not None


def _entities(text: str) -> list[str]:
    found = [re.sub(r"['’]s$", "", one) for one in _ENTITY.findall(re.sub(r"^The user(?:'s)?", "", text))]
    return list(
        dict.fromkeys(
            one for one in found if len(one) > 1 and not _NOT_PLACES.match(one) and one not in ("The", "I", "My")
        )
    )


def _relations(claim: Claim, meaning: Meaning) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    someone = claim.someone
    if someone and someone.name and someone.relation:
        found.append({"subject": USER, "relation": someone.relation, "object": someone.name})
    if claim.nested:
        found.append(dict(zip(("subject", "relation", "object"), claim.nested, strict=True)))
    group = keeping(claim.language).relations
    if claim.subject == USER and meaning.attribute in ("partner", "child", "pet", "family", "friend") and meaning.value:
        named = re.search(r"[A-Z][\w'-]+", meaning.value)
        word = next((word for word in re.findall(r"[\w-]+", claim.said.lower()) if word in group), meaning.attribute)
        if named:
            found.append({"subject": USER, "relation": word, "object": named[0]})
    verb = _VERBS.get(meaning.attribute)
    if verb and meaning.value:
        found.append(
            {
                "subject": (someone.name or someone.relation) if someone else claim.subject,
                "relation": verb,
                "object": meaning.value,
            }
        )
    return found
