"""The prompts: that each can be read, stays small, and says what its tool takes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from pagekeeper import prompts
from pagekeeper.assembly import MEMORY_TOOLS
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.host_tool import check_tool
from pagekeeper.runtime.tool import Tool

NAMES = [tool.name for tool in MEMORY_TOOLS]


def schema(names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names.split()}}


@pytest.mark.parametrize("name", ["system", "persona", "human", "summarise", "pressure", "extract"])
def test_a_prompt_is_text_without_a_line_break_at_its_end(name: str) -> None:
    text = prompts.load(name)
    assert text
    assert text == text.strip()


@pytest.mark.parametrize("tool", MEMORY_TOOLS, ids=NAMES)
def test_each_tool_is_described_with_its_parameters(tool: Tool) -> None:
    assert tool.description == prompts.describe(tool.name, tool.parameters)[0]
    assert all(value["description"] for value in tool.parameters["properties"].values())
    assert check_tool(tool) is tool


def test_the_schema_that_is_described_is_left_alone() -> None:
    given = schema("label content")
    described = prompts.describe("core_memory_append", given)[1]
    assert described["properties"]["label"] == {"type": "string", "description": "The block."}
    assert given == schema("label content")


def test_no_tool_is_described_that_does_not_exist() -> None:
    described = {item.name.removesuffix(".md") for item in files(prompts).joinpath("tools").iterdir()}
    assert described == set(NAMES)


def test_a_parameter_without_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="'depth' is not described"):
        prompts.describe("core_memory_delete", schema("label depth"))


def test_a_description_without_a_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="'label' is described and does not exist"):
        prompts.describe("core_memory_delete", schema(""))


def test_all_of_it_leaves_room_in_an_8k_window() -> None:
    """System text, tools and core memory share 40% of the window; core memory is to have 500 tokens at least."""
    count = TokenCounter().count
    tools = sum(count(json.dumps(tool.schema())) for tool in MEMORY_TOOLS)
    assert count(prompts.load("system")) + tools <= 0.4 * (8192 - 1024) - 500
