"""`pagekeeper ask` and `pagekeeper resume`: turns without the terminal app."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from . import DONE, FAILED
from .grammar import Commands, agent_option, conversation_option, json_option
from .opening import check_there, open_agent, place, suggestion
from .output import complain, note, progress

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ..runtime.locks import Locks
    from ..runtime.recovery import LeftInput
    from ..runtime.stream import StreamEvent
    from .telling import JsonTeller, Teller


def add(commands: Commands) -> None:
    """Add the grammar of these commands."""
    asking = commands.command("ask", "say something, and print the reply as it comes", run=_ask)
    agent_option(asking)
    conversation_option(asking)
    json_option(asking, "print the turn's events as JSON lines")
    asking.add_argument("text", metavar="TEXT", help="what to say, or - to read it from standard input")

    resuming = commands.command("resume", "answer what a process that died left unanswered", run=_resume)
    resuming.add_argument("--agent", metavar="NAME", help="only this agent's conversations")
    resuming.add_argument("--retry", action="store_true", help="also run again what it had begun to answer")
    json_option(resuming, "print the turns' events as JSON lines")


def _ask(options: argparse.Namespace) -> int:
    from ..runtime.text import check_said

    # Before anything is opened: what is refused makes no home and no agent.
    text = check_said(_standard_input() if options.text == "-" else options.text)
    if said := suggestion(place(options).settings):
        note(said)
    return asyncio.run(_answer(options, text))


async def _answer(options: argparse.Namespace, text: str) -> int:
    async with open_agent(options) as agent:
        status = await _tell(_teller(options), agent.stream(text))
        # A process of one turn has no quiet time for it; whoever does not want to wait may break it off.
        with progress() as tell:
            tell("keeping what was said (Ctrl+C leaves it for later)")
            await agent.memory.sleeptime.run_if_due()
        return status


async def _tell(teller: Teller | JsonTeller, events: AsyncIterator[StreamEvent]) -> int:
    """Tell the events of one or more turns; the status is DONE where all of them came to their end."""
    from ..runtime.stream import TurnEnded

    status = DONE
    async with aclosing(events) as stream:  # type: ignore[type-var]
        async for event in stream:
            teller.tell(event)
            if isinstance(event, TurnEnded) and event.reason != "done":
                status = FAILED
    return status


def _teller(options: argparse.Namespace, *, quoting: bool = False) -> Teller | JsonTeller:
    from .telling import JsonTeller, Teller

    return JsonTeller() if options.json else Teller(quoting=quoting)


def _resume(options: argparse.Namespace) -> int:
    return asyncio.run(_resume_all(options))


async def _resume_all(options: argparse.Namespace) -> int:
    from ..assembly import Agent, Home

    where = place(options)
    check_there(where.home)
    home = Home.open(where.home)
    status = DONE
    try:
        threads = await home.journal.read(lambda connection: _unanswered(connection, home.locks, options.agent))
        for (agent_name, user, conversation), left in threads.items():
            for one in left:
                if one.interrupted is not None and not options.retry:
                    complain(
                        f"{agent_name}/{conversation}: a turn was interrupted, which answered {one.text[:80]!r}.",
                        "`pagekeeper resume --retry` runs it again.",
                    )
                    status = FAILED
            model = getattr(options, "model", None)
            opening = Agent.open(agent_name, home=home, user=user, conversation=conversation, model=model)
            async with opening as agent:
                status = max(status, await _tell(_teller(options, quoting=True), agent.resume(options.retry)))
    finally:
        await home.close()
    if not threads:
        note("Nothing is unanswered.")
    return status


def _unanswered(connection: Connection, locks: Locks, agent: str | None) -> dict[tuple[str, str, str], list[LeftInput]]:
    """What was left unanswered, by agent, user and conversation (names), oldest first."""
    from ..runtime.directory import conversation_name, find_agent, list_agents
    from ..runtime.recovery import left_inputs

    entries = list_agents(connection) if agent is None else [find_agent(connection, agent)]
    threads: dict[tuple[str, str, str], list[LeftInput]] = {}
    for entry in entries:
        for left in left_inputs(connection, locks, entry.id):
            key = (entry.name, left.user, conversation_name(connection, left.conversation))
            threads.setdefault(key, []).append(left)
    return threads


def _standard_input() -> str:
    """What is to be said, from standard input, without the line break at its end."""
    from ..runtime.errors import InvalidText

    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidText(f"Standard input is not UTF-8 (byte {error.start}).", hint="Convert it first.") from None
