"""From the raw text of a tool call's arguments to a checked object, or to an error that the model can mend.

Strict JSON is read first. Where it is broken, only breaks whose meaning is certain are mended: trailing commas,
comments, Python's True, False and None, and raw line breaks or tabs inside strings. The mending works on tokens and
is read strictly again, so it can drop or respell a token and never invent, join or finish one. Libraries that repair
JSON are not used: on these very breaks json_repair drops line breaks at the end of strings, replaces a string that
holds a fenced block by that block's contents, and takes 20 s for a megabyte.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import ToolError
from .text import storable

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

MAX_CHARACTERS = 4_000_000
"""Arguments that are longer than this are refused unread."""
MAX_DEPTH = 64
"""Objects and lists within each other."""

_AGAIN = "Send the call again with its arguments as one complete JSON object."
_SHORTER = "Send the call again with shorter arguments, or make several calls."

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r\n]+|//[^\n]*+|/\*.*?\*/)
      | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
      | (?P<mark>[{}\[\]:,])
      | (?P<word>[^\s{}\[\]:,"/]++)""",
    re.DOTALL | re.VERBOSE,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_ESCAPE_OR_RAW = re.compile(r"\\.|[\n\r\t]", re.DOTALL)
_RAW = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<letter>.)", re.DOTALL
)
_BOUNDS = {
    "minLength": ("have at least {} characters", True),
    "maxLength": ("have at most {} characters", True),
    "minItems": ("have at least {} items", True),
    "maxItems": ("have at most {} items", True),
    "minimum": ("be at least {}", False),
    "maximum": ("be at most {}", False),
}
"""How a bound is said, and whether it is one on the size."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Arguments by name. `repaired` is the JSON text that was read in place of the raw text, where that was broken."""

    arguments: dict[str, Any]
    repaired: str | None = None


def parse_arguments(raw: str, finish: str) -> Parsed:
    """The arguments that `raw` certainly means. `finish` is the reply's: after `length` nothing is repaired.

    No text at all stands for no arguments, as some providers send it. Raises ToolError, retryable, for everything
    else: broken or truncated JSON, a name that occurs twice, numbers that are not finite, what is too long or too
    deep, and strings with control characters or lone surrogates in them.
    """
    if len(raw) > MAX_CHARACTERS:
        size = f"{len(raw):,} characters; at most {MAX_CHARACTERS:,} are read"
        raise ToolError(f"The arguments have {size}.", hint=_SHORTER)
    try:
        parsed = Parsed(_strict(raw))
    except ValueError as error:
        if finish == "length":
            raise ToolError(
                "The reply reached its length limit, and the arguments are cut off.", hint=_SHORTER
            ) from None
        mended = "{}" if not raw.strip() else _mend(raw)
        if mended is None:
            _refuse(raw, error)
        try:
            parsed = Parsed(_strict(mended), mended)
        except ValueError:
            _refuse(raw, error)
    _check_strings(parsed.arguments, raw)
    return parsed


def cleaned(raw: str) -> str:
    """JSON text without control characters and halves of characters in its strings.

    For answers that nobody can be asked to send again, where one such character must not cost the rest. No prose holds
    a backspace or a form feed, so there `\\b` and `\\f` are a backslash and a letter, as in `\\frac`.
    """

    def clean(found: re.Match[str]) -> str:
        if found["letter"]:
            return {"b": r"\\b", "f": r"\\f", "r": ""}.get(found["letter"], found[0])
        character = chr(int(found["code"], 16)) if found["code"] else ""
        return "" if _CONTROL.match(character) or _SURROGATE.match(character) else found[0]

    return _CONTROL.sub("", _ESCAPED.sub(clean, storable(raw)))


def _strict(text: str) -> dict[str, Any]:
    """The object that `text` is in strict JSON. Raises ValueError, also where the standard library would not."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_float=_number, parse_constant=_constant)
    except RecursionError:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {_shown(twice)!r} occurs twice in one object")
    return made


def _number(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _mend(raw: str) -> str | None:
    """`raw` with its certain breaks mended, one space between tokens; None where it does not consist of tokens."""
    tokens: list[str] = []
    end = 0
    while end < len(raw):
        match = _TOKEN.match(raw, end)
        if match is None:
            return None
        end = match.end()
        token = match[0]
        if match.lastgroup == "skip":
            continue
        if match.lastgroup == "string":
            # An escape is kept whole, so that a backslash before a raw line break stays the error that it is.
            token = _ESCAPE_OR_RAW.sub(lambda found: _RAW.get(found[0], found[0]), token)
        elif match.lastgroup == "word":
            token = _WORDS.get(token, token)
        elif token in "]}" and tokens[-1:] == [","] and tokens[-2:-1] not in (["["], ["{"]):
            tokens.pop()
        tokens.append(token)
    return " ".join(tokens)


def _refuse(raw: str, error: ValueError) -> NoReturn:
    if not isinstance(error, json.JSONDecodeError):
        raise ToolError(f"The arguments cannot be read: {error}.", hint=_AGAIN) from None
    what = f"{error.msg.removesuffix(' at')} at character {error.pos}, near {_near(raw, error.pos)}"
    raise ToolError(f"The arguments are not valid JSON: {what}.", hint=_AGAIN) from None


def _check_strings(value: dict[str, Any], raw: str) -> None:
    """Raises ToolError for depth, and for what a string can hold by mistake alone: `\\frac` decodes to a form feed."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                _check_string(item, raw)
            elif isinstance(item, dict):
                inner += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                inner += item
        if not inner:
            return
        level = inner
    raise ToolError(f"The arguments are nested more than {MAX_DEPTH} deep.", hint=_AGAIN)


def _check_string(text: str, raw: str) -> None:
    if found := _CONTROL.search(text):
        raise ToolError(
            f"A string holds the control character U+{ord(found[0]):04X}, near {_near(text, found.start())}. "
            f"The arguments were: {_shown(raw[:600])}",
            hint="A backslash itself is written as two in JSON. Send the call again.",
        )
    if found := _SURROGATE.search(text):
        raise ToolError(
            f"A string holds half of a character, U+{ord(found[0]):04X}, near {_near(text, found.start())}. "
            f"The arguments were: {_shown(raw[:600])}",
            hint="Write the character itself, or both halves of its escape. Send the call again.",
        )


def validate(arguments: dict[str, Any], schema: dict[str, Any], tool: str) -> dict[str, Any]:
    """The arguments to run `tool` with, checked against its schema.

    A null for an argument that may be left out, and may not be null, counts as left out: models write it so. A name
    that the schema does not know is refused unless the schema has `additionalProperties`. A whole number that is
    written 5.0 is 5 where the schema wants an integer. Raises ToolError, retryable, with all that is wrong in one
    message.
    """
    properties = schema.get("properties", {})
    optional = properties.keys() - set(schema.get("required", ()))
    unset = {name for name in optional if arguments.get(name, 0) is None and not _allows_null(properties[name])}
    given = {name: value for name, value in arguments.items() if name not in unset}
    problems = list(_unknown(given, schema))
    for error in _validator(json.dumps(schema)).iter_errors(given):
        if error.absolute_path or error.validator != "additionalProperties":
            problems.append(_problem(error))
    if problems:
        what = "; ".join(list(dict.fromkeys(problems))[:5])
        raise ToolError(f"{tool} was called wrongly: {what}.", hint="Mend the call and send it again.")
    return {name: _whole(value, properties.get(name, {})) for name, value in given.items()}


def _whole(value: Any, schema: Any) -> Any:
    """`value` with the whole numbers where the schema wants them: 5.0 is one in JSON, and none in Python."""
    if not isinstance(schema, dict):
        return value
    if isinstance(value, float) and value.is_integer():
        branches = [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]
        types: set[str] = set()
        for branch in branches:
            told = branch.get("type", ()) if isinstance(branch, dict) else ()
            types |= {told} if isinstance(told, str) else set(told)
        return int(value) if "integer" in types and "number" not in types else value
    if isinstance(value, list):
        return [_whole(item, schema.get("items")) for item in value]
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        return {name: _whole(item, inner.get(name)) for name, item in value.items()}
    return value


@lru_cache(maxsize=256)
def _validator(schema: str) -> Validator:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    # An empty registry: a reference to another document is an error, never a request over the network.
    return Draft202012Validator(json.loads(schema), registry=Registry())


def _allows_null(schema: Any) -> bool:
    return isinstance(schema, dict) and _validator(json.dumps(schema)).is_valid(None)


def _unknown(arguments: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    """What is said of each argument that the schema does not know."""
    if schema.get("additionalProperties") or "patternProperties" in schema:
        return
    known = schema.get("properties", {})
    allowed = f"it takes {', '.join(known)}" if known else "it takes no arguments"
    for name in arguments:
        if name not in known:
            yield f"there is no argument {_shown(name[:60])!r} ({allowed})"


def _problem(error: ValidationError) -> str:
    """What one error of jsonschema says, in our words where its own are not plain."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)[1:]
    where = f"{_shown(place[:120])!r}" if place else "the arguments"
    rule: str = str(error.validator)
    allowed: Any = error.validator_value
    value: Any = error.instance
    given = _shown(json.dumps(value, ensure_ascii=False)[:80])
    if rule == "required":
        return f"{', '.join(repr(name) for name in allowed if name not in value)} is missing"
    if rule == "type":
        kinds = allowed if isinstance(allowed, list) else [allowed]
        return f"{where} must be of type {' or '.join(kinds)}, not {given}"
    if rule in ("enum", "const"):
        options = (json.dumps(option, ensure_ascii=False) for option in (allowed if rule == "enum" else [allowed]))
        return f"{where} must be {' or '.join(options)}, not {given}"
    if rule in ("minLength", "minItems", "minProperties") and len(value) == 0:
        return f"{where} must not be empty"
    if rule in _BOUNDS:
        what, size = _BOUNDS[rule]
        return f"{where} must {what.format(allowed)}, not {len(value) if size else given}"
    if rule == "pattern":
        return f"{where} must match {allowed!r}, and {given} does not"
    return f"{where}: {_shown(error.message[:200])}"


def _near(text: str, position: int) -> str:
    return repr(_shown(text[max(0, position - 30) : position + 30]))


def _shown(text: str) -> str:
    """`text` with what cannot be printed, or sent as UTF-8, spelled as an escape."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)
