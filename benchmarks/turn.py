"""What a turn costs beside a bare litellm streaming call to the same local server, in one run.

    python benchmarks/turn.py [--turns 60] [--passages 10000] [--pause SECONDS] [--home DIR] [--json]

Each round makes one run of each case, one after the other, so that whatever else the machine does falls on all alike.
The server is a process of its own and answers at once. A turn is `agent.send`: the journal on the disk, the whole
window, recall, and the tools; what the background does meanwhile, for this agent or another, is in the figures too.
Each agent has one conversation, all of it in view. The figures are milliseconds; `CPU` is what this process spent
meanwhile, on all of its threads. With a pause before each run, as a person makes, caches are cold.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagekeeper.assembly import Agent
from pagekeeper.benchmarks.filling import sentences
from pagekeeper.benchmarks.serving import provider
from pagekeeper.benchmarks.timing import Ratio, Times, report
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.core.edit import Append
from pagekeeper.runtime.models import gateway
from pagekeeper.runtime.models.base import Model
from pagekeeper.runtime.models.litellm_model import LitellmModel
from pagekeeper.runtime.models.scripted import Reply, ScriptedModel, call

NAME = "openai/gpt-4o-mini"
COFFEE = "The user likes coffee."
CALL = "bare litellm call"
PLAIN = "litellm: plain turn"
EDIT = "litellm: turn with a core edit"
WORDS = "Tell me something that I do not know yet, number {number}."
BATCH = 1000
WARM = 5
"""Rounds that are not counted."""


@dataclass(slots=True)
class Talk:
    """An agent that is talked to, and how many turns it has had."""

    agent: Agent
    model: ScriptedModel | None
    turns: int = 0

    async def plain(self) -> None:
        """A turn with one model call."""
        self.turns += 1
        await self._say(WORDS.format(number=self.turns), "ok")

    async def edit(self) -> None:
        """A turn with one edit of core memory, and two model calls."""
        self.turns += 1
        new, old = ("tea", "coffee") if self.turns % 2 else ("coffee", "tea")
        arguments = {"label": "human", "old_content": f"likes {old}", "new_content": f"likes {new}"}
        edit = call("core_memory_replace", **arguments)
        words = WORDS.format(number=self.turns)
        await self._say(f"{words}\nCALL {edit.name} {edit.arguments}", edit, "ok")

    async def _say(self, words: str, *replies: Reply) -> None:
        if self.model is not None:
            self.model.enqueue(*replies)
        ended = await self.agent.send(words)
        assert (ended.reason, ended.text, ended.steps) == ("done", "ok", len(replies)), ended


async def bare(base: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> None:
    """One streaming call as a program makes it with litellm alone."""
    litellm = await gateway.load()
    more: dict[str, Any] = {"tools": tools} if tools else {}
    stream = await litellm.acompletion(
        model=NAME, messages=messages, stream=True, api_base=base, api_key="none", max_retries=0, **more
    )
    async for _ in stream:
        pass


async def fill(agent: Agent, passages: int) -> None:
    """Archive so many passages."""
    sentence = sentences(passages)
    archive, scope = agent.memory.archive, agent.scope
    for first in range(0, passages, BATCH):
        drafts = [Draft(sentence()) for _ in range(min(BATCH, passages - first))]
        prepared = await archive.prepare([draft.text for draft in drafts])
        await archive.journal.write(lambda tx, d=drafts, p=prepared: archive.add(tx, scope, d, p))  # type: ignore[misc]
    await archive.flush()
    await archive.maintain()


@contextlib.asynccontextmanager
async def talking(folder: Path, model: Model) -> AsyncIterator[Talk]:
    """A new agent whose `human` block says what the edits change."""
    async with Agent.open("bench", home=folder, model=model, timezone="UTC") as agent:
        await agent.memory.edit("human", Append(COFFEE))
        yield Talk(agent, model if isinstance(model, ScriptedModel) else None)
    await model.close()


async def measure(folder: Path, base: str, turns: int, passages: int, pause: float) -> tuple[list[Times], list[Ratio]]:
    """Make all rounds."""
    async with contextlib.AsyncExitStack() as stack:

        async def talk(name: str, model: Model) -> Talk:
            return await stack.enter_async_context(talking(folder / name, model))

        def served() -> Model:
            return LitellmModel(NAME, api_base=base, api_key="none")

        real, scripted = await talk("litellm", served()), await talk("scripted", ScriptedModel())
        full, full_scripted = await talk("litellm-full", served()), await talk("scripted-full", ScriptedModel())
        for each in (full, full_scripted):
            await fill(each.agent, passages)
        one = [{"role": "user", "content": WORDS.format(number=0)}]

        async def same() -> None:
            request = real.agent.context.conversation.context.window.request()
            await bare(base, [dict(message) for message in request.messages], [dict(tool) for tool in request.tools])

        async def search() -> None:
            await full.agent.memory.search(WORDS.format(number=full.turns), tables=("passage",))

        with_passages = f"with {passages:,} passages"
        times = await rounds(
            turns,
            pause,
            {
                CALL: lambda: bare(base, one, []),
                "bare litellm call of the agent's own request": same,
                PLAIN: real.plain,
                EDIT: real.edit,
                "scripted: plain turn": scripted.plain,
                "scripted: turn with a core edit": scripted.edit,
                f"archival_search {with_passages}": search,
                f"{PLAIN} {with_passages}": full.plain,
                f"scripted: plain turn {with_passages}": full_scripted.plain,
            },
        )
        await in_a_row(scripted, times)
    by_name = {each.name: each for each in times}
    by_name["scripted: plain turn"].goal, by_name["scripted: turn with a core edit"].goal = 6, 10
    call_alone, found = by_name[CALL].p50, by_name[f"archival_search {with_passages}"].p50
    filled_plain, filled_scripted = (by_name[f"{name} {with_passages}"].p50 for name in (PLAIN, "scripted: plain turn"))
    return times, [
        Ratio(f"{PLAIN} / {CALL}", by_name[PLAIN].p50 / call_alone, 2),
        Ratio(f"{EDIT} / {CALL}", by_name[EDIT].p50 / call_alone, 4),
        Ratio(f"{PLAIN} {with_passages} / (2 calls + search)", filled_plain / (2 * call_alone + found), 1),
        Ratio(f"scripted: {with_passages} / (6 ms + search)", filled_scripted / (6 + found), 1),
    ]


async def rounds(turns: int, pause: float, cases: dict[str, Callable[[], Awaitable[None]]]) -> list[Times]:
    """Time each case once a round."""
    times = {name: (Times(name), Times(f"   CPU: {name}")) for name in cases}
    for number in range(WARM + turns):
        for name, work in cases.items():
            await asyncio.sleep(pause)
            start = time.process_time()
            await times[name][0].run(work)
            times[name][1].all.append((time.process_time() - start) * 1000)
        if number + 1 == WARM:
            for wall, spent in times.values():
                wall.all.clear()
                spent.all.clear()
    return [each for pair in times.values() for each in pair]


async def in_a_row(talk: Talk, times: list[Times]) -> None:
    """Turns without a pause, so that what the background does counts as well."""
    row = Times("scripted: plain turn, one of 200 in a row")
    start = time.process_time()
    for _ in range(200):
        await row.run(talk.plain)
    spent = Times("   CPU: the same, with what the background did")
    spent.all.append((time.process_time() - start) * 1000 / 200)
    times += [row, spent]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=60, help="rounds")
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before each run")
    parser.add_argument("--home", type=Path, help="where to put the homes; a temporary folder otherwise")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.home) as folder, provider() as base:
        times, ratios = asyncio.run(measure(Path(folder), base, given.turns, given.passages, given.pause))
    report(times, ratios, as_json=given.json)


if __name__ == "__main__":
    main()
