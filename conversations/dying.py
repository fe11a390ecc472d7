"""A process that plays one step of a conversation and is killed in it; `Stage.die` starts it, and says all it needs."""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from ..runtime.clock import ManualClock
from ..runtime.ids import CountingIds
from ..runtime.stream import ApprovalNeeded, CallFinished
from .answering import Answering
from .meanwhile import Decisions
from .stage import Stage, Where


async def die(told: dict[str, Any]) -> None:
    """Play the step. It returns only if the failpoint is not reached."""
    stage = Stage(told["setup"], Path(told["home"]), Answering.from_data(told["how"]))
    stage.clock = ManualClock(datetime.fromisoformat(told["clock"]))
    stage.ids = CountingIds(told["ids"])
    stage.now = Where(**told["now"])
    stage.model.results, stage.model.known = told["results"], told["known"]
    step = told["step"]
    decisions = Decisions(step.get("approve"))
    async with stage:
        stage.model.begin(step.get("does"), step.get("summaries", ()))
        if "work" in step:
            await stage.agent.memory.work()
            return
        async for event in stage.events(step["say"]):
            if isinstance(event, CallFinished):
                stage.model.results.append(event.result)
            if isinstance(event, ApprovalNeeded):
                stage.agent.approve(event.call_id, decisions.next(event))


if __name__ == "__main__":
    asyncio.run(die(json.load(sys.stdin)))
