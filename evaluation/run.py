"""An evaluation from end to end: conversations into a home, questions to its search, and what came back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ..assembly import Home
from ..runtime.archive.archive import Archive
from ..runtime.archive.query import Hit, Query
from ..runtime.chosen import make_embedder
from ..runtime.clock import ManualClock
from ..runtime.config import Settings
from ..runtime.ids import CountingIds
from .arms import Arm
from .baseline import BM25
from .dataset import Dataset, Question, Said, Talk
from .embedding import Watched
from .ingest import Stored, ingest, set_clock
from .metrics import CUTS

SEARCH = "search"
"""The name of the ranking that the product's own search gives, as it comes."""

MOST = max(CUTS)
"""Results that are asked for."""

Tell = Callable[[str, int, int], None]
"""Told how far it is: what is done, how often so far, and how often in all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured beside the search as it comes."""

    shared: bool = False
    """Conversations share a store, so that nothing but the question tells them apart."""
    baseline: bool = False
    arms: Sequence[Arm] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a question."""

    question: Question
    found: list[str]
    """The keys of the turns, best first; those of another conversation come with its name."""
    hits: list[Hit] = field(default_factory=list)
    """The results as the search gave them; empty for a baseline."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All answers of a run on one set, by the name of the ranking."""

    dataset: Dataset
    embedder: str
    """Its fingerprint."""
    answers: dict[str, list[Answer]]


async def run(dataset: Dataset, home: Path, settings: Settings, plan: Plan, tell: Tell) -> Outcome:
    """Bring the set into a new home in the folder `home`, and ask its questions.

    Raises DatasetError where a conversation cannot be held, and EmbedderFailed as soon as the embedder has failed:
    without its vectors it would be another measurement.
    """
    clock = ManualClock(datetime(2000, 1, 1, tzinfo=UTC))
    # Counted ids: equally good results come in the same order each time.
    embedder = Watched(make_embedder(settings))
    place = Home.open(home, clock=clock, ids=CountingIds(), embedder=embedder)
    try:
        archive = await place.archive(settings)
        stored = await _store(place, archive, embedder, clock, dataset, plan, tell)
        answers = {SEARCH: await _ask_all(archive, embedder, clock, dataset, stored, SEARCH, tell)}
        for arm in plan.arms:
            other = await Archive.open(place.journal, embedder, clock=clock, weights=arm.weights, background=False)
            try:
                answers[arm.name] = await _ask_all(other, embedder, clock, dataset, stored, arm.name, tell)
            finally:
                await other.close()
        if plan.baseline:
            answers |= _baselines(dataset, stored)
    finally:
        await place.close()
    return Outcome(dataset, embedder.fingerprint, answers)


def sample(dataset: Dataset, limit: int, seed: int) -> Dataset:
    """The set with but `limit` of its questions, chosen by `seed`; its conversations stay, since they are the noise."""
    chosen = set(random.Random(seed).sample(range(len(dataset.questions)), min(limit, len(dataset.questions))))
    questions = [question for place, question in enumerate(dataset.questions) if place in chosen]
    return Dataset(dataset.name, dataset.talks, questions, dataset.left_out)


async def _store(
    home: Home, archive: Archive, embedder: Watched, clock: ManualClock, dataset: Dataset, plan: Plan, tell: Tell
) -> dict[str, Stored]:
    """Bring the conversations in, by their names, each as memory of a user of its own or of one for its store."""
    asked = {question.talk for question in dataset.questions}
    stores = {talk.together for talk in dataset.talks if talk.name in asked}
    wanted = [talk for talk in dataset.talks if talk.together in stores and (plan.shared or talk.name in asked)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(talk.together for talk in wanted), 1)}
    out: dict[str, Stored] = {}
    for number, talk in enumerate(wanted, 1):
        user = f"store {numbers[talk.together]}" if plan.shared else f"talk {number}"
        out[talk.name] = await ingest(home, archive, clock, talk, user, f"talk {number}")
        embedder.check()
        tell("conversations stored", number, len(wanted))
    return out


async def _ask_all(
    archive: Archive,
    embedder: Watched,
    clock: ManualClock,
    dataset: Dataset,
    stored: dict[str, Stored],
    name: str,
    tell: Tell,
) -> list[Answer]:
    turns = {one.scope.user: {} for one in stored.values()}  # type: dict[str, dict[str, tuple[str, str]]]
    ends: dict[str, datetime] = {}
    for one in stored.values():
        turns[one.scope.user].update((item, (one.talk.name, key)) for item, key in one.keys.items())
        if one.end is not None:
            ends[one.scope.user] = max(one.end, ends.get(one.scope.user, one.end))
    out = []
    for number, question in enumerate(dataset.questions, 1):
        scope = stored[question.talk].scope
        set_clock(clock, question.at or ends.get(scope.user))
        hits = await archive.search(Query(scope, question.text, limit=MOST), explain=True)
        embedder.check()
        found = [_key(question, *turns[scope.user][hit.id]) for hit in hits]
        out.append(Answer(question, found, hits))
        tell(f"questions asked ({name})", number, len(dataset.questions))
    return out


def _key(question: Question, talk: str, key: str) -> str:
    return key if talk == question.talk else f"{talk}/{key}"


def _baselines(dataset: Dataset, stored: dict[str, Stored]) -> dict[str, list[Answer]]:
    """BM25 over the same stores; and over the user's turns alone, where the user talks with an assistant."""
    out = {"BM25": _bm25(dataset, stored, lambda said: True)}
    if any(said.speaker == "assistant" for talk in dataset.talks for said in talk.said):
        out["BM25, user's turns"] = _bm25(dataset, stored, lambda said: said.speaker == "user")
    return out


def _bm25(dataset: Dataset, stored: dict[str, Stored], wanted: Callable[[Said], bool]) -> list[Answer]:
    stores: dict[str, list[tuple[Talk, Said]]] = {}
    for one in stored.values():
        stores.setdefault(one.scope.user, []).extend((one.talk, said) for said in one.talk.said if wanted(said))
    indexes = {user: BM25([said.text for _, said in turns]) for user, turns in stores.items()}

    def best(question: Question) -> Iterator[str]:
        user = stored[question.talk].scope.user
        for place in indexes[user].best(question.text, MOST):
            talk, said = stores[user][place]
            yield _key(question, talk.name, said.key)

    return [Answer(question, list(best(question))) for question in dataset.questions]
