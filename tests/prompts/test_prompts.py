"""The prompts: that each can be read, stays small, and says what its tool takes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from pagekeeper import prompts
from pagekeeper.runtime.context.tokens import TokenCounter

TOOLS = {
    "core_memory_append": "label content",
    "core_memory_replace": "label old_content new_content",
    "core_memory_rethink": "label new_value",
    "core_memory_create": "label description value limit",
    "core_memory_delete": "label",
    "core_memory_list": "query",
    "core_memory_page_in": "label",
    "core_memory_page_out": "label",
    "archival_insert": "content tags kind event_time",
    "archival_search": "query tags tag_match kind start end limit",
    "archival_update": "id content",
    "memory_forget": "query ids reason",
    "conversation_search": "query roles start end limit",
}


def schema(names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names.split()}}


@pytest.mark.parametrize("name", ["system", "persona", "human", "summarise", "pressure"])
def test_a_prompt_is_text_without_a_line_break_at_its_end(name: str) -> None:
    text = prompts.load(name)
    assert text
    assert text == text.strip()


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_each_tool_is_described_with_its_parameters(name: str) -> None:
    given = schema(TOOLS[name])
    description, described = prompts.describe(name, given)
    assert description
    assert all(value["description"] for value in described["properties"].values())
    assert given == schema(TOOLS[name]), "the schema that was given is left alone"


def test_no_tool_is_described_that_does_not_exist() -> None:
    described = {item.name.removesuffix(".md") for item in files(prompts).joinpath("tools").iterdir()}
    assert described == set(TOOLS)


def test_a_parameter_without_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="'depth' is not described"):
        prompts.describe("core_memory_delete", schema("label depth"))


def test_a_description_without_a_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="'label' is described and does not exist"):
        prompts.describe("core_memory_delete", schema(""))


def test_all_of_it_leaves_room_in_an_8k_window() -> None:
    """System text, tools and core memory share 40% of the window; these two may take at most 60% of that."""
    count = TokenCounter().count
    tools = [
        dict(zip(("description", "parameters"), prompts.describe(n, schema(p)), strict=True)) for n, p in TOOLS.items()
    ]
    assert count(prompts.load("system")) <= 480
    assert count(json.dumps(tools)) <= 1500
