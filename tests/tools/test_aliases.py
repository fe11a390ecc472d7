"""Letta's and MemGPT's names for our tools, and tools that do not exist."""

from __future__ import annotations

from typing import Any

import pytest

from pagekeeper.runtime.errors import ToolError
from pagekeeper.tools.aliases import rename

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

CALLS: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("archival_memory_insert", {"content": "x", "tags": ["a"]}, "archival_insert", {"content": "x", "tags": ["a"]}),
    (
        "archival_memory_search",
        {"query": "x", "tags": ["a"], "tag_match_mode": "all", "top_k": 3, "start_datetime": "2026-01-01", "page": 0},
        "archival_search",
        {"query": "x", "tags": ["a"], "tag_match": "all", "limit": 3, "start": "2026-01-01"},
    ),
    (
        "conversation_search_date",
        {"start_date": "2026-01-01", "end_date": "2026-01-02"},
        "conversation_search",
        {"start": "2026-01-01", "end": "2026-01-02"},
    ),
    ("recall_memory_search", {"query": "x", "page": None}, "conversation_search", {"query": "x"}),
    (
        "memory_replace",
        {"label": "human", "old_str": "a", "new_str": "b"},
        "core_memory_replace",
        {"label": "human", "old_content": "a", "new_content": "b"},
    ),
    ("memory_insert", {"label": "human", "new_str": "x"}, "core_memory_append", {"label": "human", "content": "x"}),
    (
        "memory_insert",
        {"label": "human", "new_str": "x", "insert_line": -1},
        "core_memory_append",
        {"label": "human", "content": "x"},
    ),
    (
        "memory_rethink",
        {"label": "human", "new_memory": "x"},
        "core_memory_rethink",
        {"label": "human", "new_value": "x"},
    ),
    (
        "rethink_memory",
        {"new_memory": "x", "target_block_label": "human"},
        "core_memory_rethink",
        {"new_value": "x", "label": "human"},
    ),
    (
        "core_memory_append",
        {"name": "human", "content": "x", "request_heartbeat": True},
        "core_memory_append",
        {"label": "human", "content": "x"},
    ),
    (
        "core_memory_replace",
        {"label": "human", "old_str": "a", "new_str": ""},
        "core_memory_replace",
        {"label": "human", "old_content": "a", "new_content": ""},
    ),
    (
        "memory",
        {"command": "str_replace", "path": "/memories/human", "old_str": "a", "new_str": "b"},
        "core_memory_replace",
        {"label": "human", "old_content": "a", "new_content": "b"},
    ),
    (
        "memory",
        {"command": "create", "path": "/memories/work", "description": "d", "file_text": "x"},
        "core_memory_create",
        {"label": "work", "description": "d", "value": "x"},
    ),
    (
        "memory",
        {"command": "insert", "path": "human", "insert_text": "x"},
        "core_memory_append",
        {"label": "human", "content": "x"},
    ),
    ("memory", {"command": "delete", "path": "/memories/work"}, "core_memory_delete", {"label": "work"}),
]


@pytest.mark.parametrize(("name", "arguments", "ours", "renamed"), CALLS)
def test_their_call_is_ours(name: str, arguments: dict[str, Any], ours: str, renamed: dict[str, Any]) -> None:
    before = dict(arguments)
    assert rename(name, arguments, TOOLS) == (ours, renamed)
    assert arguments == before


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_our_own_call_is_left_as_it_is(name: str) -> None:
    arguments = {key: key for key in TOOLS[name].split()}
    assert rename(name, arguments, TOOLS) == (name, arguments)


def test_a_tool_of_the_host_wins_over_an_alias() -> None:
    tools = [*TOOLS, "memory_insert"]
    assert rename("memory_insert", {"new_str": "x", "page": 3}, tools) == (
        "memory_insert",
        {"new_str": "x", "page": 3},
    )


def test_an_argument_given_twice_is_not_chosen_from() -> None:
    arguments = {"label": "human", "block": "persona", "content": "x"}
    assert rename("core_memory_append", arguments, TOOLS)[1] == arguments
    arguments = {"name": "human", "block": "persona", "content": "x"}
    assert rename("core_memory_append", arguments, TOOLS)[1] == arguments


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("send_message", {"message": "hi"}, "The user reads what you write outside of calls"),
        ("memory_insert", {"label": "human", "new_str": "x", "insert_line": 3}, "cannot be inserted at a line"),
        ("archival_memory_search", {"query": "x", "page": 1}, "do not come in pages"),
        ("memory", {"command": "rename"}, "no memory command 'rename'"),
        ("memory", {}, "no memory command 'None'"),
    ],
)
def test_what_cannot_be_followed_is_said(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError) as caught:
        rename(name, arguments, TOOLS)
    assert message in str(caught.value)
    assert caught.value.retryable


@pytest.mark.parametrize("name", ["core_memory_apend", "", "x\n\ud83d", "functions.archival_insert"])
def test_what_is_not_known_comes_back_as_it_is(name: str) -> None:
    arguments = {"page": 2, "name": "x", "request_heartbeat": True}
    assert rename(name, arguments, TOOLS) == (name, arguments)
