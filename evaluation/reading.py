"""Reading JSON that others wrote: each value knows its file and its key, so that what is wrong can be found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from ..runtime.errors import DatasetError


class Node:
    """A value in a JSON file. What asks for another shape than it has raises DatasetError."""

    def __init__(self, value: Any, file: Path, key: str = "") -> None:
        self.value = value
        self.file = file
        self.key = key
        """Where in the file, e.g. `qa[3].evidence`; empty at the top."""

    def __contains__(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def __getitem__(self, name: str) -> Node:
        """The value of a key, which must be there."""
        fields = self.fields()
        if name not in fields:
            self.fail(f"lacks the key {name!r}")
        return fields[name]

    def fields(self) -> dict[str, Node]:
        """The values of an object, by their keys."""
        if not isinstance(self.value, dict):
            self.fail(f"must be an object, not {_kind(self.value)}")
        before = f"{self.key}." if self.key else ""
        return {name: Node(value, self.file, f"{before}{name}") for name, value in self.value.items()}

    def items(self) -> Iterator[Node]:
        """The values of a list."""
        if not isinstance(self.value, list):
            self.fail(f"must be a list, not {_kind(self.value)}")
        return (Node(value, self.file, f"{self.key}[{place}]") for place, value in enumerate(self.value))

    def text(self) -> str:
        """A text with something in it."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.fail(f"must be text, not {_kind(self.value)}")
        return str(self.value)

    def number(self) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail(f"must be a whole number, not {_kind(self.value)}")
        return int(self.value)

    def fail(self, words: str) -> NoReturn:
        """Say what is wrong with it. Raises DatasetError."""
        raise DatasetError(f"{self.file}: {self.key or 'the whole'} {words}.", hint="Use the file as it is published.")


def read(file: Path) -> Node:
    """The JSON in a file. Raises DatasetError, for bad JSON with the line."""
    try:
        return Node(json.loads(file.read_bytes()), file)
    except json.JSONDecodeError as error:
        raise DatasetError(
            f"{file}, line {error.lineno}: not JSON ({error.msg}).", hint="Is the file whole, and no pointer to it?"
        ) from None
    except UnicodeDecodeError as error:
        raise DatasetError(f"{file} is not UTF-8 (byte {error.start}).") from None
    except RecursionError:
        raise DatasetError(f"{file} is nested too deeply.") from None
    except OSError as error:
        raise DatasetError(f"{file} cannot be read ({error.strerror}).") from None


def _kind(value: Any) -> str:
    if value is None or value == "":
        return "nothing"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
