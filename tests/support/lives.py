"""Agents to which anything may happen, rewinds and forks included: what a property test draws their histories for.

All that is ever said, noted or archived holds a word of its own, so that it can be told where it shows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from sqlalchemy import Connection

from pagekeeper.assembly import Agent, Home
from pagekeeper.runtime.core.edit import Append, Create, Delete, Operation, Rethink, Settings
from pagekeeper.runtime.errors import PagekeeperError
from pagekeeper.runtime.forgetting.force import forgettings
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.host_tool import tool
from pagekeeper.runtime.models.base import ModelRequest, RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.rewind import Preview, preview, rewind
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.support.moments import Moment, moment

THREADS = ("main", "side")
LABELS = ("human", "notes", "日记")
SUBJECTS = ("peanuts in the kitchen", "the zeppelin over Lyon", "小林不吃香菜", "a cello and its bow")
TAG = re.compile(r"qz\d+x")

Results = list[tuple[str, str, float]]


@tool(effects="external")
async def post(what: str) -> str:
    """Post something outside."""
    return f"posted {what}"


@dataclass
class Life:
    """One agent in two conversations, as one process has it open."""

    name: str
    agents: dict[str, Agent]
    models: dict[str, ScriptedModel]
    secrets: dict[str, set[str]] = field(default_factory=dict)
    """By the event that forgot them: the words of what was chosen to be forgotten."""
    turns: dict[str, str | None] = field(default_factory=dict)
    """Of each of these events: the turn that asked for it."""

    @property
    def main(self) -> Agent:
        return self.agents["main"]

    @property
    def id(self) -> str:
        return self.main.scope.agent

    async def read(self, work: Callable[[Connection], Any]) -> Any:
        return await self.main._journal.read(work)

    async def now(self) -> Moment:
        return await self.main._journal.read(lambda connection: moment(connection, self.id))

    async def found(self) -> list[Results]:
        """What searches find, in order."""
        statuses = ("active", "superseded", "retired")
        out = []
        for question in SUBJECTS[:3]:
            hits = await self.main.memory.search(question, limit=50, statuses=statuses)
            out.append([(hit.id, hit.text, hit.score) for hit in hits])
        return out

    async def hidden(self, turn: str | None = None) -> set[str]:
        """The words that nothing may show now, except in the turn that asked for it."""
        events = await self.read(lambda connection: [event.id for event in forgettings(connection, self.id)])
        known = (self.secrets[one] for one in events if one in self.secrets and (not turn or self.turns[one] != turn))
        return set[str]().union(*known)

    async def check(self) -> None:
        """What is forgotten shows nowhere, and the conversations are valid."""
        hidden, now = await self.hidden(), await self.now()
        assert not hidden & set(TAG.findall(now.visible())), "something forgotten is in view"
        assert not hidden & set(TAG.findall(json.dumps(await self.found()))), "something forgotten is found"
        for said in now.messages.values():
            made = [call["id"] for message in said for call in message["calls"]]
            answered = [message["call_id"] for message in said if message["role"] == "tool"]
            assert made == answered, "calls and results are not in pairs"


class World:
    """Some agents of one home, one of which lives at a time."""

    def __init__(self, draw: Any, home: Home, stack: AsyncExitStack) -> None:
        self.draw = draw
        self.home = home
        self.lives: list[Life] = []
        self.happened: Counter[str] = Counter()
        self._stack = stack
        self._words = 0

    async def open(self, name: str) -> Life:
        life = Life(name, {}, {})
        window = self.draw(st.sampled_from([10_000, 128_000]), "window")
        for thread in THREADS:
            life.models[thread] = ScriptedModel(window=window)
            opening = open_agent(self.home, life.models[thread], name, conversation=thread, tools=[post])  # type: ignore[arg-type]
            life.agents[thread] = await self._stack.enter_async_context(opening)
        self.lives.append(life)
        return life

    def new(self) -> str:
        """Words that were never said before, with a word of their own."""
        self._words += 1
        return f"qz{self._words}x {self.draw(st.sampled_from(SUBJECTS), 'subject')}"

    async def act(self, life: Life) -> None:
        """One thing that may happen."""
        kinds = ["turn", "turn", "turn", "fill", "edit", "undo", "insert", "forget", "restore", "flush"]
        kind = self.draw(st.sampled_from(kinds), "act")
        thread = self.draw(st.sampled_from(THREADS), "conversation")
        memory = life.agents[thread].memory
        try:
            match kind:
                case "turn":
                    await self.turn(life, thread)
                case "fill":
                    await self.fill(life, thread)
                case "edit":
                    label = self.draw(st.sampled_from(LABELS), "label")
                    await memory.edit(label, await self.operation(life, label))
                case "undo":
                    await memory.undo(self.draw(st.sampled_from(LABELS), "label"))
                case "insert":
                    await memory.insert(self.new(), tags=("a",))
                case "forget":
                    chosen = await self.choose(life)
                    if chosen is not None:
                        done = await memory.forget([chosen[0]])
                        life.secrets[done.event.id], life.turns[done.event.id] = chosen[1], None
                case "restore":
                    known = await life.read(lambda connection: forgettings(connection, life.id))
                    # What a turn that forgets says itself is restored along with what it forgot.
                    mine = [one.id for one in known if one.id in life.secrets and "of" not in one.payload]
                    if mine:
                        await memory.restore(self.draw(st.sampled_from(mine), "restored"))
                case "flush":
                    await memory.archive.flush()
            self.happened[kind] += 1
        except PagekeeperError:
            self.happened[f"{kind}, refused"] += 1

    async def turn(self, life: Life, thread: str) -> None:
        """One turn, in which the model does what is drawn."""
        agent, model = life.agents[thread], life.models[thread]
        steps = self.draw(st.integers(1, 3), "steps")

        async def answer(request: ModelRequest) -> Any:
            nonlocal steps
            turn = agent._conversation.context.window.entries[-1].turn
            told = TAG.findall(json.dumps(list(request.messages), ensure_ascii=False))
            assert not await life.hidden(turn) & set(told), "something forgotten is told"
            assert_paired([request])
            steps -= 1
            if not steps:
                return f"Well, {self.new()}."
            calls = [await self.call(life, turn) for _ in range(self.draw(st.integers(1, 2), "calls"))]
            model.enqueue(answer)
            return [self.new(), *calls]

        model.enqueue(answer)
        ended = await agent.send(self.new())
        assert ended.reason == "done", ended
        events = await life.read(lambda connection: forgettings(connection, life.id))
        for event in events:
            if event.id not in life.secrets and event.turn == ended.turn and event.turn in life.secrets:
                life.secrets[event.id], life.turns[event.id] = life.secrets[event.turn], event.turn

    async def fill(self, life: Life, thread: str) -> None:
        """Some turns of many words, so that a small window is nearly full, or is compacted."""
        for _ in range(self.draw(st.integers(1, 3), "turns")):
            life.models[thread].enqueue("yes " * 400)
            await life.agents[thread].send(f"{self.new()}. {'word ' * 800}")

    async def call(self, life: Life, turn: str | None) -> RequestedCall:
        """A call of some tool, which makes sense more often than not."""
        kinds = ["append", "replace", "create", "delete", "page_in", "page_out", "insert", "insert", "update", "search"]
        kind = self.draw(st.sampled_from([*kinds, "post", "forget"]), "tool")
        label = self.draw(st.sampled_from(LABELS), "label")
        match kind:
            case "append":
                return call("core_memory_append", label=label, content=self.new())
            case "replace":
                blocks = {block.label: block for block in await life.main.memory.blocks()}
                lines = blocks[label].value.split("\n") if label in blocks else [""]
                return call(
                    "core_memory_replace",
                    label=label,
                    old_content=self.draw(st.sampled_from(lines), "line"),
                    new_content=self.new(),
                )
            case "create":
                return call("core_memory_create", label=label, description=self.new(), value=self.new())
            case "insert":
                return call("archival_insert", content=self.new())
            case "update":
                passages = sorted((await life.now()).passages)
                passage = self.draw(st.sampled_from(passages), "passage") if passages else "p-none"
                return call("archival_update", id=passage, content=self.new())
            case "search":
                name = self.draw(st.sampled_from(["archival_search", "conversation_search"]), "search")
                return call(name, query=self.draw(st.sampled_from(SUBJECTS), "question"))
            case "post":
                return call("post", what=self.new())
            case "forget":
                chosen = await self.choose(life)
                if chosen is not None and turn is not None:
                    # Which event it will be is known when the turn has ended.
                    life.secrets.setdefault(turn, set()).update(chosen[1])
                    return call("memory_forget", ids=[chosen[0]], reason="asked")
        return call(f"core_memory_{kind if kind != 'forget' else 'page_in'}", label=label)

    async def operation(self, life: Life, label: str) -> Operation:
        """An edit by the user."""
        block = {block.label: block for block in await life.main.memory.blocks()}.get(label)
        if block is None:
            return Create(self.new(), self.new(), pinned=self.draw(st.booleans(), "pinned"))
        edits: list[Operation] = [Append(self.new()), Rethink(self.new()), Settings(description=self.new())]
        edits += [Settings(pinned=not block.pinned), Settings(limit=len(block.value) + 300), Delete()]
        return self.draw(st.sampled_from(edits), "edit")  # type: ignore[no-any-return]

    async def choose(self, life: Life) -> tuple[str, set[str]] | None:
        """Something to forget: its id, and its words."""
        found = await life.main.memory.candidates(self.draw(st.sampled_from(SUBJECTS), "about"))
        if not found:
            return None
        chosen = found[self.draw(st.integers(0, len(found) - 1), "chosen")]
        return chosen.id, set(TAG.findall(chosen.text))

    async def rewind(self, life: Life, to: int, thread: str | None = None) -> tuple[Preview, int]:
        """Rewind, and return what was said that it would do, and the number of the event that did it."""
        only = life.agents[thread].scope.conversation if thread else None
        shown = await life.read(lambda connection: preview(connection, life.id, to, only))
        event = await rewind(self.home.journal, self.home.locks, life.id, to, only)
        self.happened["rewind"] += 1
        return shown, event.seq

    async def fork(self, life: Life, at: int) -> Life:
        """Another agent, from the state of this one at some moment."""
        name = f"{life.name}-{len(self.lives)}"
        made = await self.home.journal.write(lambda transaction: fork(transaction, life.id, name, at))
        before = await life.read(lambda connection: [one.id for one in forgettings(connection, life.id)])
        copied = await life.read(lambda connection: [one.id for one in forgettings(connection, made)])
        assert len(copied) == len(before)
        copy = await self.open(name)
        for old, new in zip(before, copied, strict=True):
            if old in life.secrets:
                copy.secrets[new], copy.turns[new] = life.secrets[old], None
        self.happened["fork"] += 1
        return copy
