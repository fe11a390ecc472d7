"""The tools of an agent by name: finding the one that a model means, and checking the arguments of its call."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable
from typing import Any

from .arguments import validate
from .errors import ConfigError, ToolError
from .tool import Tool

Rename = Callable[[str, dict[str, Any], Collection[str]], tuple[str, dict[str, Any]]]
"""From a name and arguments as a model may use them to ours, given the names there are."""


class Toolbox:
    """The tools that one agent's model may call. Raises ConfigError where two have one name."""

    def __init__(self, tools: Iterable[Tool], rename: Rename) -> None:
        self._tools: dict[str, Tool] = {}
        self._rename = rename
        for tool in tools:
            if tool.name in self._tools:
                raise ConfigError(f"Two tools are named {tool.name!r}.", hint="Rename one of them.")
            self._tools[tool.name] = tool
        self.schemas = tuple(tool.schema() for tool in self._tools.values())

    def find(self, name: str, arguments: dict[str, Any]) -> tuple[Tool, dict[str, Any]]:
        """The tool that is meant, and its checked arguments. Raises ToolError."""
        name, arguments = self._rename(name, arguments, self._tools)
        tool = self._tools.get(name)
        if tool is None:
            close = difflib.get_close_matches(name, self._tools, 2, 0.6)
            meant = f"Did you mean {' or '.join(close)}? " if close else ""
            raise ToolError(f"There is no tool {name[:80]!r}.", hint=f"{meant}There are: {', '.join(self._tools)}.")
        return tool, validate(arguments, tool.parameters, tool.name)
