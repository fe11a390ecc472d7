"""From the options of a command to what it works on: the settings, the home, its journal."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..runtime.config import Settings, load
from ..runtime.home import JOURNAL, prepare, resolve
from ..runtime.scope import DEFAULT_AGENT, DEFAULT_CONVERSATION, DEFAULT_USER

if TYPE_CHECKING:
    from ..assembly import Agent, Home
    from ..runtime.journal.journal import Journal
    from ..runtime.memory import AgentMemory
    from ..runtime.scope import Scope


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command works, and with which settings."""

    home: Path
    settings: Settings

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return self.settings.user or DEFAULT_USER


def place(options: argparse.Namespace) -> Place:
    """The home that the options name, and the settings in force there. Nothing is made."""
    home = resolve(getattr(options, "home", None))
    given = {name: getattr(options, name, None) for name in ("model", "user")}
    return Place(home, load(home, options=given))


def is_missing(home: Path) -> bool:
    """Whether there is no home yet: no folder, or an empty one."""
    try:
        return not any(home.iterdir())
    except FileNotFoundError:
        return True
    except OSError:
        return False  # what it is instead is said when it is opened


def check_there(home: Path) -> None:
    """Nothing is made of a home that is not there where it is asked for what stands in it. Raises NotFound."""
    from ..runtime.errors import NotFound

    if is_missing(home):
        hint = "--home names another; `pagekeeper ask TEXT` makes one."
        raise NotFound(f"There is no home {home} yet.", hint=hint)


@contextlib.contextmanager
def journal_of(where: Place, *, reading: bool = False) -> Iterator[Journal]:
    """The journal of a home, which is made if there is none. Commands that read and edit need nothing more.

    Those that are only `reading` get it of a home that cannot be written, too; and where there is none, it is not made:
    NotFound is raised.
    """
    from ..runtime.clock import SystemClock
    from ..runtime.errors import HomeReadOnly
    from ..runtime.ids import RandomIds
    from ..runtime.journal.journal import Journal

    clock, ids = SystemClock(), RandomIds()
    if reading:
        check_there(where.home)
    try:
        journal = Journal.open(prepare(where.home), clock=clock, ids=ids)
    except HomeReadOnly:
        if not (reading and (where.home / JOURNAL).is_file()):
            raise
        journal = Journal.look(where.home, clock=clock, ids=ids)
    try:
        yield journal
    finally:
        journal.close()


@contextlib.contextmanager
def memory_of(options: argparse.Namespace) -> Iterator[tuple[Journal, Scope]]:
    """The journal, and whose memory the options name, for commands that read it without opening an agent.

    So they work in a home that cannot be written. Raises NotFound.
    """
    from ..runtime.chosen import zone_of
    from ..runtime.directory import find_agent
    from ..runtime.scope import Scope
    from ..runtime.text import check_name

    where = place(options)
    user, zone = check_name(where.user, "A user's name"), zone_of(where.settings)
    with journal_of(where, reading=True) as journal:
        agent = journal.read_now(partial(find_agent, name=getattr(options, "agent", DEFAULT_AGENT)))
        yield journal, Scope(agent.id, agent.name, user, "", "", zone)


@contextlib.asynccontextmanager
async def opened_home(where: Place) -> AsyncIterator[Home]:
    """A home with its journal and locks, made if there is none."""
    from ..assembly import Home

    home = Home.open(where.home)
    try:
        yield home
    finally:
        await home.close()


class Holder(Protocol):
    """An agent, or the app of a program: it has a memory."""

    @property
    def scope(self) -> Scope: ...
    @property
    def memory(self) -> AgentMemory: ...


@dataclass(frozen=True, slots=True)
class App:
    """An app, which has nothing else."""

    memory: AgentMemory

    @property
    def scope(self) -> Scope:
        return self.memory.scope


@contextlib.asynccontextmanager
async def existing_holder(options: argparse.Namespace) -> AsyncIterator[Holder]:
    """The agent or the app that the options name, which must be there already. Raises NotFound."""
    from ..assembly import Agent, Memory
    from ..runtime.directory import find_agent

    where = place(options)
    check_there(where.home)
    user, model = where.user, where.settings.model
    async with opened_home(where) as home:
        found = await home.journal.read(partial(find_agent, name=getattr(options, "agent", DEFAULT_AGENT)))
        if found.kind == "app":
            async with Memory.open(app=found.name, home=home, user=user, model=model) as app:
                yield App(app.kept)
        else:
            async with Agent.open(found.name, home=home, user=user, model=model) as agent:
                yield agent


@contextlib.asynccontextmanager
async def open_agent(options: argparse.Namespace) -> AsyncIterator[Agent]:
    """The agent and conversation that the options name; they are made if there are none.

    What an agent needs is imported in a thread, since that takes a second: the app stays alive meanwhile.
    """
    assembly = await asyncio.to_thread(import_module, "..assembly", __package__)
    agent, conversation = getattr(options, "agent", None), getattr(options, "conversation", None)
    opening = assembly.Agent.open(
        DEFAULT_AGENT if agent is None else agent,
        conversation=DEFAULT_CONVERSATION if conversation is None else conversation,
        home=getattr(options, "home", None),
        model=getattr(options, "model", None),
        user=getattr(options, "user", None),
    )
    async with opening as opened:
        yield opened


def suggestion(settings: Settings, environment: Mapping[str, str] | None = None) -> str | None:
    """Words for a user who has a provider's key and no model configured."""
    from ..runtime.models.known import suggested_model

    model = suggested_model(os.environ if environment is None else environment)
    if settings.model is not None or model is None:
        return None
    return f"A provider's key is set, and no model: `pagekeeper --model {model}` uses it."
