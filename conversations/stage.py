"""The agent of a scripted conversation: in a home of its own, with a clock that stands still and counted ids.

A restart closes the home and opens it again. A crash is real: another process opens the home, says what the step says
and is killed at the failpoint (`dying`); then the home is opened again here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ..assembly import Agent, Home
from ..runtime.archive.embedders.base import Embedder
from ..runtime.chosen import make_embedder
from ..runtime.clock import ManualClock
from ..runtime.config import Settings
from ..runtime.core.blocks import BlockSpec
from ..runtime.errors import EmbedderFailed
from ..runtime.ids import CountingIds
from ..runtime.scope import DEFAULT_AGENT, DEFAULT_CONVERSATION, DEFAULT_USER
from ..runtime.stream import StreamEvent
from .answering import Answering, answering_model
from .host_tool import host_tool
from .played_model import PlayedModel
from .script import Case

LIFE = 100_000
"""What ids count on by, each time that a process was killed: nobody knows how many it had used."""
HANGS = 60
"""Seconds after which a process that was to be killed is taken to hang."""


@cache
def embedder() -> Embedder:
    """The embedder of all stages of this process; it is loaded once."""
    return make_embedder(Settings())


class _Switched:
    """The embedder, which can be made to fail."""

    def __init__(self) -> None:
        self._behind = embedder()
        self.fails = False
        self.name, self.dimension = self._behind.name, self._behind.dimension
        self.english_only, self.fingerprint = self._behind.english_only, self._behind.fingerprint

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self._check()
        return list(await self._behind.embed_queries(texts))

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self._check()
        return list(await self._behind.embed_passages(texts))

    def _check(self) -> None:
        if self.fails:
            raise EmbedderFailed("The script has the embedder fail.")


@dataclass(slots=True)
class Where:
    """Who talks to whom, and in which conversation."""

    agent: str
    user: str
    conversation: str


class Stage:
    """The agent that a case is played on. It is a context manager: open within, closed after."""

    def __init__(self, setup: dict[str, Any], home: Path, how: Answering) -> None:
        self.setup = setup
        self._how = how
        self.home = home
        self.agent: Agent
        self.zone = ZoneInfo(setup.get("timezone", "UTC"))
        start = datetime.fromisoformat(setup.get("clock", "2026-01-01 09:00"))
        self.clock = ManualClock(start if start.tzinfo else start.replace(tzinfo=self.zone))
        self.ids = CountingIds()
        self.now = Where(
            setup.get("name", DEFAULT_AGENT),
            setup.get("user", DEFAULT_USER),
            setup.get("conversation", DEFAULT_CONVERSATION),
        )
        self.opened: Home
        self.embedder = _Switched()
        self.model = PlayedModel(answering_model(how, setup.get("model"), home))
        self._served: dict[str, int] = {}
        self._open = contextlib.AsyncExitStack()
        self._lives = 0

    async def __aenter__(self) -> Stage:
        await self.open()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self._open.aclose()
        await self.model.close()

    async def open(self) -> None:
        """Open the home, and the agent in it."""
        home = Home.open(self.home, embedder=self.embedder, clock=self.clock, ids=self.ids, background=False)
        self.opened = home
        self._open.push_async_callback(home.close)
        names = ("window", "step_cap", "core_budget", "recall")
        settings = {"recall_budget" if name == "recall" else name: self.setup.get(name) for name in names}
        opening = Agent.open(
            self.now.agent,
            home=home,
            model=self.model,
            tools=[host_tool(one, self._served) for one in self.setup.get("tools", ())],
            instructions=self._how.instructions or self.setup.get("instructions", ""),
            blocks=[block(label, value) for label, value in self.setup.get("blocks", {}).items()],
            user=self.now.user,
            conversation=self.now.conversation,
            timezone=self.zone,
            settings={name: value for name, value in settings.items() if value is not None},
        )
        self.agent = await self._open.enter_async_context(opening)

    async def reopen(self) -> None:
        """End the process, as far as one can within it, and open the home in the next one."""
        await self._open.aclose()
        await self.open()

    async def events(self, text: str | None, *, retry: bool = False) -> AsyncGenerator[StreamEvent, None]:
        """What happens when the user says `text`; without it, when what is left is answered."""
        turn = self.agent.resume(retry) if text is None else self.agent.stream(text)
        async with contextlib.aclosing(turn) as events:
            async for event in events:
                yield event
        # What would be done in the background some time later is done now, so that each run finds the same.
        if not self.embedder.fails:
            await self.agent.memory.archive.embed_messages()

    def wait(self, text: str) -> None:
        """Let time pass: `3 days`."""
        count, unit = text.split()
        self.clock.advance(timedelta(**{unit.removesuffix("s") + "s": int(count)}))

    async def die(self, step: dict[str, Any]) -> str:
        """Play a step in a process that is killed in it. Returns what went wrong if it was not, else an empty text."""
        side, event = step["fault"]["crash"].split()
        failpoint = f"journal.{side}_commit.{event}@{step['fault'].get('times', 1)}"
        await self._open.aclose()
        self._lives += 1
        self.ids = CountingIds(self._lives * LIFE)
        told = {
            "setup": self.setup,
            "home": str(self.home),
            "how": self._how.of_life(self._lives).as_data(),
            "clock": self.clock.now().astimezone(UTC).isoformat(),
            "ids": self._lives * LIFE,
            "now": asdict(self.now),
            "results": self.model.results,
            "known": self.model.known,
            "step": step,
        }
        code, words = await _child(told, failpoint)
        self._lives += 1
        self.ids = CountingIds(self._lives * LIFE)
        await self.open()
        if code == -signal.SIGKILL:
            return ""
        if code:
            return f"the process that was to be killed failed: {words[-500:]}"
        return f"the turn ended without a {event!r} to be killed at"


async def _child(told: dict[str, Any], failpoint: str) -> tuple[int, str]:
    """Run `dying` in a process of its own; its exit status, and what it complained of."""
    package = __package__ or ""
    root = str(Path(__file__).parents[package.count(".") + 1])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"{package}.dying",
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths, "PAGEKEEPER_FAILPOINT": failpoint},
    )
    try:
        async with asyncio.timeout(HANGS):
            _, complaint = await process.communicate(json.dumps(told).encode())
    except TimeoutError:
        process.kill()
        await process.wait()
        return 1, f"it did not end within {HANGS} seconds"
    return process.returncode or 0, complaint.decode("utf-8", "replace")


def block(label: str, value: Any) -> BlockSpec:
    """A block as a script sets it up. Raises what BlockSpec raises."""
    own = {"value": value} if isinstance(value, str) else dict(value)
    usual: dict[str, Any] = {"persona": {"pinned": True}, "human": {"pinned": True, "per_user": True}}.get(label, {})
    return BlockSpec(label, **{**usual, **own})


def stage_of(case: Case, home: Path, how: Answering) -> Stage:
    """The stage of a case. Raises ScriptError for a cassette that cannot be read."""
    stage = Stage(dict(case.agent), home, how)
    stage.model.known = dict(case.first)
    return stage
