"""What memory work in the background costs: model calls and tokens per 100 turns, and what a turn notices of it.

    python benchmarks/memory_work.py [--turns 100] [--pause SECONDS] [--json]

Two agents are told the same diary (tests/diary), turn by turn and by turns: one with memory work, which is due after
every eight messages as it comes, and one without. Both answer with the offline model. Tokens are counted as the window
counts them, since the offline model reports none; a litellm model is asked the very same requests. Without a pause a
turn begins the moment the last one has ended, which is where background work would be in its way the most.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from pagekeeper.assembly import Agent
from pagekeeper.benchmarks.timing import Figure, Ratio, Times, report
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.models.base import Delta, ModelReply, ModelRequest
from pagekeeper.runtime.models.offline import OfflineModel

DIARY = Path(__file__).parents[1] / "tests" / "diary" / "diary.yaml"
WITH, WITHOUT = "turn, with memory work in the background", "turn, without"
NOTICED = 1.1
"""How much longer a turn may take: what these machines differ from run to run."""
WARM = 5
"""Turns that are not counted."""


@dataclass(slots=True)
class Spent:
    """What memory work took."""

    calls: int = 0
    asked: int = 0
    answered: int = 0


class Counted:
    """The offline model, and what it is asked outside of turns. A Model."""

    name = "offline"
    window = OfflineModel.window

    def __init__(self, spent: Spent) -> None:
        self._model = OfflineModel()
        self._spent = spent
        self._counter = TokenCounter()

    @property
    def serves(self) -> Any:
        return self._model.serves

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        async for item in self._model.stream(request):
            if isinstance(item, ModelReply) and request.purpose not in ("turn", "summary"):
                self._spent.calls += 1
                self._spent.asked += sum(self._counter.count(message["content"]) for message in request.messages)
                self._spent.answered += self._counter.count(item.text)
            yield item

    async def close(self) -> None:
        await self._model.close()


async def measure(turns: int, pause: float) -> tuple[list[Times], list[Ratio], list[Figure]]:
    """Tell both agents the first `turns` turns of the diary, again and again where it has fewer."""
    days = yaml.safe_load(DIARY.read_text("utf-8"))["days"]
    said = [turn["says"] for day in days for turn in day["turns"]]
    spent = Spent()
    with_work, without = Times(WITH), Times(WITHOUT)
    async with contextlib.AsyncExitStack() as stack:
        agents: list[tuple[Times, Agent]] = []
        for times, enabled in ((with_work, True), (without, False)):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            opening = Agent.open(
                "ada",
                home=folder,
                model=Counted(spent if enabled else Spent()),
                settings={"sleeptime_enabled": enabled},
            )
            agents.append((times, await stack.enter_async_context(opening)))
        for number in range(WARM + turns):
            words = said[number % len(said)]
            for times, agent in agents if number % 2 else reversed(agents):
                await (times if number >= WARM else Times("")).run(partial(agent.send, words))
            await asyncio.sleep(pause)
        await agents[0][1].memory.work()
    per_100 = 100 / (WARM + turns)
    figures = [
        Figure("model calls of memory work per 100 turns", spent.calls * per_100, "calls"),
        Figure("tokens that it asks with, per 100 turns", spent.asked * per_100, "tokens"),
        Figure("tokens of its answers, per 100 turns", spent.answered * per_100, "tokens"),
    ]
    ratio = Ratio("a turn with it, to one without", with_work.p50 / without.p50, NOTICED)
    return [with_work, without], [ratio], figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two turns (default: none)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    times, ratios, figures = asyncio.run(measure(options.turns, options.pause))
    report(times, ratios, figures, as_json=options.json)


if __name__ == "__main__":
    main()
