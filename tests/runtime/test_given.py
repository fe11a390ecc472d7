"""What a program gives of a wrong type: an error of ours that says what, and what is expected; nothing is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagekeeper.assembly import Agent, Home
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.core.edit import Append, Create, Replace, Rethink, Settings
from pagekeeper.runtime.errors import ConfigError, UsageError
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.tool import Tool
from pagekeeper.tests.support.agents import open_agent


def a_tool(**fields: Any) -> Tool:
    return Tool(**{"name": "do", "description": "Do.", "parameters": {"type": "object"}, "run": print, **fields})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tools": [print]}, "`tools[0]` of Agent.open must be a Tool, not builtin_function_or_method"),
        ({"tools": [a_tool(), 5]}, "`tools[1]` of Agent.open must be a Tool, not int 5. Make one with @tool."),
        ({"tools": a_tool()}, "`tools` of Agent.open must be a list of Tools, not Tool"),
        ({"tools": None}, "`tools` of Agent.open must be a list of Tools, not NoneType None."),
        ({"tools": [a_tool(name=5)]}, "The tool '5' cannot be made: its name must be a str, not 5."),
        ({"tools": [a_tool(description=None)]}, "The tool 'do' cannot be made: its description must be a str"),
        ({"tools": [a_tool(effects="all")]}, "The tool 'do' cannot be made: its effects cannot be 'all'."),
        ({"tools": [a_tool(approve=True)]}, "The tool 'do' cannot be made: its approve cannot be True."),
        ({"tools": [a_tool(timeout="5")]}, "The tool 'do' cannot be made: its timeout is 5 seconds."),
        ({"tools": [a_tool(run=None)]}, "The tool 'do' cannot be made: its `run` is no function."),
        ({"tools": [a_tool(parameters=[])]}, "The tool 'do' cannot be made: its parameters"),
        ({"tools": [a_tool(), a_tool()]}, "Two tools are named 'do'."),
        ({"blocks": [1]}, "`blocks[0]` of Agent.open must be a BlockSpec, not int 1. Write it as BlockSpec("),
        ({"blocks": "notes"}, "`blocks` of Agent.open must be a list of BlockSpecs, not str 'notes'."),
        ({"blocks": {"notes": ""}}, "`blocks` of Agent.open must be a list of BlockSpecs, not dict"),
        ({"model": 5}, "`model` of Agent.open must be a model's name or a Model, not int 5. It lacks name, window"),
        ({"model": ScriptedModel}, "`model` of Agent.open must be a model's name or a Model, not the class Scripted"),
        ({"model": ""}, "The given 'model' is empty."),
        ({"clock": 5}, "`clock` of Agent.open must be a Clock, not int 5. It lacks now."),
        ({"clock": ManualClock}, "`clock` of Agent.open must be a Clock, not the class ManualClock."),
        ({"ids": "x"}, "`ids` of Agent.open must be an Ids, not str 'x'."),
        ({"embedder": "openai/x"}, "`embedder` of Agent.open must be an Embedder, not str 'openai/x'."),
        ({"home": 5}, "`home` of Agent.open must be a path, a Home or None, not int 5."),
        ({"home": b"/tmp/x"}, "`home` of Agent.open must be a path, a Home or None, not bytes"),
        ({"name": None}, "An agent's name must be text, not NoneType."),
        ({"user": 5}, "A user's name must be text, not int."),
        ({"conversation": ["main"]}, "A conversation's name must be text, not list."),
        ({"instructions": None}, "The instructions must be text, not NoneType."),
        ({"timezone": 5}, "The given 'timezone' must be text."),
        ({"core_budget": "much"}, "The given 'core_budget' must be a whole number."),
        ({"step_cap": 1.5}, "The given 'step_cap' must be a whole number."),
        ({"settings": [1]}, "`settings` of Agent.open must be a dict of settings by name, not list [1]."),
        ({"settings": {"windw": 1}}, "'windw' is no setting."),
    ],
)
async def test_opening_with_what_is_of_a_wrong_type(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    options = {"home": tmp_path / "home", "model": ScriptedModel(), "clock": ManualClock(), **given}
    with pytest.raises((UsageError, ConfigError)) as caught:
        async with Agent.open(**options):
            pass
    assert str(caught.value).startswith(words)
    home = Home.open(tmp_path / "home", clock=ManualClock())
    assert home.journal.read_now(lambda it: it.exec_driver_sql("SELECT count(*) FROM events").scalar()) == 0
    await home.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BlockSpec(5), "A block's label must be text"),  # type: ignore[arg-type]
        (lambda: BlockSpec("a", None), "The value of block 'a' must be text"),  # type: ignore[arg-type]
        (lambda: BlockSpec("a", limit="9"), "The limit of block 'a' must be a number, not '9'"),  # type: ignore[arg-type]
        (lambda: BlockSpec("a", pinned="yes"), "`pinned` of block 'a' must be True or False"),  # type: ignore[arg-type]
    ],
)
def test_a_block_of_a_wrong_type(make: Any, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (None, {}),
        (Append, {"content": 5}),
        (Replace, {"old": 5, "new": "b"}),
        (Replace, {"old": "a", "new": None}),
        (Rethink, {"value": None}),
        (Create, {"description": None}),
        (Create, {"value": 5}),
        (Create, {"limit": "9"}),
        (Settings, {"limit": "9"}),
        (Settings, {"pinned": "yes"}),
        (Settings, {"description": 5}),
    ],
)
async def test_an_edit_of_a_wrong_type(tmp_path: Path, kind: Any, fields: dict[str, Any]) -> None:
    operation: Any = kind(**fields) if kind else "add this"
    async with open_agent(tmp_path, ScriptedModel(), blocks=[BlockSpec("notes", "a")]) as agent:
        with pytest.raises(UsageError):
            await agent.memory.edit("new" if kind is Create else "notes", operation)
        blocks = await agent.memory.blocks()
        assert [(it.label, it.revision) for it in blocks] == [("human", 1), ("notes", 1), ("persona", 1)]
