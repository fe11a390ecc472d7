"""`pagekeeper memory work`: the memory work that waits, done now."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict

from ..runtime.text import counted
from . import DONE, FAILED
from .grammar import Commands, agent_option, json_option
from .opening import existing_holder
from .output import complain, note, progress, show, show_json

_ABOUT = """\
What was said since the last time goes to the model, which says what of it is worth remembering. That is compared with
what is remembered: the same is not kept twice, more detail takes the place of less, and what contradicts an older
memory ends it. Then what is kept is consolidated: duplicates become one, the block `human` is brought up to date, and
what happened is reflected on, which gives insights and proposes rules. It is done in the background too, after a few
messages, some minutes or a time of quiet; here it is done at once.
"""


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    parser = group.command("work", "do the memory work that waits, now", run=_work)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    agent_option(parser)
    json_option(parser, "say what came of it as JSON")


def _work(options: argparse.Namespace) -> int:
    return asyncio.run(_done(options))


async def _done(options: argparse.Namespace) -> int:
    async with existing_holder(options) as agent:
        with progress() as tell:
            waiting = await agent.memory.waiting()
            tell(counted(waiting.messages, "message"))
            worked = await agent.memory.work(
                progress=lambda done: tell(f"{done.messages:,} of {counted(waiting.messages, 'message')}")
            )
    from ..runtime.sleeptime.telling import report

    if options.json:
        show_json(asdict(worked))
    else:
        show("\n".join(report(worked)))
        for fault in worked.faults:
            note(f"Not used: {fault}.")
    if worked.busy:
        note("Another process is doing this agent's memory work.")
    if worked.error:
        complain(f"It stopped: {worked.error}", "What is left is tried again later; nothing is lost.")
        return FAILED
    return DONE
