"""Killing a process in the middle of its work with `kill -9`, and looking at what it leaves.

The process is tests/support/child.py, which does WORK in a small window, so that all there is happens in it: edits,
calls outside, parallel calls, compactions, inputs that wait. It dies at a failpoint (runtime/failpoint.py), which it
reaches by itself, or when its parent has read so many lines of it. `examine` then takes the home up as the next
process would.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.context.parts import text_part
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.stream import TurnEnded
from pagekeeper.runtime.turn import readable
from pagekeeper.tests.support.agents import assert_paired
from pagekeeper.tests.support.checks import assert_settled, assert_whole
from pagekeeper.tests.support.child import Acting, said, tools
from pagekeeper.tests.support.children import Child

WINDOW = 8_000

_PASSAGES = select(tables.passages.c.id).where(tables.passages.c.to_seq.is_(None))
_PASSAGE = re.compile(r"p-[0-9a-z]{16}")

ARCHIVED = "Ada sails on Sundays."
_LONG = "The harbour of the old town was full of boats that day, and nobody knew why. " * 75


def _note(label: str, content: str) -> dict[str, Any]:
    return {"core_memory_append": {"label": label, "content": content}}


WORK: list[dict[str, Any]] = [
    {
        "say": said(
            ["I note it. ", _note("human", "Name: Ada"), {"act": {"what": "first"}}, {"put": {"what": "second"}}],
            [{"look": {"what": "a"}}, {"look": {"what": "b"}}],
            [{"archival_insert": {"content": ARCHIVED}}, {"nonsense": {}}, _note("nowhere", "x")],
            ["All ", "is ", "done."],
        )
    },
    {"wait": True},
    *[{"say": f"{number}. {_LONG}"} for number in range(5)],
    {"wait": True},
    {"say": said([_note("persona", "Calm."), {"act": {"what": "third"}}, {"put": {"what": "fourth"}}], "Done.")},
    {"say": "One more."},
]
"""The commands that the process gets; the last two turns run one after the other, the second one waiting."""


@dataclass(frozen=True)
class Death:
    """How the process is to die: at a failpoint (`name@n`), or after its parent has read so many lines."""

    failpoint: str | None = None
    lines: int | None = None

    def __str__(self) -> str:
        return self.failpoint if self.failpoint is not None else f"after {self.lines} lines"


def rehearse(home: Path) -> tuple[list[str], int]:
    """Let the process live: the failpoints that it reaches, each as `name@n`, and how many lines it writes."""
    with Child(home, window=WINDOW, environment={"PAGEKEEPER_FAILPOINT": "record"}) as child:
        for command in WORK:
            child.tell(**command)
        assert child.end() == 0
    counts: dict[str, int] = {}
    reached = []
    for line in child.seen:
        if name := line.get("failpoint"):
            counts[name] = counts.get(name, 0) + 1
            reached.append(f"{name}@{counts[name]}")
    return reached, len(child.seen) - len(reached)


def die(home: Path, death: Death) -> Child:
    """Run the process until it dies; what it wrote by then is in `seen`."""
    environment = {"PAGEKEEPER_FAILPOINT": death.failpoint} if death.failpoint else {}
    with Child(home, window=WINDOW, environment=environment) as child:
        for command in WORK:
            child.tell(**command)
        child.close()
        for _line in child.lines():
            if len(child.seen) == death.lines:
                child.kill()
        assert child.end() == -9, "it lived"
    return child


async def examine(home: Path, *dead: Child) -> None:
    """Take up the home that dead processes left, and see that all is there, and nothing is there twice."""
    seen, effects = [line for child in dead for line in child.seen], dead[0].effects
    model = Acting(WINDOW)
    opening = Agent.open("ada", home=home, model=model, tools=tools(effects), timezone="UTC")
    async with opening as agent:
        journal = agent._journal
        open_turns = await journal.read(_open_turns)
        await journal.read(lambda connection: assert_acknowledged(connection, seen))
        ended = [event async for event in agent.resume() if isinstance(event, TurnEnded)]
        assert {event.reason for event in ended} <= {"done"}
        assert (await agent.send("Are you there?")).text.startswith("You said: ")
        await journal.read(lambda connection: assert_acknowledged(connection, seen))
        await journal.read(assert_settled)
        await journal.read(assert_whole)
        reasons = await journal.read(_reasons)
        assert {reasons[turn] for turn in open_turns} <= {"interrupted"}
        assert set(reasons.values()) <= {"done", "interrupted"}
        assert_paired(model.requests)
        passages = archived(seen)
        assert passages <= await journal.read(lambda connection: set(connection.execute(_PASSAGES).scalars()))
        found = [hit.text for hit in await agent.memory.search("Who sails on Sundays?")]
        assert ARCHIVED in found or not passages, "a passage is not found"
        log = await agent.history()
        assert sum(message.text == "Are you there?" for message in log) == 1
    assert_once(effects, {message.call_id: message.text for message in log if message.call_id is not None})


def archived(lines: list[dict[str, Any]]) -> set[str]:
    """The passages that the process said were archived."""
    inserted = [line for line in lines if line.get("event") == "CallFinished" and line["name"] == "archival_insert"]
    return {passage for line in inserted for passage in _PASSAGE.findall(line["result"])}


def assert_acknowledged(connection: Connection, lines: list[dict[str, Any]]) -> None:
    """All that the process said had happened is in the journal."""
    turns, messages, blocks, epochs = tables.turns, tables.messages, tables.blocks, tables.epochs
    reasons = _reasons(connection)
    rows = connection.execute(select(messages).where(messages.c.to_seq.is_(None))).all()
    results = {row.call_id: readable([part for part in row.parts if part["type"] != "note"]) for row in rows}
    versions = set(connection.execute(select(blocks.c.label, blocks.c.revision, blocks.c.value)).all())
    numbers = set(connection.execute(select(epochs.c.number)).scalars())
    inputs = {row.id: row.input for row in connection.execute(select(turns.c.id, turns.c.input))}
    for line in lines:
        match line.get("event"):
            case "TurnStarted":
                assert inputs[line["turn"]] == line["input"]
                assert [row for row in rows if row.turn == line["turn"] and text_part(line["text"]) in row.parts]
            case "CallFinished":
                assert results[line["call_id"]] == line["result"]
            case "BlockChanged":
                assert (line["label"], line["revision"], line["value"]) in versions
            case "EpochStarted":
                assert line["number"] in numbers
            case "TurnEnded":
                assert reasons[line["turn"]] == line["reason"]
                said_by = [row for row in rows if row.turn == line["turn"] and row.role == "assistant"]
                assert said_by[-1].text == line["text"]


def assert_once(effects: Path, results: dict[str, str]) -> None:
    """No effect outside happened twice, or for a call that the log says did not run."""
    acted = _lines(effects / "acted")
    assert len(acted) == len(set(acted)), "an effect happened twice"
    put = {path.name.removeprefix("put-") for path in effects.glob("put-*")}
    for call in [*acted, *put]:
        assert "not run" not in results[call]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _open_turns(connection: Connection) -> list[str]:
    turns = tables.turns
    return list(connection.execute(select(turns.c.id).where(turns.c.ended_seq.is_(None))).scalars())


def _reasons(connection: Connection) -> dict[str, str | None]:
    rows = connection.execute(select(tables.turns.c.id, tables.turns.c.reason)).all()
    return {row.id: row.reason for row in rows}
