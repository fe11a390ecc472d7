"""What tests of forgetting need: a model's turn that forgets, and a look at all that a request says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pagekeeper.assembly import Agent
from pagekeeper.runtime.models.base import ModelRequest, RequestedCall
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder

_ID = re.compile(r"^- \[([^\]]+)\]", re.MULTILINE)


def opened(home: Path, model: ScriptedModel, name: str = "ada", **options: Any) -> Any:
    """An agent whose archive is embedded without weights."""
    return open_agent(home, model, name, **{"embedder": HashEmbedder(), **options})


def all_of(request: ModelRequest) -> str:
    """All that a request says."""
    return json.dumps([list(request.messages), list(request.tools)], ensure_ascii=False)


def conversation_of(request: ModelRequest) -> str:
    """What a request says behind its head."""
    return json.dumps(request.messages[1:], ensure_ascii=False)


def listed(request: ModelRequest) -> list[str]:
    """The ids in the newest message, which lists candidates."""
    return _ID.findall(request.messages[-1]["content"])


def forgets(query: str, words: str = "Done.") -> list[Any]:
    """The replies of a turn in which the model looks for what to forget, and forgets all that is listed."""

    def choose(request: ModelRequest) -> RequestedCall:
        return call("memory_forget", ids=listed(request), reason="asked to")

    return [call("memory_forget", query=query, reason="asked to"), choose, words]


async def request_of(agent: Agent, model: ScriptedModel, words: str = "hello there") -> str:
    """All that the model is told in a plain turn."""
    model.enqueue("Fine.")
    ended = await agent.send(words)
    assert ended.reason == "done", ended
    return all_of(model.requests[-1])


async def found(agent: Agent, questions: Iterable[str]) -> list[str]:
    """The texts of all that a search finds, of whatever status."""
    statuses = ("active", "superseded", "retired")
    hits = [hit for question in questions for hit in await agent.memory.search(question, limit=50, statuses=statuses)]
    hits += [hit for question in questions for hit in await agent.memory.search(question, limit=50)]
    return [hit.text for hit in hits]
