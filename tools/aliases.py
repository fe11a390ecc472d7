"""Names that models know from Letta and MemGPT, for our tools and their arguments.

A model that has learned those names calls them whatever it is told; what it means is clear, so the call is taken. An
argument is renamed only where its meaning is ours exactly. What would change the meaning goes back to the model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..runtime.errors import ToolError

Arguments = dict[str, Any]
Renamed = tuple[str, Arguments]

_NAMES = {
    "archival_memory_insert": "archival_insert",
    "archival_memory_search": "archival_search",
    "conversation_search_date": "conversation_search",
    "core_memory_view": "core_memory_page_in",
    "create_memory_block": "core_memory_create",
    "delete_memory_block": "core_memory_delete",
    "memory_append": "core_memory_append",
    "memory_replace": "core_memory_replace",
    "memory_rethink": "core_memory_rethink",
    "recall_memory_search": "conversation_search",
    "rethink_memory": "core_memory_rethink",
}

_BLOCK = {"name": "label", "block": "label", "block_label": "label", "target_block_label": "label"}
_OLD = {"old_str": "old_content", "old_string": "old_content", "old_text": "old_content"}
_NEW = {"new_str": "new_content", "new_string": "new_content", "new_text": "new_content"}
_VALUE = {"new_memory": "new_value", "new_content": "new_value", "value": "new_value"}
_SEARCH = {
    "top_k": "limit",
    "tag_match_mode": "tag_match",
    "start_date": "start",
    "start_datetime": "start",
    "end_date": "end",
    "end_datetime": "end",
}
_ARGUMENTS: dict[str, dict[str, str]] = {
    "archival_insert": {"memory": "content", "text": "content"},
    "archival_search": _SEARCH,
    "conversation_search": _SEARCH,
    "core_memory_append": {**_BLOCK, "new_str": "content", "text": "content"},
    "core_memory_create": {**_BLOCK, "content": "value"},
    "core_memory_delete": _BLOCK,
    "core_memory_page_in": _BLOCK,
    "core_memory_page_out": _BLOCK,
    "core_memory_replace": {**_BLOCK, **_OLD, **_NEW},
    "core_memory_rethink": {**_BLOCK, **_VALUE},
}
"""By our tool: other names of its arguments."""


def rename(name: str, arguments: Arguments, tools: Collection[str]) -> Renamed:
    """The name and the arguments by which the agent's own tools, those named in `tools`, know a call.

    A tool's own name and own arguments always win; a name that means none of them comes back as it is. Raises
    ToolError, retryable, where a call is understood and ours cannot follow it.
    """
    if name not in tools:
        if name == "send_message":
            raise ToolError("There is no tool send_message.", hint="The user reads what you write outside of calls.")
        if name in _RESHAPED:
            name, arguments = _RESHAPED[name](arguments)
        name = _NAMES.get(name, name)
        arguments = _without_page(arguments) if name in tools else arguments
    renames = {
        other: ours for other, ours in _ARGUMENTS.get(name, {}).items() if other in arguments and ours not in arguments
    }
    if len(set(renames.values())) < len(renames):
        return name, arguments  # two names for one argument: validation says that they are not known
    # MemGPT's models ask for another step with `request_heartbeat`; here one follows in any case.
    kept = (key for key in arguments if key != "request_heartbeat" or name not in _ARGUMENTS)
    return name, {renames.get(key, key): arguments[key] for key in kept}


def _without_page(arguments: Arguments) -> Arguments:
    """Letta pages through results by number; ours shows more of them with `limit`."""
    if arguments.get("page"):
        raise ToolError(
            "Results do not come in pages.", hint="Leave out `page`; set a larger `limit`, or narrow the dates."
        )
    return {key: value for key, value in arguments.items() if key != "page"}


def _insert(arguments: Arguments) -> Renamed:
    """`memory_insert(label, new_str, insert_line)`: at the end, which is -1, it is an append."""
    if arguments.get("insert_line", -1) not in (-1, None):
        raise ToolError(
            "Text cannot be inserted at a line number.",
            hint="core_memory_append adds at the end; core_memory_replace can put text beside a piece that it repeats.",
        )
    return "core_memory_append", {key: value for key, value in arguments.items() if key != "insert_line"}


_COMMANDS: dict[str, tuple[str, dict[str, str]]] = {
    "create": ("core_memory_create", {"path": "label", "file_text": "value"}),
    "delete": ("core_memory_delete", {"path": "label"}),
    "insert": ("memory_insert", {"path": "label", "insert_text": "content"}),
    "str_replace": ("core_memory_replace", {"path": "label"}),
    "view": ("core_memory_page_in", {"path": "label"}),
}


def _command(arguments: Arguments) -> Renamed:
    """`memory(command, path, ...)`: one tool for all, with blocks as files under /memories."""
    command = arguments.get("command")
    if not isinstance(command, str) or command not in _COMMANDS:
        raise ToolError(
            f"There is no memory command {str(command)[:40]!r}.",
            hint=f"There are: {', '.join(_COMMANDS)}.",
        )
    name, renames = _COMMANDS[command]
    renamed = {renames.get(key, key): value for key, value in arguments.items() if key != "command"}
    if isinstance(renamed.get("label"), str):
        renamed["label"] = renamed["label"].removeprefix("/memories").removeprefix("/")
    return _insert(renamed) if name == "memory_insert" else (name, renamed)


_RESHAPED: dict[str, Callable[[Arguments], Renamed]] = {"memory": _command, "memory_insert": _insert}

OTHER_NAMES = frozenset({*_NAMES, *_RESHAPED})
"""The names that mean one of our tools, but for their arguments."""
