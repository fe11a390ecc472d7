"""Ten thousand random operations by several apps, agents and users: none shows or touches what is another's.

Every scope speaks words of its own. Whatever comes back, an error or a line of a log included, is searched for the
words of all others, and what is there is compared with a plain dictionary.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagekeeper import Agent, Append, Home, Memory, NotFound, ScriptedModel
from pagekeeper.runtime import config
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.memory import AgentMemory
from pagekeeper.runtime.models.base import Delta, ModelReply, ModelRequest
from pagekeeper.runtime.recall.citations import settle
from pagekeeper.runtime.recall.note import Recall
from pagekeeper.runtime.timeline import changes
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import answer, operation

OPERATIONS = 10_000
IN_LANCEDB = 300
"""So many of them, the last, search in LanceDB instead of in memory."""
APPS, AGENTS, USERS = ("shop", "till", "desk"), ("ada", "bea"), ("cy", "dee", "eva")
COMMON = ("tea", "sails", "harbour", "letter", "garden", "winter", "bridge", "violin", "market", "lantern", "copper")
"""Words that everybody uses."""
EVERYTHING = ("active", "superseded", "retired", "disputed", "proposed")


@dataclass
class Kept:
    """A memory as the dictionary knows it."""

    text: str
    tag: str
    expires_at: datetime | None = None
    status: str = "active"
    older: str | None = None
    """What it took the place of."""
    gone: str | None = None
    """The event that deleted it, as long as it holds."""


@dataclass
class Owner:
    """An app or an agent with one of its users, and all that is theirs."""

    name: str
    user: str
    word: str
    """In all that is theirs, and in nothing else."""
    kept: dict[str, Kept] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    """Of deletions."""
    memory: Any = None
    """An open Memory, or an AgentMemory."""

    def shown(self, now: datetime) -> dict[str, Kept]:
        """What is to be found now."""
        return {
            item: one
            for item, one in self.kept.items()
            if one.gone is None and one.status == "active" and (one.expires_at is None or one.expires_at > now)
        }

    def here(self) -> dict[str, Kept]:
        """What is not deleted."""
        return {item: one for item, one in self.kept.items() if one.gone is None}


class Reader:
    """A model that has what it reads remembered, word by word. A Model."""

    name = "reader"
    window = 32_000
    serves = frozenset(("turn", "extract"))

    def __init__(self, owner: Owner, world: World) -> None:
        self._owner = owner
        self._world = world

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        """What it is shown is its owner's alone, too."""
        self._world.clean(self._owner, request)
        dialogue = json.loads(request.messages[-1]["content"])["dialogue"]
        operations = [{**operation(f"Heard: {it['text']}"), "from": [it["n"]]} for it in dialogue]
        yield ModelReply(answer(*operations))

    async def close(self) -> None:
        pass


class World:
    """A home with all of them, and what they do to it."""

    def __init__(self, folder: Path, randomly: random.Random, log: pytest.LogCaptureFixture) -> None:
        self.folder = folder
        self.randomly = randomly
        self.log = log
        self.clock = ManualClock()
        self.embedder = HashEmbedder()
        self.owners = [Owner(name, user, f"zq{name}{user}vx") for name in (*APPS, *AGENTS) for user in USERS]
        self.count = self.refused = 0
        self.done: dict[str, int] = {}

    # -- opening ----------------------------------------------------------------------------------

    async def open(self, stack: AsyncExitStack, *, resident: bool = True) -> None:
        """As another process would."""
        home = Home.open(self.folder, embedder=self.embedder, clock=self.clock, ids=RandomIds(), background=False)
        stack.push_async_callback(home.close)
        if not resident:
            home._archive = await Archive.open(
                home.journal, self.embedder, clock=self.clock, background=False, resident=0
            )
        for owner in self.owners:
            if owner.name in APPS:
                app = Memory.open(home=home, app=owner.name, user=owner.user, model=Reader(owner, self), timezone="UTC")
                owner.memory = await stack.enter_async_context(app)
            else:
                agent = Agent.open(owner.name, home=home, user=owner.user, model=ScriptedModel(), timezone="UTC")
                owner.memory = (await stack.enter_async_context(agent)).memory
        self.home = home

    # -- saying and checking ----------------------------------------------------------------------

    def text(self, owner: Owner) -> str:
        """Something of theirs: their word, words of everybody, and a number, so that no two are alike."""
        words = self.randomly.sample(COMMON, 3)
        return f"{owner.word} {' '.join(words)} {owner.word}{self.randomly.randrange(10**9)}"

    def question(self, owner: Owner) -> str:
        """What they ask for: something of theirs, of another, or of everybody."""
        about = self.randomly.choice([owner.word, self.another(owner).word, self.randomly.choice(COMMON)])
        return f"what of {about} {self.randomly.choice(COMMON)}"

    def another(self, owner: Owner) -> Owner:
        return self.randomly.choice([one for one in self.owners if one is not owner])

    def clean(self, owner: Owner, found: object) -> None:
        """No word of another's is in what came back."""
        said = found if isinstance(found, str) else repr(found)
        for other in self.owners:
            assert other is owner or other.word not in said, (owner.name, owner.user, other.word)

    def quiet(self) -> None:
        """No word of anybody's is in the log."""
        said = self.log.text
        assert not any(one.word in said for one in self.owners)
        self.log.clear()

    async def refuses(self, owner: Owner, trying: Awaitable[object]) -> None:
        """It is as if there were no such thing, and the error says nothing of it."""
        with pytest.raises(NotFound) as caught:
            await trying
        error: BaseException | None = caught.value
        while error is not None:
            self.clean(owner, f"{error} {error.args} {getattr(error, 'hint', '')}")
            error = error.__cause__ or error.__context__
        self.refused += 1
        self.count += 1

    def due(self, owner: Owner) -> set[str]:
        """What has expired."""
        now, active = self.clock.now(), {item: one for item, one in owner.here().items() if one.status == "active"}
        return {item for item, one in active.items() if one.expires_at is not None and one.expires_at <= now}

    def retire(self, owner: Owner, items: set[str]) -> None:
        for item in items:
            owner.kept[item].status = "retired"

    def inner(self, owner: Owner) -> AgentMemory:
        """Their memory as agents have it."""
        kept: AgentMemory = owner.memory.kept if owner.name in APPS else owner.memory
        return kept

    def mine(self, owner: Owner, ids: set[str]) -> None:
        """All of these are theirs and are to be found."""
        assert ids <= owner.shown(self.clock.now()).keys()

    # -- what apps and agents do ------------------------------------------------------------------

    async def search(self, owner: Owner) -> None:
        question = self.question(owner)
        statuses = self.randomly.choice([("active",), EVERYTHING])
        hits = await owner.memory.search(question, statuses=statuses, limit=self.randomly.randint(1, 12))
        assert {hit.id for hit in hits} <= owner.here().keys()
        if statuses == ("active",):
            self.mine(owner, {hit.id for hit in hits})
        if owner.word in question and owner.shown(self.clock.now()):
            assert hits
        self.clean(owner, hits)

    async def look_at_history(self, owner: Owner) -> None:
        scope = owner.memory.scope
        told = await self.home.journal.read(partial(changes, agent=scope.agent, user=scope.user, limit=20))
        self.clean(owner, [change.text for change in told])

    async def recall(self, owner: Owner) -> None:
        recall = Recall(await self.home.archive(config.load(self.folder, {})))
        note = await recall.note(owner.memory.scope, f"Tell me: {self.question(owner)}?", (), 500, TokenCounter())
        if note is not None:
            self.mine(owner, {item for item in note.ids if item.startswith("p-")})
            self.clean(owner, note)

    async def cite(self, owner: Owner) -> None:
        """A reply that names what is another's has named nothing."""
        here, kept = owner.here(), self.inner(owner)
        own = self.randomly.sample([*here], min(len(here), 2))
        others = [self.randomly.choice([*other.kept]) for other in [self.another(owner)] if other.kept]
        reply = " ".join(f"[{item}]" for item in (*others, *own))
        found = await self.home.journal.write(lambda tx: settle(tx, kept.scope, "tn-none", reply))
        assert (set(found.ids), list(found.unknown)) == (set(own), others)
        for item in own:
            self.clean(owner, await kept.why(item))
        for item in others:
            await self.refuses(owner, kept.why(item))

    async def sweep(self, owner: Owner) -> None:
        due = self.due(owner)
        assert {it for one in await owner.memory.sweep(dry_run=True) for it in one.texts} == due
        done = await owner.memory.sweep()
        assert {it for one in done for it in one.texts} == due
        self.retire(owner, due)
        self.clean(owner, done)

    async def bring_back(self, owner: Owner) -> None:
        other = self.another(owner)
        back = owner.memory.restore
        if other.events and self.randomly.random() < 0.5:
            await self.refuses(owner, back(self.randomly.choice(other.events)))
        elif owner.events:
            event = self.randomly.choice(owner.events)
            owner.events.remove(event)
            items = [item for item, one in owner.kept.items() if one.gone == event]
            if not items:
                return
            assert await back(event) == len(items)
            for item in items:
                owner.kept[item].gone = None

    # -- what apps do -----------------------------------------------------------------------------

    async def add(self, owner: Owner) -> None:
        text, tag = self.text(owner), f"{owner.word}-{self.randomly.randrange(3)}"
        soon = self.clock.now() + timedelta(days=self.randomly.randint(1, 20))
        expires = soon if self.randomly.random() < 0.2 else None
        known: dict[str, Any] = {"subject": owner.word, "location": owner.word, "entities": [owner.word]}
        (made,) = await owner.memory.add(text, tags=[tag], expires_at=expires, **known)
        owner.kept[made] = Kept(text, tag, expires)

    async def add_messages(self, owner: Owner) -> None:
        texts = [self.text(owner), self.text(owner)]
        said = [{"role": "user", "content": texts[0], "name": owner.word}, {"role": "assistant", "content": texts[1]}]
        tag = f"{owner.word}-said"
        for made, text in zip(await owner.memory.add(said, tags=[tag]), texts, strict=True):
            owner.kept[made] = Kept(text, tag)

    async def infer(self, owner: Owner) -> None:
        text = self.text(owner)
        due = self.due(owner)
        (made,) = await owner.memory.add(text, infer=True)
        self.retire(owner, due)  # memory work sweeps, too
        one = await owner.memory.get(made)
        assert one.text == f"Heard: {text}"
        owner.kept[made] = Kept(one.text, "")

    async def search_the_log(self, owner: Owner) -> None:
        hits = await owner.memory.search(self.question(owner), tables=("message",))
        assert all(owner.word in hit.text for hit in hits)
        self.clean(owner, hits)

    async def erase(self, owner: Owner) -> None:
        live = [item for item, one in owner.shown(self.clock.now()).items() if one.older is None and one.tag]
        if live:
            item = self.randomly.choice(live)
            found = await owner.memory.erase(ids=[item])
            self.clean(owner, found)
            self.clean(owner, await owner.memory.erase(found, partial="keep", confirm=True))
            owner.kept[item].gone = "erased"
        await self.of_another(owner, lambda item: owner.memory.erase(ids=[item], partial="erase", confirm=True))

    async def get(self, owner: Owner) -> None:
        here = owner.here()
        if here:
            item = self.randomly.choice([*here])
            one = await owner.memory.get(item)
            tags = (here[item].tag,) if here[item].tag else ()
            assert (one.text, one.tags, one.status) == (here[item].text, tags, here[item].status)
            self.clean(owner, one)
        await self.of_another(owner, lambda item: owner.memory.get(item))

    async def list(self, owner: Owner) -> None:
        shown = owner.shown(self.clock.now())
        found = await owner.memory.list()
        assert {one.id: one.text for one in found} == {item: one.text for item, one in shown.items()}
        tag = f"{self.randomly.choice([owner, self.another(owner)]).word}-{self.randomly.randrange(3)}"
        tagged = await owner.memory.list(tags=[tag])
        assert {one.id for one in tagged} == {item for item, one in shown.items() if one.tag == tag}
        self.clean(owner, (found, tagged))

    async def update(self, owner: Owner) -> None:
        live = {item: one for item, one in owner.here().items() if one.status == "active"}
        if live:
            item, text = self.randomly.choice([*live]), self.text(owner)
            (made,) = await owner.memory.update(item, text)
            owner.kept[made] = Kept(text, live[item].tag, live[item].expires_at, older=item)
            owner.kept[item].status = "superseded"
        await self.of_another(owner, lambda item: owner.memory.update(item, self.text(owner)))

    async def delete(self, owner: Owner) -> None:
        live = [item for item, one in owner.here().items() if one.status != "superseded"]
        if live:
            item: str | None = self.randomly.choice(live)
            event = await owner.memory.delete(item)
            owner.events.append(event)
            while item is not None:
                owner.kept[item].gone = event
                item = owner.kept[item].older
        await self.of_another(owner, lambda item: owner.memory.delete(item))

    async def delete_all(self, owner: Owner) -> None:
        here = owner.here()
        assert await owner.memory.delete_all() == sum(one.status != "superseded" for one in here.values())
        for one in here.values():
            one.gone = "all"
        assert await owner.memory.list(statuses=EVERYTHING, least_trust=0) == []

    async def tell_history(self, owner: Owner) -> None:
        if owner.kept:
            item = self.randomly.choice([*owner.kept])
            steps = await owner.memory.history(item)
            assert {step.id for step in steps} <= owner.kept.keys()
            assert steps[0].what == "added"
            self.clean(owner, steps)
        await self.of_another(owner, lambda item: owner.memory.history(item))

    async def of_another(self, owner: Owner, trying: Callable[[str], Awaitable[object]]) -> None:
        other = self.another(owner)
        if other.kept:
            await self.refuses(owner, trying(self.randomly.choice([*other.kept])))

    # -- what agents do ---------------------------------------------------------------------------

    async def insert(self, owner: Owner) -> None:
        text, tag = self.text(owner), f"{owner.word}-note"
        (made,) = await owner.memory.insert(text, tags=(tag,))
        owner.kept[made] = Kept(text, tag)

    async def edit(self, owner: Owner) -> None:
        await owner.memory.edit("human", Append(owner.word))
        self.clean(owner, await owner.memory.blocks())
        if self.randomly.random() < 0.9:
            await owner.memory.undo("human")

    async def forget(self, owner: Owner) -> None:
        memory: AgentMemory = owner.memory
        listed = await memory.candidates(self.text(owner))
        self.clean(owner, listed)
        live = [*owner.shown(self.clock.now())]
        if live:
            item = self.randomly.choice(live)
            done = await memory.forget([item], "")
            items = {one["item"] for one in done.event.payload["items"]}
            assert item in items <= owner.kept.keys()
            for one in items:
                owner.kept[one].gone = done.event.id
            owner.events.append(done.event.id)
            self.clean(owner, done)
        await self.of_another(owner, lambda item: memory.forget([item], ""))

    # -- all of it --------------------------------------------------------------------------------

    async def step(self) -> None:
        owner = self.randomly.choice(self.owners)
        both = [
            (self.search, 30),
            (self.bring_back, 6),
            (self.sweep, 2),
            (self.look_at_history, 2),
            (self.recall, 3),
            (self.cite, 3),
        ]
        apps = [
            *((self.add, 20), (self.add_messages, 4), (self.get, 10), (self.list, 8), (self.update, 8)),
            *((self.delete, 10), (self.delete_all, 0.6), (self.tell_history, 4)),
            *((self.infer, 2), (self.search_the_log, 2), (self.erase, 0.1)),
        ]
        agents = [(self.insert, 24), (self.edit, 6), (self.forget, 6)]
        ways = [*both, *(apps if owner.name in APPS else agents)]
        (way,) = self.randomly.choices([way for way, _ in ways], [weight for _, weight in ways])
        if self.randomly.random() < 0.05:
            self.clock.advance(timedelta(hours=self.randomly.randint(1, 30)))
        self.done[way.__name__] = self.done.get(way.__name__, 0) + 1
        self.count += 1
        await way(owner)
        self.quiet()

    async def compare(self) -> None:
        """All that is there is what the dictionaries say, in the end."""
        for owner in self.owners:
            if owner.name in APPS:
                await self.list(owner)
        assert await self.home.journal.read(differences) == {}


async def test_nobody_sees_or_touches_what_is_anothers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    world = World(tmp_path / "home", random.Random(2026), caplog)
    # As several processes would, one after the other: what one knew is found by the next.
    for until, resident in ((OPERATIONS // 2, True), (OPERATIONS - IN_LANCEDB, True), (OPERATIONS, False)):
        async with AsyncExitStack() as stack:
            await world.open(stack, resident=resident)
            if not resident:
                archive = await world.home.archive(config.load(world.folder, {}))
                assert await archive.flush() > 0
            while world.count < until:
                await world.step()
            await world.compare()
    # All of it was tried, and often.
    assert world.done.pop("erase") > 2
    assert min(world.done.values()) > 20
    assert world.refused > OPERATIONS / 10
    said = "".join(capfd.readouterr())
    assert not any(owner.word in said for owner in world.owners)
