"""The public classes explain themselves: `help(Agent)` leads to all that an agent has."""

from __future__ import annotations

import inspect

import pytest

from pagekeeper.assembly import Agent, Memory
from pagekeeper.runtime.agent import Context
from pagekeeper.runtime.memory import AgentMemory


@pytest.mark.parametrize("kind", [Agent, Context, AgentMemory, Memory], ids=lambda kind: kind.__name__)
def test_every_public_method_says_what_it_does(kind: type) -> None:
    methods = [(name, value) for name, value in inspect.getmembers(kind, callable) if not name.startswith("_")]
    assert len(methods) >= 2
    assert [name for name, value in methods if not inspect.getdoc(value)] == []


def test_help_names_every_way_into_an_agent() -> None:
    said = inspect.getdoc(Agent) or ""
    assert all(f"agent.{name}" in said for name in ("memory", "context", "history", "usage"))
    names = [
        name
        for name in vars(AgentMemory)
        if not name.startswith("_") and inspect.iscoroutinefunction(vars(AgentMemory)[name])
    ]
    about = inspect.getdoc(AgentMemory) or ""
    assert [name for name in names if f"`{name}`" not in about] == []


def test_help_names_all_that_an_app_can_do() -> None:
    about = inspect.getdoc(Memory) or ""
    methods = {name for name, _ in inspect.getmembers(Memory, inspect.iscoroutinefunction) if not name.startswith("_")}
    assert methods == {name for name in methods if f"`{name}`" in about} != set()
