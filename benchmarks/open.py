"""What it takes to open an agent with a long past: python benchmarks/open.py [--events 100000] [--runs 20] [--json]

The past is written as events straight away: turns of a question, an edit of core memory and an answer, after which the
window was compacted. The process has imported everything. Closing is part of it; so is, in the second figure, bringing
the window up to date, which an agent does at its first turn.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from pagekeeper.benchmarks.timing import Times, report
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.agents import open_window
from pagekeeper.tests.support.past import EVENTS, begin_at, live

IN_VIEW = 40
"""Turns that the window holds."""


async def measure(home: Path, events: int, runs: int) -> list[Times]:
    async with open_window(home, ScriptedModel("Hello.")) as agent:
        await agent.send("Hi")
        live(agent._journal, agent.scope, events // EVENTS)
        begin_at(agent._journal, agent.scope, IN_VIEW)

    async def opened() -> None:
        async with open_window(home, ScriptedModel()):
            pass

    async def looked() -> None:
        async with open_window(home, ScriptedModel()) as agent:
            await agent.context.overview()

    times = [Times("open an agent", goal=500), Times("open an agent, and its window", goal=500)]
    for _ in range(runs):
        await times[0].run(opened)
        await times[1].run(looked)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        times = asyncio.run(measure(Path(home), chosen.events, chosen.runs))
    report(times, [], as_json=chosen.json)


if __name__ == "__main__":
    main()
