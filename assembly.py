"""The one place where an agent is put together from its parts."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from .prompts import load as prompt
from .runtime.agent import LiveAgent
from .runtime.app.memory import LiveMemory
from .runtime.approvals import Approvals
from .runtime.archive.embedders.base import Embedder
from .runtime.calls import Caller
from .runtime.chosen import make_model, policy_of, work_settings, zone_of
from .runtime.clock import Clock
from .runtime.config import Settings, load
from .runtime.context.limits import plan_limits
from .runtime.context.main import MainContext
from .runtime.context.tokens import TokenCounter
from .runtime.context.window import Setting, Window
from .runtime.conversation import Conversation
from .runtime.core.blocks import Block, BlockSpec, visible_blocks
from .runtime.core.memory import CoreMemory
from .runtime.enter import enter
from .runtime.given import check_given, check_part
from .runtime.ids import Ids
from .runtime.loop import Loop
from .runtime.memory import AgentMemory
from .runtime.models.base import Model
from .runtime.models.well_formed import WellFormed
from .runtime.open_home import Home as Home
from .runtime.recall.before_turn import before_turn
from .runtime.scope import DEFAULT_AGENT, DEFAULT_CONVERSATION, DEFAULT_USER
from .runtime.sleeptime.work import MemoryWork
from .runtime.text import check_name
from .runtime.tool import Tool
from .runtime.toolbox import Toolbox
from .tools.aliases import rename
from .tools.archival import ARCHIVAL_TOOLS
from .tools.conversation import CONVERSATION_TOOLS
from .tools.core_memory import CORE_MEMORY_TOOLS
from .tools.forget import FORGET_TOOLS

MEMORY_TOOLS = (*CORE_MEMORY_TOOLS, *ARCHIVAL_TOOLS, *CONVERSATION_TOOLS, *FORGET_TOOLS)
"""The tools that every agent has."""

DEFAULT_STEP_CAP = 30
"""Model calls in one turn."""


class Agent(LiveAgent):
    """An agent that keeps its own memory. `Agent.open` gives one.

    Say something with `stream` or `send`; `cancel`, `approve`, `unanswered` and `resume` go with turns. What it
    remembers is in `agent.memory` (blocks, archive, forgetting; help(type(agent.memory))), what the model sees in
    `agent.context` (`overview()`, `resident()`), what was said in `agent.history()`, what it cost in `agent.usage`.
    """

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        name: str = DEFAULT_AGENT,
        *,
        home: Home | str | os.PathLike[str] | None = None,
        model: Model | str | None = None,
        tools: Sequence[Tool] = (),
        instructions: str = "",
        blocks: Sequence[BlockSpec] = (),
        user: str | None = None,
        conversation: str = DEFAULT_CONVERSATION,
        clock: Clock | None = None,
        ids: Ids | None = None,
        embedder: Embedder | None = None,
        timezone: str | ZoneInfo | None = None,
        core_budget: int | None = None,
        step_cap: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Agent]:
        """Open the agent `name`, making it where there is none.

        `home` is a folder, or a Home that several agents share. `model` is a Model, `offline`, or any litellm name.
        `blocks` are made where the agent lacks them; those that exist stay as they are. What is not given comes from
        the home's config.toml and the environment. Raises a ConfigError, UsageError or HomeError, and then nothing is
        open.
        """
        check_given(
            name=name,
            conversation=conversation,
            user=user,
            instructions=instructions,
            tools=tools,
            blocks=blocks,
            settings=settings,
        )
        options = {"core_budget": core_budget, "step_cap": step_cap, "user": user, **(settings or {})}
        options |= _zone_option(timezone)
        async with _opened(home, model, options, embedder=embedder, clock=clock, ids=ids) as opened:
            agent = await _assemble(cls, *opened, name, conversation, tools, instructions, blocks)
            try:
                yield agent
            finally:
                await agent.close()


class Memory(LiveMemory):
    """Memory without an agent: what one app remembers of one user, for any program. `Memory.open` gives one.

    `add`, `search`, `get`, `list`, `update`, `delete`, `delete_all`, `restore`, `erase`, `history`, `sweep` and `work`
    are all there is. It goes through the same journal and the same archive as what agents remember, and is shown to
    none of them.
    """

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        *,
        app: str,
        user: str | None = None,
        home: Home | str | os.PathLike[str] | None = None,
        model: Model | str | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        embedder: Embedder | None = None,
        timezone: str | ZoneInfo | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Memory]:
        """Open what `app` remembers of `user`, who is the settings' unless given; nothing need be there before.

        `home` is a folder, or a Home that is open already, for a program that serves many users. `model` is who reads
        what is added with `infer`; as for agents, it is the settings' unless given. Raises a ConfigError, UsageError or
        HomeError, and then nothing is open.
        """
        check_given(name=app, kind="app", user=user, settings=settings)
        options = {"user": user, **_zone_option(timezone), **(settings or {})}
        async with _opened(home, model, options, embedder=embedder, clock=clock, ids=ids) as (place, chosen, reader):
            zone = zone_of(chosen)
            scope = await enter(place.journal, app, _user_of(chosen), DEFAULT_CONVERSATION, zone, (), kind="app")
            archive = await place.archive(chosen)
            work = MemoryWork(scope, place.journal, archive, reader, place.locks, work_settings(chosen), _at_once)
            # Without an agent there is no window, and so no block that would have to fit into one.
            core = CoreMemory(scope, 0, TokenCounter())
            yield cls(AgentMemory(scope, place.journal, core, archive, place.locks, policy_of(chosen), work))


@contextlib.asynccontextmanager
async def _opened(
    home: Home | str | os.PathLike[str] | None,
    model: Model | str | None,
    options: dict[str, Any],
    *,
    embedder: Embedder | None,
    clock: Clock | None,
    ids: Ids | None,
) -> AsyncIterator[tuple[Home, Settings, Model]]:
    """The home, the settings and the model that were given or set; what was made here is closed at the end."""
    if not isinstance(model, str):
        check_part("model", model, "a model's name or ")
    place = home if isinstance(home, Home) else Home.open(home, embedder=embedder, clock=clock, ids=ids)
    made: Model | None = None
    try:
        if isinstance(model, str):
            options = {**options, "model": model}
        settings = load(place.path, options=options)
        if model is None or isinstance(model, str):
            made = model = make_model(settings)
        yield place, settings, model
    finally:
        if made is not None:
            await made.close()
        if place is not home:
            await place.close()


def _user_of(settings: Settings) -> str:
    return check_name(DEFAULT_USER if settings.user is None else settings.user, "A user's name")


async def _at_once() -> None:
    """An app has no turns that its memory work would have to wait for."""


def _zone_option(timezone: str | ZoneInfo | None) -> dict[str, str]:
    return {} if timezone is None else {"timezone": timezone.key if isinstance(timezone, ZoneInfo) else timezone}


async def _assemble(
    cls: type[Agent],
    home: Home,
    settings: Settings,
    model: Model,
    name: str,
    conversation: str,
    tools: Sequence[Tool],
    instructions: str,
    blocks: Sequence[BlockSpec],
) -> Agent:
    journal = home.journal
    zone = zone_of(settings)
    user = _user_of(settings)
    toolbox = Toolbox([*MEMORY_TOOLS, *tools], rename)
    scope = await enter(journal, name, user, conversation, zone, blocks)
    archive = await home.archive(settings)
    counter = TokenCounter()
    setting = Setting(model.name, _system_text(instructions), toolbox.schemas)
    core = CoreMemory(scope, 0, counter)
    pinned = await journal.read(lambda connection: _pinned(visible_blocks(connection, scope.agent, scope.user), core))
    size = sum(setting.sizes(counter))
    window = settings.window
    if window is None:
        # A litellm model may have to look its window up.
        window = await asyncio.to_thread(lambda: model.window)
    limits = plan_limits(window, size, pinned, settings.core_budget)
    core.budget = limits.core
    context = MainContext(Window(scope, setting, limits, core, counter))
    approvals = Approvals()
    caller = Caller(toolbox, core, archive, approvals.wait)
    step_cap = settings.step_cap or DEFAULT_STEP_CAP
    loop = Loop(journal, context, WellFormed(model), caller, owner=home.owner, step_cap=step_cap)

    def ended() -> None:
        archive.touch()
        work.touch()

    thread = Conversation(
        scope,
        journal,
        home.locks,
        context,
        caller,
        loop,
        owner=home.owner,
        recall=before_turn(archive, limits.recall if settings.recall_budget is None else settings.recall_budget),
        after_turn=ended,
    )
    chosen, edit = work_settings(settings), core.edit_from_outside
    work = MemoryWork(scope, journal, archive, model, home.locks, chosen, thread.quiet, edit)
    if home.background and settings.sleeptime_enabled is not False:
        work.start()
    memory = AgentMemory(scope, journal, core, archive, home.locks, policy_of(settings), work)
    return cls(scope, journal, home.locks, thread, memory, approvals, model.name)


def _pinned(blocks: list[Block], core: CoreMemory) -> int:
    return sum(core.size(block) for block in blocks if block.pinned)


def _system_text(instructions: str) -> str:
    text = prompt("system")
    return f"{text}\n\n# Instructions\n{instructions}" if instructions.strip() else text
