"""Making a tool from its function, its schema and the words in prompts/tools/."""

from __future__ import annotations

from typing import Any

from ..prompts import describe
from ..runtime.tool import Effects, Function, Tool

STRING = {"type": "string"}
STRINGS = {"type": "array", "items": {"type": "string"}}


def build(name: str, run: Function, required: list[str], effects: Effects = "memory", **properties: Any) -> Tool:
    """The tool `name` with these parameters, described by prompts/tools/NAME.md."""
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    description, parameters = describe(name, schema)
    return Tool(name, description, parameters, run, effects)
