"""Opening an agent as tests need it: a scripted model, counted ids, a clock that stands still, a home of its own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from pagekeeper.assembly import Agent
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.models.base import Model, ModelRequest


def open_agent(home: Path, model: Model, name: str = "ada", **options: Any) -> AbstractAsyncContextManager[Agent]:
    """The agent `name` in `home`, in UTC, with a clock that stands still unless one is given.

    Memory work is done when it is asked for, and in the background only where the settings say so: else it might be
    faster than the test.
    """
    settings = {"sleeptime_enabled": False, **(options.pop("settings", None) or {})}
    given = {"clock": ManualClock(), "timezone": "UTC", "settings": settings, **options}
    return Agent.open(name, home=home, model=model, **given)


class NoEmbedder:
    """Embeds nothing: for tests that search nothing, and do not wait for what they do not ask."""

    name = "none"
    dimension = 2
    english_only = False
    fingerprint = "none/2/1"

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return [(1.0, 0.0)] * len(texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return [(1.0, 0.0)] * len(texts)


def open_window(home: Path, model: Model, **options: Any) -> AbstractAsyncContextManager[Agent]:
    """`open_agent` without recall and embedding: for tests of the window, of which it changes nothing."""
    settings = {"recall_budget": 0, **options.pop("settings", {})}
    return open_agent(home, model, **{"embedder": NoEmbedder(), "settings": settings, **options})


def assert_paired(requests: Sequence[ModelRequest]) -> None:
    """Each call in each request has exactly one result, straight behind the message that made it."""
    for request in requests:
        open_calls: list[str] = []
        for message in request.messages:
            if message["role"] == "tool":
                assert message["tool_call_id"] in open_calls, "a result without its call"
                open_calls.remove(message["tool_call_id"])
            else:
                assert not open_calls, "a call without its result"
                open_calls = [call["id"] for call in message.get("tool_calls", ())]
        assert not open_calls, "a call without its result"


def stop_background(agent: Agent) -> None:
    """Have the archive commit nothing by itself, for tests that count commits."""
    background = agent.memory.archive._background
    assert background is not None
    background.cancel()
