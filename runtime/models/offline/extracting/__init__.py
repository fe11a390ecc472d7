"""Works through a dialogue for what is worth remembering, by rule: the reply to a request with purpose `extract`."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...base import ModelRequest
from ..marks import content
from ..phrasebook import Language
from ..sentences import pieces
from ..stems import is_cjk
from ..unkept import wanted
from .answers import completed
from .beside import beside
from .chinese import ChineseReader
from .claim import Claim, Entry
from .completing import complete
from .endings import Ending, ending
from .english import EnglishReader
from .english_fiction import Stage
from .english_replies import in_place, last_place, spelled_out
from .english_slips import without_slips
from .english_talk import in_plain_words
from .judging import Meaning, judge
from .keeping import keeping
from .operations import Operation, operation
from .own_words import own_words, takes_back
from .revising import Memory, exchanged, revise
from .scene import Scene
from .timing import timed

MOST = 40
"""Operations of one request."""


def extract(request: ModelRequest) -> str:
    """The operations, as the JSON that prompts/extract.md asks for. What cannot be read holds none."""
    texts = [content(message) for message in request.messages if message["role"] == "user"]
    try:
        given = json.loads(texts[-1]) if texts else {}
    except json.JSONDecodeError:
        given = {}
    operations = _operations(given) if isinstance(given, dict) else []
    return json.dumps({"operations": operations[:MOST]}, ensure_ascii=False)


def _operations(given: dict[str, Any]) -> list[Operation]:
    memories = [Memory.read(one) for one in _objects(given, "memories")]
    entries = list(without_slips(list(_wanted(_entries(given)))))
    found: list[Operation] = []
    scene = Scene()
    read, sentence = False, (0, 0)
    for claim in _joined(_claims(entries, memories, scene)):
        if sentence != (sentence := (claim.entry.number, claim.sentence)):
            read = False
        if claim.whole and read:
            read = False
            continue
        made = list(_told(claim, _newest(memories, found) if claim.figure else memories))
        for one in made:
            if not _said_already(one, found):
                found.append(one)
        read = not claim.whole and (read or claim.read or bool(made))
    return [*_settled(found), *_named(scene, entries, found, memories)]


def _newest(memories: list[Memory], found: list[Operation]) -> list[Memory]:
    """What is remembered, as it stands after the operations so far."""
    changed = {one["id"] for one in found if one.get("id")}
    added = [Memory.read(one) for one in found if one["op"] in ("add", "update")]
    return [*(memory for memory in memories if memory.id not in changed), *added]


def _settled(found: list[Operation]) -> list[Operation]:
    """The operations, with one for each memory: what takes the place of what is over, and the last of two that change
    the same."""
    over = {one["id"]: one for one in found if one["op"] == "clear" and one.get("id")}
    for one in found:
        for memory, clear in over.items():
            if one["op"] == "add" and _takes_over(one, clear):
                one["op"], one["id"] = "update", memory
    # What it has become says more than that it is over.
    last = {one["id"]: one for one in sorted(found, key=lambda one: one["op"] == "update") if one.get("id")}
    return [one for one in found if not one.get("id") or one is last[one["id"]]]


_TOOLS = frozenset(("tool", "database", "editor"))


def _takes_over(one: Operation, clear: Operation) -> bool:
    """Whether something new takes the place of what is over: another workplace, another database of a project."""
    subjects = one["subject"] in clear["subject"] or clear["subject"] in one["subject"]
    same = one["attribute"] == clear["attribute"] and one["single"]
    return subjects and (same or {one["attribute"], clear["attribute"]} <= _TOOLS)


def _entries(given: dict[str, Any]) -> Iterator[Entry]:
    now = _moment(given.get("now")) or datetime(1970, 1, 1)
    for place, one in enumerate(_objects(given, "dialogue"), 1):
        number = one.get("n")
        yield Entry(
            number if isinstance(number, int) and number > 0 else place,
            str(one.get("speaker") or "user"),
            _moment(one.get("at")) or now,
            str(one.get("text") or ""),
        )


def _wanted(entries: Iterator[Entry]) -> list[Entry]:
    """The entries without what the user asks not to remember, in the same message or in the next."""
    found: list[Entry] = []
    for entry in entries:
        wish = wanted(entry.text)
        if entry.speaker == "user" and wish.leans:
            last = next((n for n in range(len(found) - 1, -1, -1) if found[n].speaker == "user"), None)
            if last is not None:
                found[last] = replace(
                    found[last], text="".join(part + gap for part, gap in _full(found[last].text)[:-1])
                )
        found.append(replace(entry, text=wish.kept) if entry.speaker == "user" else entry)
    return found


def _full(text: str) -> list[tuple[str, str]]:
    return [(part, gap) for part, gap in pieces(text) if part.strip()]


def _objects(given: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of a list; what is none is passed over."""
    listed = given.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)).replace(tzinfo=None)
    except ValueError:
        return None


def _named(scene: Scene, entries: list[Entry], found: list[Operation], memories: list[Memory]) -> Iterator[Operation]:
    """Those close to the user whom they named, where nothing kept says so: "Our budgie Kiwi is moulting"."""
    known = " ".join(
        [*(one["text"] for one in found), *(f"{one.text} {one.subject}" for one in memories if one.sorted)]
    )
    for someone in scene.people:
        group = keeping("zh" if is_cjk(someone.relation) else "en").relations.get(someone.relation, "")
        where = next((entry for entry in entries if entry.speaker == "user" and someone.name in entry.text), None)
        if group in _CLOSE and someone.name and someone.name not in known and where:
            chinese = is_cjk(someone.relation)
            text = (
                f"我{someone.of or someone.relation}叫{someone.name}"
                if chinese
                else f"My {someone.of} is {someone.name}"
            )
            claim = Claim(text, text, "zh" if chinese else "en", where, rests_on=[where.number])
            yield operation(claim, Meaning(group, someone.name, 6), timed(claim, Meaning(group, someone.name, 6)))


_CLOSE = frozenset(("partner", "child", "family", "pet"))


def _claims(entries: list[Entry], memories: list[Memory], scene: Scene) -> Iterator[Claim]:
    """The claims of the user's entries, in order. The assistant's words only complete what answers them."""
    scene.recall((memory.subject for memory in memories), keeping("en").relations)
    scene.remember(memories)
    asked: Entry | None = None
    told: list[Claim] = []
    stage = Stage()
    users = [entry for entry in entries if entry.speaker == "user"]
    fun = [one.number for one, after in itertools.pairwise(users) if takes_back(after.text)]
    for entry in entries:
        if entry.speaker != "user":
            asked = entry
            continue
        if entry.number in fun:
            continue
        language: Language = "zh" if is_cjk(entry.text) else "en"
        text = own_words(stage.own(entry.text), language)
        question = asked.text if asked else ""
        if language == "en":
            text = in_plain_words(text)
        said = spelled_out(text, question, scene.here, memories) if language == "en" else text
        whole = completed(in_place(question, scene.here), said) if asked else said
        scene.here = last_place(text) or scene.here
        scene.asked = asked.text if asked else ""
        reader = (ChineseReader if is_cjk(whole) else EnglishReader)(scene)
        if asked:
            reader.hear_question(asked.text)
        for claim in reader.read(whole, entry):
            claim.rests_on = [asked.number, entry.number] if asked and whole != text else [entry.number]
            if claim.partial:
                whole_claim = complete(claim, told, memories, asked.text if asked else "")
                if whole_claim is None:
                    continue
                claim = whole_claim
            told.append(claim)
            yield claim
        asked = None


def _joined(claims: Iterator[Claim]) -> Iterator[Claim]:
    """The claims, where "We got a dog" and "her name is Biscuit" are one."""
    held: Claim | None = None
    for claim in claims:
        if held and claim.whole:
            continue
        if held and claim.naming and claim.introduces == held.introduces:
            for part in ("text", "said"):
                named = f"{getattr(held, part)}{'，名叫' if claim.language == 'zh' else ' named '}{claim.naming}"
                setattr(held, part, named)
            held.rests_on = sorted({*held.rests_on, *claim.rests_on})
            claim = replace(held, introduces="")
            held = None
        if held:
            yield held
        held = claim if claim.introduces and not claim.naming else None
        if held is None:
            yield claim
    if held:
        yield held


def _told(claim: Claim, memories: list[Memory]) -> Iterator[Operation]:
    """The operations that a claim is worth: what it tells, what else it tells in the same breath, and what is over."""
    over = ending(claim, memories)
    kept = False
    for part in (claim, *beside(claim)):
        one = _one(part, memories)
        if one is None and part is claim and over and over.alone:
            # That it is over is worth keeping, whatever the words are worth by themselves.
            gone = Meaning("event", claim.said, 5, episode=True, past=True)
            one = operation(claim, gone, timed(claim, gone))
        kept = kept or one is not None
        if one and over and (one["op"] == "add" or (one["op"] == "update" and one["attribute"] == over.attribute)):
            one = {**{key: value for key, value in one.items() if key != "id"}, "op": "add"}
            clear = {
                **one,
                "op": "clear",
                "subject": over.subject,
                "attribute": over.attribute,
                "value": over.value or None,
            }
            clear = {**clear, "single": False, **_known(over)}
            if one["attribute"] == over.attribute or one["single"] is False:
                one = {**one, "kind": "episode", "attribute": "event", "single": False}
            yield from [clear] if over.alone else [one, clear]
        elif one:
            yield one
    if over and over.memory and not kept:
        # What would not be kept by itself may still end what is kept.
        gone = Meaning(over.attribute, over.value, 5)
        yield {**operation(claim, gone, timed(claim, gone)), "op": "clear", "single": False, **_known(over)}


def _known(over: Ending) -> Operation:
    """The memory that is over, where it is known."""
    memory = over.memory
    return {"id": memory.id, "subject": memory.subject or over.subject} if memory else {}


def _one(claim: Claim, memories: list[Memory]) -> Operation | None:
    """The operation that a claim is worth, if it is worth one."""
    if swap := exchanged(claim, memories):
        memory, text = swap
        held = Meaning(memory.attribute, text, 7, single=True, moment=True, past=True)
        made = operation(claim, held, timed(claim, held))
        return {**made, "op": "update", "id": memory.id, "text": text, "subject": memory.subject or made["subject"]}
    meaning = judge(claim)
    claim.read = meaning is not None or claim.vetoed
    if meaning is None:
        # What would not be kept by itself may still end what is kept.
        meaning = Meaning("", claim.said, 5)
        revision = revise(claim, meaning, claim.text, memories)
        if revision is None or revision.op not in ("clear", "delete") or revision.memory is None:
            return None
    whole = replace(claim, text=claim.text + claim.more)
    timing = timed(whole, meaning)
    made = operation(whole, meaning, timing)
    revision = revise(
        claim, meaning, made["text"], memories, later=timing.event[:10] > claim.entry.at.date().isoformat()
    )
    if revision is None:
        return None
    made["op"] = revision.op
    if revision.memory:
        made["id"] = revision.memory.id
        if revision.memory.attribute and revision.op != "add":
            made["attribute"] = revision.memory.attribute
            made["subject"] = revision.memory.subject or made["subject"]
        if not made["id"]:
            # It was told a moment ago, and is compared with that when both are kept.
            made = {**{key: value for key, value in made.items() if key != "id"}, "op": "add"}
    return made


def _said_already(one: Operation, found: list[Operation]) -> bool:
    plain = re.sub(r"[\W_]+", "", one["text"]).lower()
    return any(re.sub(r"[\W_]+", "", other["text"]).lower() == plain and other["op"] == one["op"] for other in found)
