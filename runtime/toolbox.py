"""The tools of an agent by name: finding the one that a model means, and checking the arguments of its call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .arguments import validate
from .errors import ConfigError, ToolError
from .tool import Tool

Resolve = Callable[[str, dict[str, Any], Mapping[str, Tool]], tuple[str, dict[str, Any]]]
"""From a name and arguments as a model may use them to those of a tool. Raises ToolError where none is meant."""


class Toolbox:
    """The tools that one agent's model may call. Raises ConfigError where two have one name."""

    def __init__(self, tools: Iterable[Tool], resolve: Resolve) -> None:
        self._tools: dict[str, Tool] = {}
        self._resolve = resolve
        for tool in tools:
            if tool.name in self._tools:
                raise ConfigError(f"Two tools are named {tool.name!r}.", hint="Rename one of them.")
            self._tools[tool.name] = tool
        self.schemas = tuple(tool.schema() for tool in self._tools.values())

    def find(self, name: str, arguments: dict[str, Any]) -> tuple[Tool, dict[str, Any]]:
        """The tool that is meant, and its checked arguments. Raises ToolError."""
        name, arguments = self._resolve(name, arguments, self._tools)
        tool = self._tools[name]
        return tool, validate(arguments, tool.parameters, tool.name)

    def get(self, name: str) -> Tool | None:
        """The tool that is meant by a name, if there is one."""
        try:
            return self._tools[self._resolve(name, {}, self._tools)[0]]
        except ToolError:
            return None
