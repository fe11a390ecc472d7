"""LoCoMo: long conversations between two people over months, with questions about them.

Published by Maharana et al. (2024) as one list of conversations; a file that holds just one of them, or its parts
without the wrapping, is read as well. A turn's evidence id is `D<session>:<turn>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath

from .dataset import Dataset, Question, Said, Talk
from .reading import Node

NAME = "LoCoMo"
CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}
ADVERSARIAL = 5
"""Asks for what was not said, or of the wrong person; its evidence is the turn that it distorts. Told apart."""

_SESSION = re.compile(r"session_(\d+)")
_ID = re.compile(r"D:?(\d+):(\d+)")


def is_it(document: Node) -> bool:
    """Whether a file is of this set."""
    samples = document.value if isinstance(document.value, list) else [document.value]
    return bool(samples) and isinstance(samples[0], dict) and "qa" in samples[0] and _has_talk(samples[0])


def _has_talk(sample: dict[str, object]) -> bool:
    inner = sample.get("conversation", sample)
    return isinstance(inner, dict) and any(_SESSION.fullmatch(key) for key in inner)


def load(document: Node) -> Dataset:
    """All conversations of a file. Raises DatasetError."""
    dataset = Dataset(NAME)
    samples = list(document.items()) if isinstance(document.value, list) else [document]
    for place, sample in enumerate(samples):
        name = sample["sample_id"].text() if "sample_id" in sample else _name(document, place, len(samples))
        talk = Talk(name, tuple(_said(sample.fields().get("conversation", sample))), NAME)
        dataset.talks.append(talk)
        keys = {said.key for said in talk.said}
        for number, asked in enumerate(sample["qa"].items()):
            _ask(dataset, talk.name, keys, number, asked)
    return dataset


def _name(document: Node, place: int, count: int) -> str:
    stem = PurePath(document.file).stem
    return stem if count == 1 else f"{stem}-{place + 1}"


def _said(talk: Node) -> Iterator[Said]:
    fields = talk.fields()
    numbers = sorted(int(found[1]) for key in fields if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        turns = list(fields[f"session_{number}"].items())
        at = _time(talk[f"session_{number}_date_time"]) if turns else None
        for turn in turns:
            yield Said(_key(turn["dia_id"]), _words(turn), turn["speaker"].text(), at, number)


def _words(turn: Node) -> str:
    """What was said, and what the shared image shows, which is all that the set has of the image."""
    fields = turn.fields()
    shown = [fields["blip_caption"].text()] if "blip_caption" in fields else []
    said = fields["text"].text() if "text" in fields and not (shown and fields["text"].value == "") else ""
    if not said and not shown:
        turn.fail("has neither text nor blip_caption")
    return " ".join([said, *(f"[image: {caption}]" for caption in shown)]).strip()


def _time(node: Node) -> datetime:
    """`1:56 pm on 8 May, 2023`. The set has no time zones."""
    try:
        return datetime.strptime(node.text().strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        node.fail("must be a time like '1:56 pm on 8 May, 2023'")


def _key(node: Node) -> str:
    keys = list(repaired(node.text()))
    if len(keys) != 1:
        node.fail("must be an id like 'D1:3'")
    return keys[0]


def repaired(evidence: str) -> Iterator[str]:
    """The ids in a piece of evidence: some hold two (`D8:6; D9:17`), a colon or a zero too many, or none."""
    for session, turn in _ID.findall(evidence):
        yield f"D{int(session)}:{int(turn)}"


def _ask(dataset: Dataset, talk: str, keys: set[str], number: int, asked: Node) -> None:
    category = asked["category"].number()
    if category not in CATEGORIES:
        asked["category"].fail("must be from 1 to 5")
    named = [key for piece in asked["evidence"].items() for key in repaired(piece.text())]
    evidence = frozenset(named) & keys
    for _ in set(named) - evidence:
        dataset.leave_out("an id of evidence that no turn has")
    if not evidence:
        dataset.leave_out("a question without evidence")
        return
    text, name = asked["question"].text(), CATEGORIES[category]
    aside = category == ADVERSARIAL
    dataset.questions.append(Question(f"{talk}/{number}", talk, text, name, (evidence,), aside=aside))
