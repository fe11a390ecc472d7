"""The tools of a script's host program: each gives the results that its script says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..runtime.errors import ScriptError, ToolError
from ..runtime.tool import CallContext, Tool


def host_tool(made: Mapping[str, Any], served: dict[str, int]) -> Tool:
    """The tool that a script describes; `served` counts, by name, the results that were given."""
    name = made["name"]
    results = [made["returns"]] if isinstance(made.get("returns"), str) else list(made.get("returns", ()))

    async def run(context: CallContext, **arguments: Any) -> str:
        if "fails" in made:
            raise ToolError(made["fails"])
        if not results:
            raise ScriptError(f"The tool {name} has no results.")
        served[name] = served.get(name, 0) + 1
        return str(results[min(served[name], len(results)) - 1])

    kinds = made.get("parameters", {})
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in kinds.items()},
        "required": list(kinds),
        "additionalProperties": False,
    }
    return Tool(
        name, made["description"], schema, run, made.get("effects", "external"), approve=made.get("approve", "never")
    )
