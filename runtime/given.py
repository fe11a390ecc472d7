"""What a program gives to open an agent, checked before anything is opened or made.

Types are only hints to Python: what does not fit would fail somewhere inside, and after the agent was made.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .core.blocks import BlockSpec
from .directory import CALLED
from .errors import UsageError
from .host_tool import check_tool
from .scope import DEFAULT_CONVERSATION
from .text import check_name, check_text
from .tool import Tool

MOST_INSTRUCTIONS = 100_000

_PARTS: dict[str, tuple[str, ...]] = {
    "model": ("name", "window", "stream", "close"),
    "clock": ("now",),
    "ids": ("new",),
    "embedder": ("name", "dimension", "fingerprint", "embed_queries", "embed_passages"),
}
"""What each part that may be injected must have; see the protocols of these names."""

_NAMES = {"model": "a Model", "clock": "a Clock", "ids": "an Ids", "embedder": "an Embedder"}


def check_given(
    *,
    name: str,
    kind: str = "agent",
    conversation: str = DEFAULT_CONVERSATION,
    user: str | None,
    instructions: str = "",
    tools: Sequence[Tool] = (),
    blocks: Sequence[BlockSpec] = (),
    settings: Mapping[str, Any] | None,
) -> None:
    """Raise a UsageError or ConfigError for the first of these that `Agent.open` or `Memory.open` cannot take."""
    check_name(name, CALLED[kind])
    check_name(conversation, "A conversation's name")
    if user is not None:
        check_name(user, "A user's name")
    check_text(instructions, "The instructions", most=MOST_INSTRUCTIONS)
    for place, tool in enumerate(_several(tools, "tools", "Tools")):
        if not isinstance(tool, Tool):
            hint = "Decorate the function with @tool." if callable(tool) else "Make one with @tool."
            raise _wrong(f"tools[{place}]", "a Tool", tool, hint)
        check_tool(tool)
    for place, block in enumerate(_several(blocks, "blocks", "BlockSpecs")):
        if not isinstance(block, BlockSpec):
            raise _wrong(f"blocks[{place}]", "a BlockSpec", block, 'Write it as BlockSpec("label", "value").')
    if settings is not None and not isinstance(settings, Mapping):
        raise _wrong("settings", "a dict of settings by name", settings)


def check_part(name: str, part: object, instead: str = "") -> None:
    """Raise a UsageError where `part` is not what can stand for `name`: a class, or without what is asked of it."""
    if part is None:
        return
    missing = [it for it in _PARTS[name] if not hasattr(type(part), it) and it not in getattr(part, "__dict__", ())]
    if isinstance(part, type) or missing:
        lacks = f"It lacks {', '.join(missing)}." if missing and not isinstance(part, type) else "Give an object of it."
        raise _wrong(name, instead + _NAMES[name], part, lacks)


def check_path(home: object) -> None:
    """Raise a UsageError where `home` is neither a path nor None."""
    if home is not None and not isinstance(home, str | os.PathLike):
        raise _wrong("home", "a path, a Home or None", home)


def _several(given: Any, name: str, what: str) -> Sequence[Any]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise _wrong(name, f"a list of {what}", given)
    return given


def _wrong(name: str, expected: str, given: object, hint: str = "") -> UsageError:
    shown = f"the class {given.__name__}" if isinstance(given, type) else f"{type(given).__name__} {given!r:.60}"
    return UsageError(f"`{name}` of Agent.open must be {expected}, not {shown}.", hint=hint)
