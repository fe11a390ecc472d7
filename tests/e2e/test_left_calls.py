"""Calls that a killed process left unanswered: the next process gives each its one result."""

from __future__ import annotations

import signal
from pathlib import Path

from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.support.openai_server import OpenAIServer, called
from pagekeeper.tests.support.processes import Shell


async def test_memory_calls_run_by_whatever_name_and_broken_ones_are_told(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    home = tmp_path / "home"
    settings = {"MODEL": "openai/test", "API_BASE": openai_server.url, "USER": "ada", "FAILPOINT": "call.before"}
    environment = {f"PAGEKEEPER_{name}": value for name, value in settings.items()}
    openai_server.enqueue(
        called(
            ("core_memory_append", '{"label": "human", "content": "Name: Ada",}'),
            ("memory", '{"command": "insert", "path": "/memories/human", "insert_text": "Age: 3"}'),
            ("core_memory_append", '{"label": "human", "content": "cut'),
            ("nothing_such", "{}"),
        )
    )
    killed = Shell(home, {**environment, "OPENAI_API_KEY": "sk-test"}).run("ask", "--agent", "ada", "I'm Ada.")
    assert killed.status == -signal.SIGKILL
    model = ScriptedModel("Ada.")
    async with open_agent(home, model, user="ada") as agent:
        assert (await agent.memory.block("human")).value == "What I know about the user:"
        assert (await agent.send("Who am I?")).text == "Ada."
        assert (await agent.memory.block("human")).value == "What I know about the user:\nName: Ada\nAge: 3"
    results = [message["content"] for message in model.requests[0].messages if message["role"] == "tool"]
    assert [result.startswith("Error: ") for result in results] == [False, False, True, True]
    assert_paired(model.requests)
