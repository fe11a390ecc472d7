"""`pagekeeper chat`, which is also `pagekeeper` alone: the terminal app."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from .grammar import Commands, Parser, agent_option, conversation_option
from .opening import open_agent, place, suggestion
from .output import complain, note

if TYPE_CHECKING:
    from ..runtime.agent import LiveAgent


def add(commands: Commands) -> None:
    """Add the grammar of this command."""
    chatting = commands.command("chat", "talk to an agent in the terminal (the default)", run=run)
    arguments(chatting)


def arguments(parser: Parser) -> None:
    """The options of a chat, which need no command before them."""
    agent_option(parser)
    conversation_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the app. What is wrong with the home or its settings is said before the screen changes."""
    from ..runtime.errors import UsageError
    from ..runtime.home import prepare

    # The app draws on stderr, so that has to be the terminal too.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError("Chat needs a terminal.", hint="`pagekeeper ask TEXT` does without.")
    where = place(options)
    prepare(where.home)
    if said := suggestion(where.settings):
        note(said)

    @contextlib.asynccontextmanager
    async def opening() -> AsyncIterator[LiveAgent]:
        try:
            async with open_agent(options) as agent:
                yield agent
        except Exception as error:
            failures.append(error)
            raise

    # What the app shows of a failure goes with its screen; it is said once more behind it.
    failures: list[Exception] = []
    from ..tui.app import run as run_app

    status = run_app(opening)
    for error in failures:
        complain(getattr(error, "message", "") or str(error) or type(error).__name__, getattr(error, "hint", ""))
    return status
