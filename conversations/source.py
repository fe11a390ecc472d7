"""Reading a YAML file such that every value knows the file and the line that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import yaml

from ..runtime.errors import ScriptMistake


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file; lines count from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Span:
    """Where a scalar stands in its file, as characters from `start` to `end`."""

    file: str
    start: int
    end: int


class Map(dict[str, Any]):
    """A mapping that knows where it and its keys stand."""

    def __init__(
        self,
        values: Mapping[str, Any],
        place: Place,
        places: Mapping[str, Place] | None = None,
        spans: Mapping[str, Span] | None = None,
    ) -> None:
        super().__init__(values)
        self.place = place
        self.places = dict(places or {})
        """By key."""
        self.spans = dict(spans or {})
        """Of the values that are scalars."""

    def holding(self, values: Mapping[str, Any]) -> Map:
        """Other values, which stand where these do."""
        return Map(values, self.place, self.places, self.spans)

    def at(self, key: str) -> Place:
        """Where a key stands."""
        return self.places.get(key, self.place)


class Seq(list[Any]):
    """A list that knows where it and its items stand."""

    def __init__(self, items: Iterable[Any], place: Place, places: Iterable[Place]) -> None:
        super().__init__(items)
        self.place = place
        self.places = list(places)

    def at(self, index: int) -> Place:
        """Where an item stands."""
        return self.places[index]


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """What is wrong in a file, and what helps."""

    place: Place
    words: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.words}" + (f" {self.hint}" if self.hint else "")


def refuse(mistakes: Iterable[Mistake]) -> ScriptMistake:
    """The error that tells of all these mistakes, in the order of their lines."""
    return ScriptMistake("\n".join(str(one) for one in sorted(set(mistakes))))


def read(path: Path) -> list[Any]:
    """The documents of a file. Raises ScriptMistake."""
    name = str(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ScriptMistake(f"{name} is not UTF-8 (byte {error.start}).", hint="Save it as UTF-8.") from None
    except OSError as error:
        raise ScriptMistake(f"{name} cannot be read ({error.strerror}).") from None
    try:
        nodes = [node for node in yaml.compose_all(text, Loader=_Loader) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        hint = _YAML_HINTS.get((error.problem or "").split(",")[0], "")
        raise refuse([Mistake(Place(name, line), f"this is not YAML: {error.problem}.", hint)]) from None
    except yaml.reader.ReaderError as error:
        raise ScriptMistake(f"{name} holds a character that YAML cannot: {error.reason}.") from None
    return [_value(node, name) for node in nodes]


_YAML_HINTS = {
    "mapping values are not allowed here": "Text that holds a colon and a space stands in quotes.",
    "found character '\\t' that cannot start any token": "Indent with spaces.",
}


class _Loader(yaml.SafeLoader):
    """YAML 1.2's plain words: a `no` or a date is text, as people expect in a conversation."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("int", r"^-?[0-9]+$", "-0123456789"),
    ("float", r"^-?[0-9]+\.[0-9]+$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


def _value(node: yaml.Node, file: str) -> Any:
    place = Place(file, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, file, place)
    if isinstance(node, yaml.SequenceNode):
        places = (Place(file, child.start_mark.line + 1) for child in node.value)
        return Seq((_value(child, file) for child in node.value), place, places)
    kind = node.tag.rsplit(":", 1)[-1]
    if kind == "bool":
        return node.value == "true"
    if kind == "null":
        return None
    return {"int": int, "float": float}.get(kind, str)(node.value)


def _mapping(node: yaml.MappingNode, file: str, place: Place) -> Map:
    out = Map({}, place)
    for key, child in node.value:
        where = Place(file, key.start_mark.line + 1)
        if not isinstance(key, yaml.ScalarNode):
            raise refuse([Mistake(where, "a key must be text.", "A text that starts with { or [ stands in quotes.")])
        if key.value in out:
            first = out.places[key.value].line
            raise refuse([Mistake(where, f"the key {key.value!r} is there twice; it is in line {first} already.")])
        out[key.value] = _value(child, file)
        out.places[key.value] = where
        if isinstance(child, yaml.ScalarNode):
            out.spans[key.value] = Span(file, child.start_mark.index, child.end_mark.index)
    return out
