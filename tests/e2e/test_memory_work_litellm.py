"""Memory work with a litellm model against a local server: the schema goes along in the way that the model keeps to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.models.base import REPLY_TOOL
from pagekeeper.runtime.models.litellm_model import LitellmModel
from pagekeeper.runtime.models.prompted import PromptedModel
from pagekeeper.runtime.sleeptime.operations import SCHEMA
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.openai_server import OpenAIServer, called, status, text
from pagekeeper.tests.support.sleeping import answer, home

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")


async def _no_wait(_: float) -> None:
    return None


def model(server: OpenAIServer, name: str = "openai/gpt-4o-mini") -> LitellmModel:
    return LitellmModel(name, api_base=server.url, api_key="sk-test-123456", max_attempts=2, sleep=_no_wait)


async def worked(path: Path, model: Any) -> tuple[Any, list[str]]:
    """What became of memory work after one turn, and what is kept then."""
    async with open_agent(path, model, embedder=HashEmbedder()) as agent:
        await agent.send("I live in Porto.")
        done = await agent.memory.work()
        return done, [hit.text for hit in await agent.memory.search("Porto", tables=("passage",))]


async def test_a_model_with_structured_output_is_sent_the_schema(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(text("Hello."), text(answer(home("Porto"))))
    done, kept = await worked(tmp_path, model(openai_server))
    assert (done.counts, done.error, kept) == ({"added": 1}, "", ["The user lives in Porto."])
    body = openai_server.requests[-1].body
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "tools" not in body
    asked = json.loads(body["messages"][-1]["content"])
    assert [entry["text"] for entry in asked["dialogue"]] == ["I live in Porto.", "Hello."]
    assert (done.cost.calls, done.cost.input_tokens, done.cost.output_tokens) == (1, 7, 5)


async def test_another_answers_by_a_tool_call(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(text("Hello."), called((REPLY_TOOL, answer(home("Porto")))))
    done, kept = await worked(tmp_path, model(openai_server, "openai/some-local-model"))
    assert (done.counts, kept) == ({"added": 1}, ["The user lives in Porto."])
    body = openai_server.requests[-1].body
    assert body["tools"][0]["function"]["parameters"] == SCHEMA
    assert body["tool_choice"] == {"type": "function", "function": {"name": REPLY_TOOL}}


async def test_one_without_tools_answers_in_words(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(text("Hello."), text(f"```json\n{answer(home('Porto'))}\n```"))
    done, kept = await worked(tmp_path, PromptedModel(model(openai_server, "openai/some-local-model")))
    assert (done.counts, kept) == ({"added": 1}, ["The user lives in Porto."])
    body = openai_server.requests[-1].body
    assert "tools" not in body
    assert "JSON Schema" in body["messages"][0]["content"]


async def test_a_provider_that_fails_is_told_of_and_loses_nothing(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(text("Hello."), status(500, "out of order"), status(500, "out of order"))
    async with open_agent(tmp_path, model(openai_server), embedder=HashEmbedder()) as agent:
        await agent.send("I live in Porto.")
        done = await agent.memory.work()
        assert "out of order" in done.error
        assert "Porto" not in done.error
        assert (await agent.memory.waiting()).messages == 2
        openai_server.enqueue(text(answer(home("Porto"))))
        assert (await agent.memory.work()).counts == {"added": 1}
