"""Whether a document has the shape that `schema.json` says, and what is wrong where it has not.

Editors see what stands in the file, where `${name}` may be a number. What is checked here has its variables filled in,
so that a number must be one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from .source import Map, Mistake, Place, Seq

FILLED = {"$ref": "#/$defs/filled"}
"""The part of the schema that a variable is."""


@cache
def schema() -> dict[str, Any]:
    """The published JSON schema of a conversation."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text("utf-8"))
    return loaded


def check(document: Any, place: Place, rule: str = "") -> list[Mistake]:
    """What is wrong with the shape of a document; `rule` names the part of the schema that it is to be."""
    if not isinstance(document, Map) and not rule:
        expected = "a conversation starts with `title:` and `steps:`."
        return [Mistake(place, f"expected a conversation, and there is {_shown(document)}; {expected}")]
    return sorted(mistake for error in _validator(rule).iter_errors(document) for mistake in _told(error, document))


@cache
def _validator(rule: str) -> Any:
    from jsonschema import Draft202012Validator  # late: it takes a tenth of a second

    whole = _strict(schema())
    return Draft202012Validator({"$ref": f"#/$defs/{rule}", "$defs": whole["$defs"]} if rule else whole)


def _strict(rule: Any) -> Any:
    """The schema without the variables that may stand for numbers and the like."""
    if isinstance(rule, list):
        return [_strict(one) for one in rule]
    if not isinstance(rule, dict):
        return rule
    if rule.get("anyOf", [])[1:] == [FILLED]:
        rule = {**{key: value for key, value in rule.items() if key != "anyOf"}, **rule["anyOf"][0]}
    return {key: _strict(value) for key, value in rule.items()}


def locate(document: Any, path: list[Any]) -> Place:
    """Where the value at `path` stands."""
    place: Place = document.place
    for step in path:
        place = document.at(step) if isinstance(document, Map | Seq) else place
        document = document[step]
    return place


def _told(error: Any, document: Any) -> Iterator[Mistake]:
    path, rule, found = list(error.absolute_path), error.schema, error.instance
    place = locate(document, path)
    name = next((f"`{step}`" for step in reversed(path) if isinstance(step, str)), "the document")
    known = list(rule.get("properties", ()))
    title = rule.get("title", "something else")
    match error.validator:
        case "additionalProperties":
            for key in found.keys() - set(known):
                hint = _home_of(key, rule) or suggestion(key, known)
                yield Mistake(found.at(key), f"there is no key `{key}` in {name}.", hint)
        case "required":
            missing = ", ".join(f"`{key}`" for key in error.validator_value if key not in found)
            yield Mistake(place, f"{name} lacks {missing}.")
        case "minProperties" | "minItems" | "minLength" | "maxProperties":
            count = "too much" if error.validator.startswith("max") else "too little"
            keys = f"Its keys are {', '.join(known)}." if known else ""
            yield Mistake(place, f"{name} holds {count}; expected {title}.", keys)
        case "enum":
            words = [str(one).lower() if isinstance(one, bool) else str(one) for one in error.validator_value]
            yield Mistake(place, f"{name} is {_shown(found)}; expected {title}.", suggestion(str(found), words))
        case "minimum":
            yield Mistake(place, f"{name} is {found}; it must be at least {error.validator_value}.")
        case _:
            kinds, hint = rule.get("type", ()), rule.get("description", "")
            if isinstance(found, int | float) and "string" in kinds and "pattern" not in rule:
                hint = "Put it in quotes."
            elif isinstance(found, Map) and "array" in kinds:
                hint = f"Make a list of it: `{path[-1]}: [{{...}}]`."
            yield Mistake(place, f"{name} is {_shown(found)}; expected {title}.", hint)


def _home_of(key: str, rule: Any) -> str:
    """Which keys beside it a misplaced one stands in, if any."""
    parts = {
        name: schema()["$defs"][child["$ref"].split("/")[-1]] if "$ref" in child else child
        for name, child in rule.get("properties", {}).items()
    }
    homes = [f"`{name}`" for name, part in parts.items() if key in part.get("properties", ())]
    return f"It stands in {' or '.join(homes)}." if homes else ""


def suggestion(word: str, known: list[str]) -> str:
    """What may have been meant."""
    close = get_close_matches(word, known, 1, 0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"There are {', '.join(known)}." if known else ""


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return f"a mapping of {', '.join(map(str, list(value)[:4])) or 'nothing'}"
        case list():
            return f"a list of {len(value)}"
        case bool():
            return str(value).lower()
    return repr(value) if len(repr(value)) < 80 else f"{value!r:.77}..."
