"""Tools of the program that hosts an agent: from a typed Python function, or a Tool made by hand, checked.

@tool
def weather(city: str, days: Annotated[int, "How many days ahead"] = 1) -> str:
    "Forecast the weather of a city."
    ...

@tool(effects="external", idempotent=True, approve="ask", timeout=30)
async def send_mail(context: CallContext, to: str, text: str) -> None:
    "Send a mail."
    ...
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin, overload

from .errors import ConfigError, ToolError
from .tool import CallContext, Commit, Effects, Result, Tool

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_APPROVALS = ("never", "ask")
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}
_MAY_BE = (
    "It may be str, int, float, bool, list[...], dict[str, ...], Literal[...], one of these or None, or Annotated."
)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effects: Effects = "external",
    idempotent: bool = False,
    timeout: float = 60.0,
    approve: Literal["never", "ask"] = "never",
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a Tool of a function, async or not; one that is not runs in a thread, which a timeout cannot stop.

    The schema comes from the type hints, the description from the docstring, a parameter's description from
    `Annotated[..., "text"]`; a parameter with a default may be left out. A parameter with the hint CallContext gets
    the context of the call and is not shown to the model. A result that is not text is written as JSON; None as
    "Done.". The options are the fields of Tool of the same names. Raises ConfigError for what cannot be a tool.
    """
    if function is None:
        return lambda made: _make(made, **options)
    return _make(function, **options)


def check_tool(made: Tool) -> Tool:
    """`made` itself, if models can be told of it and its schema can check arguments. Raises ConfigError."""
    for field, kind in (("name", str), ("description", str), ("idempotent", bool)):
        if not isinstance(value := getattr(made, field), kind):
            _refuse(str(made.name)[:80], f"its {field} must be a {kind.__name__}, not {value!r:.60}")
    for field, known in (("effects", get_args(Effects)), ("approve", _APPROVALS)):
        if (value := getattr(made, field)) not in known:
            _refuse(made.name, f"its {field} cannot be {value!r:.60}", f"Use one of {', '.join(known)}.")
    if not callable(made.run):
        _refuse(made.name, "its `run` is no function")
    if not _NAME.fullmatch(made.name):
        _refuse(made.name, "a name has 1 to 64 of a-z, A-Z, 0-9, _ and -, and starts with a letter or _")
    if not made.description.strip():
        _refuse(made.name, "it has no description", "Give the function a docstring; the model decides by it.")
    if not isinstance(made.timeout, int | float) or not made.timeout > 0:
        _refuse(made.name, f"its timeout is {made.timeout} seconds")
    _check_schema(made.name, made.parameters)
    return made


def _make(
    function: Callable[..., Any], *, name: str | None = None, description: str | None = None, **options: Any
) -> Tool:
    called: str = name if name is not None else getattr(function, "__name__", type(function).__name__)
    hints = _hints(called, function)
    context_name: str | None = None
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            _refuse(called, f"the parameter {parameter.name!r} cannot be given by name")
        if parameter.name not in hints:
            _refuse(called, f"the parameter {parameter.name!r} has no type hint", _MAY_BE)
        hint = hints[parameter.name]
        if hint is CallContext:
            context_name = parameter.name
            continue
        schema = _schema(called, parameter.name, hint, optional=parameter.default is None)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            schema["default"] = parameter.default
        properties[parameter.name] = schema
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    text = description if description is not None else inspect.getdoc(function) or ""
    return check_tool(Tool(called, text, parameters, _runner(called, function, properties, context_name), **options))


def _hints(called: str, function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(_routine(function), include_extras=True)
    except Exception as error:
        raise ConfigError(f"The tool {called!r} cannot be made: its type hints cannot be read: {error}.") from error


def _schema(called: str, parameter: str, hint: Any, *, optional: bool = False) -> dict[str, Any]:
    """The JSON schema of a type hint. `optional`: None is the default, and the model may leave the argument out."""
    origin, inner = get_origin(hint), get_args(hint)
    schema = functools.partial(_schema, called, parameter)
    if origin is Annotated:
        texts = [extra for extra in inner[1:] if isinstance(extra, str)]
        return schema(inner[0], optional=optional) | ({"description": " ".join(texts)} if texts else {})
    if origin in (Union, types.UnionType):
        others = [schema(item) for item in inner if item is not type(None)]
        if len(others) == 1 and len(inner) == 2:
            return others[0] if optional else {"anyOf": [others[0], {"type": "null"}]}
    if origin is Literal:
        kinds = {type(value) for value in inner}
        if len(kinds) == 1 and (kind := kinds.pop()) in (str, int, bool):
            return {"type": _TYPES[kind], "enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": schema(inner[0])}
    if origin is dict and inner[0] is str:
        return {"type": "object", "additionalProperties": True if inner[1] is Any else schema(inner[1])}
    if isinstance(hint, type) and hint in _TYPES:
        # A bare dict or list holds anything, which providers want to be told.
        anything: dict[type, dict[str, Any]] = {dict: {"additionalProperties": True}, list: {"items": {}}}
        return {"type": _TYPES[hint], **anything.get(hint, {})}
    named = hint.__name__ if isinstance(hint, type) else str(hint)
    return _refuse(called, f"the parameter {parameter!r} has a type that is not supported, {named}", _MAY_BE)


def _routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, or that which runs when an object is called."""
    return function if inspect.isroutine(function) else type(function).__call__


def _runner(
    called: str, function: Callable[..., Any], properties: dict[str, Any], context_name: str | None
) -> Callable[..., Any]:
    is_async = inspect.iscoroutinefunction(_routine(function))

    async def run(context: CallContext, /, **arguments: Any) -> Result:
        given = {name: _fit(value, properties[name]) for name, value in arguments.items()}
        if context_name is not None:
            given[context_name] = context
        result = await (function(**given) if is_async else asyncio.to_thread(_called, function, given))
        return _result(called, result)

    return run


def _called(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    try:
        return function(**given)
    except StopIteration as error:
        # A future cannot hold it, so whoever waits would wait until the timeout.
        raise RuntimeError("the function raised StopIteration") from error


def _fit(value: Any, schema: dict[str, Any]) -> Any:
    """A number in the type that was hinted: JSON writes 3 for a float, and 3.0 passes as an integer."""
    kind = schema.get("type")
    if kind == "number" and isinstance(value, int):
        return float(value)
    if kind == "integer" and isinstance(value, float):
        return int(value)
    if kind == "array" and "items" in schema:
        return [_fit(item, schema["items"]) for item in value]
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return {key: _fit(item, schema["additionalProperties"]) for key, item in value.items()}
    if "anyOf" in schema and value is not None:
        return _fit(value, schema["anyOf"][0])
    return value


def _result(called: str, result: Any) -> Result:
    if isinstance(result, str | Commit):
        return result
    if result is None:
        return "Done."
    try:
        return json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        kind = type(result).__name__
        raise ToolError(
            f"{called} ran, but its result, a {kind}, cannot be written as JSON.", retryable=False
        ) from None


def _check_schema(called: str, schema: Any) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    if not isinstance(schema, dict) or schema.get("type") != "object":
        _refuse(called, 'its parameters are no JSON schema of type "object"')
    try:
        json.dumps(schema, allow_nan=False)
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        _refuse(called, f"its schema is wrong at {error.json_path}: {error.message[:300]}")
    except (TypeError, ValueError, RecursionError) as error:
        _refuse(called, f"its schema cannot be written as JSON: {error}")
    for reference in _references(schema):
        if not _resolves(reference, schema):
            _refuse(called, f"its schema refers to {reference!r}, which is not in it")


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield value
            yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _resolves(reference: str, schema: Any) -> bool:
    """Whether `reference` points into the schema itself."""
    if reference != "#" and not reference.startswith("#/"):
        return False
    for step in reference.removeprefix("#").split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or key not in schema:
            return False
        schema = schema[key]
    return True


def _refuse(called: str, what: str, hint: str = "") -> typing.NoReturn:
    raise ConfigError(f"The tool {called!r} cannot be made: {what}.", hint=hint)
