"""BEAM: long chats of a user with an assistant, with probing questions about them.

Published by Tavakoli et al. (2025) as a folder for each chat: `chat.json` with its batches of turns, and beside it, or
in a folder of that name, `probing_questions.json`, whose `source_chat_ids` name the messages that answer a question.
Where they are an object, as for what was updated or contradicted, each of its lists is one side of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from .dataset import Dataset, Question, Said, Talk
from .reading import Node, read

NAME = "BEAM"
CHAT = "chat.json"
QUESTIONS = "probing_questions.json"

_MARK = re.compile(r"\s*->->\s*[\d,\s]*$")
"""What the set's own making left at the end of a message: the place in its plan."""


def is_it(document: Node) -> bool:
    """Whether a file is a chat of this set."""
    first = document.value[0] if isinstance(document.value, list) and document.value else None
    return isinstance(first, dict) and "batch_number" in first and "turns" in first


def is_questions(document: Node) -> bool:
    """Whether a file holds the questions about a chat: it is read together with that."""
    lists = document.value.values() if isinstance(document.value, dict) else ()
    return any(isinstance(some, list) and some and isinstance(some[0], dict) and "rubric" in some[0] for some in lists)


def load(document: Node) -> Dataset:
    """A chat and the questions about it. Raises DatasetError."""
    folder = document.file.parent
    name = folder.resolve().name or "chat"
    talk = Talk(name, tuple(_said(document)), NAME)
    dataset = Dataset(NAME, [talk])
    keys = {said.key for said in talk.said}
    for category, questions in read(_questions_of(document, folder)).fields().items():
        for number, asked in enumerate(questions.items()):
            sides = tuple(dict.fromkeys(_sides(asked))) if "source_chat_ids" in asked else ()
            if not sides:
                dataset.leave_out("a question without evidence")
                continue
            if frozenset().union(*sides) - keys:
                asked["source_chat_ids"].fail("names a message that is not there")
            name = category.replace("_", " ")
            text = asked["question"].text()
            dataset.questions.append(Question(f"{talk.name}/{category}/{number}", talk.name, text, name, sides))
    return dataset


def _questions_of(chat: Node, folder: Path) -> Path:
    places = (folder / QUESTIONS, folder / "probing_questions" / QUESTIONS)
    file = next((file for file in places if file.is_file()), None)
    return file or chat.fail(f"has no {QUESTIONS} beside it")


def _said(chat: Node) -> Iterator[Said]:
    for batch in chat.items():
        number = batch["batch_number"].number()
        at: datetime | None = None
        for group in batch["turns"].items():
            for message in group.items():
                # Only the first message of a batch tells the time, and the others come after it.
                at = _time(message["time_anchor"]) if "time_anchor" in message else at
                words = _MARK.sub("", message["content"].text())
                yield Said(str(message["id"].number()), words, message["role"].text(), at, number)


def _time(node: Node) -> datetime:
    """`March-15-2024`."""
    try:
        return datetime.strptime(node.text(), "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        node.fail("must be a day like 'March-15-2024'")


def _sides(asked: Node) -> Iterator[frozenset[str]]:
    ids = asked["source_chat_ids"]
    for side in ids.fields().values() if isinstance(ids.value, dict) else (ids,):
        if found := frozenset(str(one.number()) for one in side.items()):
            yield found
