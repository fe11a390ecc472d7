"""What memory work makes of what was said anew: a quota that was raised, a count that has grown.

A chat of a user with an assistant is held again turn by turn, and memory work goes through it with any model, as often
as it is consolidated by itself. Then each question about an update is put to the ordinary search, over the log and the
archive. A side of it is found by its message, or by a memory that rests on that message. The newer side is told to be
the one that counts by memory, if a memory of it in force is found, and one of the older side has given way to it; or by
its figure, if the search marks the older side with the newer one, which needs no memory work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, select

from ..assembly import Agent, Home
from ..runtime.archive.archive import Archive
from ..runtime.archive.query import Hit, Query
from ..runtime.chosen import make_embedder, make_model
from ..runtime.clock import ManualClock
from ..runtime.config import Settings
from ..runtime.errors import DatasetError
from ..runtime.ids import CountingIds
from ..runtime.journal import tables
from ..runtime.journal.fold.rows import current
from ..runtime.models.base import Model
from ..runtime.scope import Scope
from ..runtime.sleeptime.consolidating.state import TURNS
from ..runtime.sleeptime.known import about
from .chat import hold
from .dataset import Dataset, Question, Talk
from .embedding import Watched
from .ingest import AGENT, Stored, set_clock
from .report import UPDATE

WITHIN = 10
"""Results that are looked at."""

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a question, and what memory holds of both sides."""

    question: Question
    places: tuple[int | None, int | None]
    """Of the best result of the older and of the newer side, from 1 up; None where there is none."""
    by_memory: bool
    by_figure: bool
    memories: tuple[tuple[Row[Any], ...], tuple[Row[Any], ...]]
    """What rests on the older side alone, and what rests on the newer one."""

    @property
    def found(self) -> bool:
        return None not in self.places

    @property
    def told(self) -> bool:
        """Both sides are found, and the newer one is told to be the one that counts."""
        return self.found and (self.by_memory or self.by_figure)


@dataclass(slots=True)
class Outcome:
    """What came of a set."""

    dataset: Dataset
    model: str
    embedder: str
    """Its fingerprint."""
    answers: list[Answer] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    """How many memories stand how."""
    work: Counter[str] = field(default_factory=Counter)
    """What memory work did, and its model calls and tokens."""
    errors: list[str] = field(default_factory=list)
    """What memory work could not do."""


def about_updates(datasets: Sequence[Dataset]) -> Dataset:
    """The questions about what was said anew, and the chats that they are about, of the one set that asks any.

    Raises DatasetError.
    """
    for dataset in datasets:
        questions = [one for one in dataset.questions if one.category == UPDATE and len(one.sides) == 2]
        asked = {question.talk for question in questions}
        talks = [talk for talk in dataset.talks if talk.name in asked]
        for talk in talks:
            if not talk.is_chat:
                raise DatasetError(f"In {talk.name!r} of {dataset.name} a user and an assistant do not take turns.")
        if questions:
            return Dataset(dataset.name, talks, questions)
    names = ", ".join(dataset.name for dataset in datasets)
    raise DatasetError(f"{names} asks nothing about what was said anew.", hint="BEAM does.")


async def run(dataset: Dataset, folder: Path, settings: Settings, tell: Tell) -> Outcome:
    """Hold the chats of `about_updates` in a new home in `folder`, with memory work, and ask.

    Raises DatasetError where a chat cannot be held, and EmbedderFailed as soon as the embedder has failed.
    """
    clock = ManualClock(datetime(2000, 1, 1, tzinfo=UTC))
    embedder = Watched(make_embedder(settings))
    home = Home.open(folder, clock=clock, ids=CountingIds(), embedder=embedder, background=False)
    model = make_model(settings)
    out = Outcome(dataset, model.name, embedder.fingerprint)
    try:
        archive = await home.archive(settings)
        for number, talk in enumerate(dataset.talks, 1):
            stored = await _live(home, model, clock, talk, f"talk {number}", out, tell)
            await archive.embed_messages()
            embedder.check()
            out.answers += await _ask_all(archive, out, stored)
            embedder.check()
            tell("conversations asked about", number, len(dataset.talks))
    finally:
        await model.close()
        await home.close()
    return out


async def _live(
    home: Home, model: Model, clock: ManualClock, talk: Talk, user: str, out: Outcome, tell: Tell
) -> Stored:
    turns = len(talk.said) // 2
    done = 0

    async def between(agent: Agent) -> None:
        nonlocal done
        done += 1
        tell(f"turns of {talk.name}", done, turns)
        if done % TURNS == 0 or done == turns:
            await _work(agent, out)

    scope, keys = await hold(home, AGENT, talk, user, talk.name, partial(set_clock, clock), mind=model, between=between)
    return Stored(talk, scope, keys)


async def _work(agent: Agent, out: Outcome) -> None:
    """All that waits. What a failure stopped is tried again as long as that gets further, as it would be in time."""
    while True:
        worked = await agent.memory.work()
        out.work.update(worked.counts | worked.cost.data())
        out.errors += [*filter(None, [worked.error]), *worked.faults]
        if not (worked.error and worked.messages):
            return


async def _ask_all(archive: Archive, out: Outcome, stored: Stored) -> list[Answer]:
    rows = await archive.journal.read(partial(_memories, scope=stored.scope))
    out.statuses.update(row.status for row in rows)
    asked = [question for question in out.dataset.questions if question.talk == stored.talk.name]
    return [
        _judged(question, await archive.search(Query(stored.scope, question.text, limit=WITHIN)), rows, stored.keys)
        for question in asked
    ]


def _memories(connection: Connection, scope: Scope) -> Sequence[Row[Any]]:
    table = tables.passages
    query = select(table).where(current(table), table.c.stream == scope.agent, table.c.user == scope.user)
    return connection.execute(query.order_by(table.c.row)).all()


def _judged(question: Question, hits: Sequence[Hit], rows: Sequence[Row[Any]], keys: dict[str, str]) -> Answer:
    """`keys` are those of the turns, by the ids of the messages."""
    older, newer = question.sides
    sides: dict[str, int] = {message: int(key in newer) for message, key in keys.items() if key in older | newer}
    # What rests on both tells how it is now.
    resting = {
        row.id: max(sides[one] for one in row.source if one in sides) for row in rows if set(row.source) & set(sides)
    }
    sides |= resting
    places = [next((place for place, hit in enumerate(hits, 1) if sides.get(hit.id) == side), None) for side in (0, 1)]
    memories = [tuple(row for row in rows if resting.get(row.id) == side) for side in (0, 1)]
    shown = {hit.id for hit in hits}
    in_force = [row for row in memories[1] if row.status == "active" and row.id in shown]
    return Answer(
        question,
        (places[0], places[1]),
        any(_gave_way(old, new, rows) for old in memories[0] for new in in_force),
        any(sides.get(hit.id) == 0 and hit.newer is not None and sides.get(hit.newer) == 1 for hit in hits),
        (memories[0], memories[1]),
    )


def _gave_way(old: Row[Any], new: Row[Any], rows: Sequence[Row[Any]]) -> bool:
    """Whether `new` came in the place of `old`, at once or by what came between; or `old` ended, and told the same."""
    if old.status != "superseded":
        return False
    after = {row.id: row.superseded_by for row in rows}
    heir = old.superseded_by
    while heir is not None and heir != new.id:
        heir = after.get(heir)
    told = about(old.subject, old.attribute)
    return heir is not None or (told is not None and told == about(new.subject, new.attribute))


def summary(outcome: Outcome) -> dict[str, Any]:
    """The figures: of how many questions both sides are found, and the newer one is told to count."""
    answers = outcome.answers
    return {
        "dataset": outcome.dataset.name,
        "model": outcome.model,
        "embedder": outcome.embedder,
        "conversations": len(outcome.dataset.talks),
        "turns": sum(len(talk.said) for talk in outcome.dataset.talks),
        "questions": len(answers),
        "found": sum(one.found for one in answers),
        "newer_told": sum(one.told for one in answers),
        "by_memory": sum(one.found and one.by_memory for one in answers),
        "by_figure": sum(one.found and one.by_figure for one in answers),
        "memories": dict(sorted(outcome.statuses.items())),
        "work": dict(sorted(outcome.work.items())),
        "errors": outcome.errors,
    }


def each_question(outcome: Outcome) -> list[dict[str, Any]]:
    """Each question with what came of it, for the study of errors."""
    texts = {talk.name: {said.key: said.text for said in talk.said} for talk in outcome.dataset.talks}
    return [
        {
            "id": one.question.id,
            "question": one.question.text,
            **{
                name: {
                    "said": [texts[one.question.talk][key] for key in sorted(one.question.sides[side])],
                    "place": one.places[side],
                    "memories": [_shown(row) for row in one.memories[side]],
                }
                for side, name in enumerate(("older", "newer"))
            },
            "by_memory": one.by_memory,
            "by_figure": one.by_figure,
        }
        for one in outcome.answers
    ]


def _shown(row: Row[Any]) -> dict[str, Any]:
    names = ("id", "text", "status", "subject", "attribute", "value", "valid_from", "valid_to", "superseded_by")
    return {name: getattr(row, name) for name in names}
