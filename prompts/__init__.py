"""Every word that is said to the model, as Markdown files in this folder.

`tools/NAME.md` describes a tool: first what it does, then a list with one `` - `parameter`: text `` for each parameter.
"""

from __future__ import annotations

import copy
import re
from functools import cache
from importlib.resources import files
from typing import Any

_PARAMETER = re.compile(r"^- `([^`]+)`: ")


@cache
def load(name: str) -> str:
    """The text of `NAME.md` (`system`, `tools/archival_search`), without the line break at its end."""
    return files(__name__).joinpath(f"{name}.md").read_text("utf-8").removesuffix("\n")


def describe(name: str, schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The description of the tool `name`, and a copy of its schema in which each parameter is described.

    Raises ValueError where the schema and the file do not name the same parameters, so that neither promises what the
    other does not keep.
    """
    description, parameters = _split(load(f"tools/{name}"))
    described = copy.deepcopy(schema)
    properties = described.get("properties", {})
    missing, extra = properties.keys() - parameters.keys(), parameters.keys() - properties.keys()
    if missing or extra:
        wrong = [f"{key!r} is not described" for key in sorted(missing)]
        wrong += [f"{key!r} is described and does not exist" for key in sorted(extra)]
        raise ValueError(f"prompts/tools/{name}.md and the parameters of {name} differ: {', '.join(wrong)}.")
    for key, value in properties.items():
        value["description"] = parameters[key]
    return description, described


def _split(text: str) -> tuple[str, dict[str, str]]:
    """A tool's description, and its parameters' descriptions by name. A line that follows one continues it."""
    description: list[str] = []
    parameters: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        if match := _PARAMETER.match(line):
            current = match[1]
            if current in parameters:
                raise ValueError(f"{current!r} is described twice.")
            parameters[current] = line[match.end() :].strip()
        elif current and line.strip():
            parameters[current] += " " + line.strip()
        elif not current:
            description.append(line)
    return _flow("\n".join(description)), parameters


def _flow(text: str) -> str:
    """Paragraphs, each on one line: where the file breaks its lines says nothing to the model."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
