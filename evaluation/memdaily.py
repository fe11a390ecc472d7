"""MemDaily: short Chinese trajectories of a user's messages, with a question about each.

Published by Zhang et al. (2024) as one object of types, each of them an object of lists of trajectories; a file that
holds one such list is read as well. A trajectory has its messages in `message_list`, and each question names the
messages that answer it in `target_step_id`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath

from .dataset import Dataset, Question, Said, Talk
from .reading import Node

NAME = "MemDaily"
USER = "user"
"""Who speaks: the set has but one voice."""
FAILED = "[ERRORQ]"
"""What stands in the place of some questions."""

_TIME = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日\D*(\d{1,2}):(\d{2})")


def is_it(document: Node) -> bool:
    """Whether a file is of this set."""
    return any(isinstance(found, dict) and "message_list" in found for found in _firsts(document.value))


def _firsts(value: object, depth: int = 3) -> Iterator[object]:
    """The first trajectory of each list, however they are wrapped."""
    if isinstance(value, list):
        yield from value[:1]
    elif isinstance(value, dict) and depth:
        for inner in value.values():
            yield from _firsts(inner, depth - 1)


def load(document: Node) -> Dataset:
    """All trajectories of a file. Raises DatasetError."""
    dataset = Dataset(NAME)
    for name, trajectories in _lists(document, PurePath(document.file).stem):
        for trajectory in trajectories.items():
            _add(dataset, name, trajectory)
    return dataset


def _lists(node: Node, name: str) -> Iterator[tuple[str, Node]]:
    """Each list of trajectories with its name: of the file, or of the keys above it."""
    if isinstance(node.value, list):
        yield name, node
        return
    for inner in node.fields().values():
        yield from _lists(inner, inner.key)


def _add(dataset: Dataset, category: str, trajectory: Node) -> None:
    talk = f"{category}-{trajectory['tid'].number()}"
    said = tuple(_said(message) for message in trajectory["message_list"].items())
    dataset.talks.append(Talk(talk, said, category))
    keys = {one.key for one in said}
    for question in trajectory["question_list"].items():
        if question["question"].value == FAILED:
            dataset.leave_out(f"a question that the set's own making failed to write ({FAILED})")
            continue
        wanted = frozenset(str(step.number()) for step in question["target_step_id"].items())
        if not wanted:
            dataset.leave_out("a question without evidence")
        elif wanted - keys:
            question["target_step_id"].fail("names a message that is not there")
        else:
            number, text = question["qid"].number(), question["question"].text()
            at = _time(question["time"]) if "time" in question else None
            dataset.questions.append(Question(f"{talk}/{number}", talk, text, category, (wanted,), at))


def _said(message: Node) -> Said:
    place = message["place"].text() if "place" in message else None
    at = _time(message["time"]) if "time" in message else None
    return Said(str(message["mid"].number()), message["message"].text(), USER, at, location=place)


def _time(node: Node) -> datetime:
    """`2024年04月01日 周一 08:30`. The set has no time zones."""
    found = _TIME.match(node.text())
    year, month, day, hour, minute = (int(part) for part in found.groups()) if found else (0, 0, 0, 0, 0)
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        node.fail("must be a time like '2024年04月01日 周一 08:30'")
