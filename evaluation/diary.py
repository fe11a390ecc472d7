"""A month of one person talking to an agent, lived day by day, and then asked about: how things stand, how they stood
on some day, and what was to be forgotten.

Every turn goes through the agent as it is, and memory work is done each night, as it would be in the background. Each
question is asked in a conversation of its own, so that what it is answered from is memory and not the window. A
question counts as answered if the reply says what it must and nothing that it must not; `found` says the same of the
best result of a search. What was forgotten may be in neither, nor in any result of a search for the question or for
the very words.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml
from sqlalchemy import Connection, select

from ..assembly import Agent, Home
from ..runtime.chosen import make_embedder, make_model
from ..runtime.clock import ManualClock
from ..runtime.config import Settings
from ..runtime.errors import DatasetError
from ..runtime.ids import CountingIds
from ..runtime.journal import tables
from ..runtime.journal.fold.rows import current
from ..runtime.models.base import Model
from ..runtime.sleeptime.wording import compare
from ..runtime.when.asked import without_dates
from .ingest import set_clock
from .labelled import Groups, has_any, says

AGENT = "diary"
CURRENT, AS_OF, FORGOTTEN, HOPS = "current", "as of", "forgotten", "two steps"
KINDS = (CURRENT, AS_OF, FORGOTTEN, HOPS)

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about the month."""

    kind: str
    about: str
    ask: str
    expect: Groups
    never: tuple[str, ...]
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said at a moment."""

    at: datetime
    says: str


@dataclass(frozen=True, slots=True)
class Diary:
    """A month and the questions about it."""

    zone: ZoneInfo
    asked: datetime
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a question."""

    question: Question
    reply: str
    top: str
    """The best result of a search."""
    answered: bool
    found: bool


@dataclass(slots=True)
class Lived:
    """What came of the whole."""

    model: str
    answers: list[Answered] = field(default_factory=list)
    memories: int = 0
    """Memories in force at the end, documents aside."""
    duplicates: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of them that say the same."""
    work: dict[str, int] = field(default_factory=dict)
    """What memory work did, and its model calls and tokens."""
    errors: list[str] = field(default_factory=list)
    """What memory work could not do."""


def load(folder: Path) -> Diary:
    """The diary in a folder: diary.yaml, and hops.yaml where it is there. Raises DatasetError."""
    try:
        whole = yaml.safe_load((folder / "diary.yaml").read_text("utf-8"))
        more = folder / "hops.yaml"
        hops = yaml.safe_load(more.read_text("utf-8"))["questions"] if more.is_file() else []
        zone = ZoneInfo(whole["zone"])
        turns = [
            Turn(datetime.combine(date.fromisoformat(day["date"]), time.fromisoformat(turn["at"]), zone), turn["says"])
            for day in whole["days"]
            for turn in day["turns"]
        ]
        asked = datetime.fromisoformat(whole["asked"]).replace(tzinfo=zone)
        questions = [*map(_question, whole["questions"]), *(_question({**one, "kind": HOPS}) for one in hops)]
    except OSError as error:
        raise DatasetError(
            f"{error.filename} cannot be read ({error.strerror}).", hint="Name the folder of a diary."
        ) from None
    except (KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise DatasetError(f"{folder}: this is no diary ({error}).") from None
    return Diary(zone, asked, tuple(turns), tuple(questions))


def _question(one: dict[str, Any]) -> Question:
    about = one["about"]
    return Question(
        one["kind"].replace("_", " "),
        about if isinstance(about, str) else " and ".join(about),
        one["ask"],
        tuple(tuple(map(str, group)) for group in one.get("expect", ())),
        tuple(map(str, one.get("not", ()))),
        date.fromisoformat(str(one["as_of"])) if "as_of" in one else None,
    )


async def live(diary: Diary, folder: Path, settings: Settings, tell: Tell) -> Lived:
    """Live the month in a new home in `folder`, and ask about it. Raises EmbedderFailed or a ModelError."""
    clock = ManualClock(diary.turns[0].at)
    home = Home.open(folder, clock=clock, ids=CountingIds(), embedder=make_embedder(settings), background=False)
    model = make_model(settings)
    out = Lived(model.name)
    try:
        await _days(diary, home, model, clock, out, tell)
        set_clock(clock, diary.asked)
        for number, question in enumerate(diary.questions, 1):
            out.answers.append(await _ask(home, model, diary.zone, question, number))
            tell("questions asked", number, len(diary.questions))
    finally:
        await model.close()
        await home.close()
    return out


async def _days(diary: Diary, home: Home, model: Model, clock: ManualClock, out: Lived, tell: Tell) -> None:
    async with Agent.open(AGENT, home=home, model=model, timezone=diary.zone) as agent:
        for number, turn in enumerate(diary.turns, 1):
            set_clock(clock, turn.at)
            await agent.send(turn.says)
            tell("turns", number, len(diary.turns))
            following = diary.turns[number : number + 1]
            if not following or following[0].at.date() != turn.at.date():
                await _night(agent, out)
        texts = await agent.memory.journal.read(_in_force)
    out.memories = len(texts)
    out.duplicates = [
        (one, other) for place, one in enumerate(texts) for other in texts[place + 1 :] if compare(one, other) == "same"
    ]


async def _night(agent: Agent, out: Lived) -> None:
    worked = await agent.memory.work()
    for name, count in (worked.counts | worked.cost.data()).items():
        out.work[name] = out.work.get(name, 0) + count
    out.errors += [*filter(None, [worked.error]), *worked.faults]


def _in_force(connection: Connection) -> Sequence[str]:
    table = tables.passages
    query = select(table.c.text).where(current(table), table.c.status == "active", table.c.kind != "document")
    return connection.execute(query.order_by(table.c.row)).scalars().all()


async def _ask(home: Home, model: Model, zone: ZoneInfo, question: Question, number: int) -> Answered:
    opening = Agent.open(AGENT, home=home, model=model, timezone=zone, conversation=f"question {number}")
    async with opening as agent:
        reply = (await agent.send(question.ask)).text
        if question.kind == FORGOTTEN:
            told = "\n".join([text async for text in _reachable(agent, [question.ask, *question.never])])
            clean = not has_any(told, question.never)
            return Answered(
                question, reply, told if not clean else "", clean and not has_any(reply, question.never), clean
            )
        when: dict[str, Any] = {}
        asked = question.ask
        if question.as_of is not None:
            when["valid_at"] = datetime.combine(question.as_of, time(12), zone)
            when["statuses"] = ("active", "superseded")
            # As recall asks: the day is a condition, and no word to look for.
            asked = without_dates(asked, home.clock.now(), zone)
        hits = await agent.memory.search(asked, tables=("passage",), limit=1, **when)
        top = hits[0].text if hits else ""
        return Answered(question, reply, top, _right(reply, question), _right(top, question))


async def _reachable(agent: Agent, words: Sequence[str]) -> AsyncIterator[str]:
    """What a search can reach by some words, that of the agent's own conversation aside, in which they were asked."""
    for asked in words:
        hits = await agent.memory.search(asked, statuses=("active", "superseded", "retired", "disputed"), limit=20)
        for hit in hits:
            if hit.conversation != agent.scope.conversation:
                yield hit.text


def _right(text: str, question: Question) -> bool:
    return says(text, question.expect) and not has_any(text, question.never)


def summary(lived: Lived) -> dict[str, Any]:
    """The figures: of each kind of question, how many are answered by the reply, and by the best result."""
    kinds = {}
    for kind in KINDS:
        some = [one for one in lived.answers if one.question.kind == kind]
        if some:
            kinds[kind] = {
                "questions": len(some),
                "answered": sum(one.answered for one in some),
                "found": sum(one.found for one in some),
                "either": sum(one.answered or (one.found and kind != FORGOTTEN) for one in some),
            }
    twins = {text for pair in lived.duplicates for text in pair[1:]}
    return {
        "model": lived.model,
        "kinds": kinds,
        "memories": lived.memories,
        "duplicates": len(twins),
        "work": dict(sorted(lived.work.items())),
        "errors": lived.errors,
    }


def each_question(lived: Lived) -> list[dict[str, Any]]:
    """Each question with what came of it, for the study of errors."""
    out = []
    for one in lived.answers:
        question = asdict(one.question)
        question["as_of"] = str(one.question.as_of) if one.question.as_of else None
        out.append({**question, "answered": one.answered, "found": one.found, "reply": one.reply, "top": one.top})
    return out
