"""The one place where an agent is put together from its parts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from filelock import FileLock
from sqlalchemy import select

from .prompts import load as prompt
from .runtime import config
from .runtime import home as homes
from .runtime.agent import LiveAgent
from .runtime.approvals import Approvals
from .runtime.calls import Caller
from .runtime.clock import Clock, SystemClock
from .runtime.context.limits import plan_limits
from .runtime.context.main import MainContext
from .runtime.context.tokens import TokenCounter
from .runtime.context.window import Setting, Window
from .runtime.conversation import Conversation
from .runtime.core.blocks import Block, BlockSpec, find_block, visible_blocks
from .runtime.core.edit import Author, Create, apply_edit
from .runtime.core.memory import CoreMemory
from .runtime.directory import create_agent
from .runtime.host_tool import check_tool
from .runtime.ids import Ids, RandomIds
from .runtime.journal import tables
from .runtime.journal.journal import Journal, Transaction
from .runtime.locks import Locks
from .runtime.loop import Loop
from .runtime.memory import Memory
from .runtime.models.base import Model
from .runtime.models.well_formed import WellFormed
from .runtime.scope import Scope
from .runtime.text import check_name, check_text
from .runtime.tool import Tool
from .runtime.toolbox import Toolbox
from .tools.aliases import rename
from .tools.core_memory import CORE_MEMORY_TOOLS

DEFAULT_STEP_CAP = 30
"""Model calls in one turn."""
DEFAULT_AGENT = "main"
DEFAULT_CONVERSATION = "main"
DEFAULT_USER = "user"
MOST_INSTRUCTIONS = 100_000


@dataclass(slots=True)
class Home:
    """An open home: what all of its agents share in this process."""

    path: Path
    journal: Journal
    locks: Locks
    owner: str
    clock: Clock
    ids: Ids
    _alive: FileLock

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | None = None, *, clock: Clock | None = None, ids: Ids | None = None
    ) -> Home:
        """Open a home, making it where there is none. Raises HomeError."""
        folder = homes.prepare(homes.resolve(path))
        clock, ids = clock or SystemClock(), ids or RandomIds()
        with homes.errors_of(folder):
            locks = Locks(folder)
            # An owner's name must be new even where ids are counted from 1 in each process.
            owner = RandomIds().new("owner")
            alive = locks.own(owner)
        try:
            journal = Journal.open(folder, clock=clock, ids=ids)
        except BaseException:
            locks.disown(owner, alive)
            raise
        return cls(folder, journal, locks, owner, clock, ids, alive)

    async def close(self) -> None:
        """Close what is open. What was queued and not answered may be taken over from now on."""
        self.journal.close()
        self.locks.disown(self.owner, self._alive)


class Agent(LiveAgent):
    """An agent that keeps its own memory."""

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
        shared = isinstance(home, Home)
        place = home if isinstance(home, Home) else Home.open(home, clock=clock, ids=ids)
        made: Model | None = None
        try:
            options = {"core_budget": core_budget, "step_cap": step_cap, "user": user, **(settings or {})}
            if timezone is not None:
                options["timezone"] = timezone.key if isinstance(timezone, ZoneInfo) else timezone
            if isinstance(model, str):
                options["model"] = model
            chosen = config.load(place.path, options=options)
            if model is None or isinstance(model, str):
                made = model = make_model(chosen)
            agent = await _assemble(cls, place, chosen, model, name, conversation, tools, instructions, blocks)
            try:
                yield agent
            finally:
                await agent.close()
        finally:
            if made is not None:
                await made.close()
            if not shared:
                await place.close()


def make_model(settings: config.Settings) -> Model:
    """The model that the settings name. It is not asked for anything yet, so a wrong name shows at the first turn."""
    from .runtime.models.litellm_model import LitellmModel
    from .runtime.models.prompted import PromptedModel
    from .runtime.models.scripted import ScriptedModel

    if settings.model is None:
        return ScriptedModel()
    timeouts = {"first_token_timeout": settings.timeouts_first_token, "token_timeout": settings.timeouts_between_tokens}
    given: dict[str, Any] = {name: value for name, value in timeouts.items() if value is not None}
    model = LitellmModel(settings.model, window=settings.window, api_base=settings.api_base, **given)
    return PromptedModel(model) if settings.tool_calls == "prompted" else model


async def _assemble(
    cls: type[Agent],
    home: Home,
    settings: config.Settings,
    model: Model,
    name: str,
    conversation: str,
    tools: Sequence[Tool],
    instructions: str,
    blocks: Sequence[BlockSpec],
) -> Agent:
    journal = home.journal
    zone = ZoneInfo(settings.timezone or _local_zone())
    user = check_name(settings.user or DEFAULT_USER, "A user's name")
    scope = await _enter(journal, name, user, conversation, zone, blocks)
    toolbox = Toolbox([*CORE_MEMORY_TOOLS, *(check_tool(tool) for tool in tools)], rename)
    counter = TokenCounter()
    setting = Setting(model.name, _system_text(instructions), toolbox.schemas)
    core = CoreMemory(scope, 0, counter)
    pinned = await journal.read(lambda connection: _pinned(visible_blocks(connection, scope.agent, scope.user), core))
    size = counter.count(setting.system) + sum(counter.count(str(schema)) for schema in toolbox.schemas)
    limits = plan_limits(settings.window or model.window, size, pinned, settings.core_budget)
    core.budget = limits.core
    context = MainContext(Window(scope, setting, limits, core, counter))
    approvals = Approvals()
    caller = Caller(toolbox, core, None, approvals.wait)
    step_cap = settings.step_cap or DEFAULT_STEP_CAP
    loop = Loop(journal, context, WellFormed(model), caller, owner=home.owner, step_cap=step_cap)
    thread = Conversation(scope, journal, home.locks, context, caller, loop, owner=home.owner)
    return cls(scope, journal, home.locks, thread, Memory(scope, journal, core), approvals, model.name)


def _pinned(blocks: list[Block], core: CoreMemory) -> int:
    return sum(core.size(block) for block in blocks if block.pinned)


def _system_text(instructions: str) -> str:
    check_text(instructions, "The instructions", most=MOST_INSTRUCTIONS)
    text = prompt("system")
    return f"{text}\n\n# Instructions\n{instructions}" if instructions.strip() else text


def _local_zone() -> str:
    """The machine's time zone by name, or UTC where it has none."""
    name = os.environ.get("TZ", "").lstrip(":")
    if not name and os.path.islink("/etc/localtime"):
        name = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (ValueError, OSError):
        return "UTC"


DEFAULT_BLOCKS = (
    BlockSpec("persona", prompt("persona"), "Who you are and how you speak.", pinned=True),
    BlockSpec("human", prompt("human"), "What you know about the user.", pinned=True, per_user=True),
)


async def _enter(
    journal: Journal, name: str, user: str, conversation: str, zone: ZoneInfo, specs: Sequence[BlockSpec]
) -> Scope:
    """Find the agent and the conversation, and make what is missing of them and of their blocks."""
    name = check_name(name, "An agent's name")
    conversation = check_name(conversation, "A conversation's name")
    named = {spec.label for spec in specs}
    wanted = [*(spec for spec in DEFAULT_BLOCKS if spec.label not in named), *specs]

    def work(transaction: Transaction) -> Scope:
        agents = tables.agents
        query = select(agents.c.id).where(agents.c.name == name, agents.c.deleted_at.is_(None))
        agent = transaction.connection.execute(query).scalar() or create_agent(transaction, name)
        thread = _conversation(transaction, agent, user, conversation)
        author = Author("system")
        for spec in wanted:
            if find_block(transaction.connection, agent, user, spec.label) is None and _never(
                transaction, agent, user, spec.label
            ):
                make = Create(spec.description, spec.value, spec.limit, spec.read_only, spec.pinned, spec.per_user)
                apply_edit(transaction, agent, user, spec.label, make, author)
        return Scope(agent, name, user, thread, conversation, zone)

    return await journal.write(work)


def _never(transaction: Transaction, agent: str, user: str, label: str) -> bool:
    """Whether there never was such a block: one that was deleted is not made again."""
    blocks = tables.blocks
    query = select(blocks.c.row).where(blocks.c.stream == agent, blocks.c.label == label, blocks.c.user.in_(["", user]))
    return transaction.connection.execute(query.limit(1)).first() is None


def _conversation(transaction: Transaction, agent: str, user: str, name: str) -> str:
    table = tables.conversations
    query = select(table.c.id).where(
        table.c.stream == agent, table.c.user == user, table.c.name == name, table.c.to_seq.is_(None)
    )
    found = transaction.connection.execute(query).scalar()
    if found is not None:
        return str(found)
    made = transaction.ids.new("conversation")
    payload = {"id": made, "name": name, "user": user}
    transaction.append("conversation.created", payload, stream=agent, writer="user", conversation=made)
    return made
