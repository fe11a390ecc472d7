"""Tools made of Python functions: their schemas, how they run, and what cannot be one."""

from __future__ import annotations

import threading
from typing import Annotated, Any, Literal, Optional, cast

import pytest

from pagekeeper.runtime.arguments import validate
from pagekeeper.runtime.errors import ConfigError, ToolError
from pagekeeper.runtime.host_tool import check_tool, tool
from pagekeeper.runtime.tool import Applied, CallContext, Commit, Tool

CONTEXT = cast(CallContext, object())


async def run(made: Tool, **arguments: Any) -> Any:
    return await made.run(CONTEXT, **validate(arguments, made.parameters, made.name))


def test_a_schema_comes_from_the_hints() -> None:
    @tool
    def book(
        city: Annotated[str, "Where to"],
        nights: int,
        budget: float = 99.5,
        pets: bool = False,
        tags: list[str] | None = None,
        rooms: list[list[int]] = [],  # noqa: B006
        extra: dict[str, int] = {},  # noqa: B006
        kind: Literal["hotel", "flat"] = "hotel",
        note: Optional[str] = None,  # noqa: UP045
        guest: str | None = "me",
    ) -> str:
        """Book a stay.

        It is paid at once.
        """
        return city

    assert book.name == "book"
    assert book.description == "Book a stay.\n\nIt is paid at once."
    assert book.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where to"},
            "nights": {"type": "integer"},
            "budget": {"type": "number", "default": 99.5},
            "pets": {"type": "boolean", "default": False},
            "tags": {"type": "array", "items": {"type": "string"}},
            "rooms": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}, "default": []},
            "extra": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}},
            "kind": {"type": "string", "enum": ["hotel", "flat"], "default": "hotel"},
            "note": {"type": "string"},
            "guest": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "me"},
        },
        "required": ["city", "nights"],
        "additionalProperties": False,
    }


async def test_the_function_gets_what_it_hints_at() -> None:
    seen: list[Any] = []

    @tool
    async def take(a: float, b: int, c: list[float], d: Optional[int] = None, e: int | None = 5) -> None:  # noqa: UP045
        "Take numbers."
        seen.extend([a, b, c, d, e])

    assert await run(take, a=1, b=2.0, c=[1, 2], d=None, e=None) == "Done."
    assert repr(seen) == "[1.0, 2, [1.0, 2.0], None, None]"


async def test_a_sync_function_runs_in_a_thread() -> None:
    @tool(name="where", description="Tell the thread.")
    def anything() -> str:
        return threading.current_thread().name

    assert anything.name == "where"
    assert await run(anything) != threading.main_thread().name


async def test_the_context_is_given_and_not_shown() -> None:
    @tool
    async def same(text: str, call: CallContext) -> str:
        "Compare."
        return f"{text} {call is CONTEXT}"

    assert list(same.parameters["properties"]) == ["text"]
    assert await run(same, text="x") == "x True"


async def test_an_argument_may_be_called_context() -> None:
    @tool
    async def quote(context: str, items: list, more: dict) -> str:  # type: ignore[type-arg]
        "Quote."
        return f"{context} {items} {more}"

    assert quote.parameters["properties"]["items"] == {"type": "array", "items": {}}
    assert quote.parameters["properties"]["more"] == {"type": "object", "additionalProperties": True}
    assert await run(quote, context="x", items=[1, "a"], more={"b": 1}) == "x [1, 'a'] {'b': 1}"


async def test_results_are_text_json_or_a_commit() -> None:
    commit = Commit(lambda transaction: Applied([]))
    results: list[Any] = ["text", {"größe": [1, None]}, [{"type": "text"}], 3, commit, object()]

    @tool
    def give(index: int) -> Any:
        "Give a result."
        return results[index]

    assert await run(give, index=0) == "text"
    assert await run(give, index=1) == '{"größe": [1, null]}'
    assert await run(give, index=2) == '[{"type": "text"}]', "a list is a result, and no parts of one"
    assert await run(give, index=3) == "3"
    assert await run(give, index=4) is commit
    with pytest.raises(ToolError, match="cannot be written as JSON") as caught:
        await run(give, index=5)
    assert not caught.value.retryable


def test_what_is_declared_is_kept() -> None:
    @tool(effects="none", idempotent=True, timeout=5, approve="ask")
    def look() -> str:
        "Look."
        return ""

    assert (look.effects, look.idempotent, look.timeout, look.approve) == ("none", True, 5, "ask")


async def test_a_method_and_a_callable_object_can_be_tools() -> None:
    class Shop:
        def price(self, item: str) -> int:
            "Tell a price."
            return len(item)

        async def __call__(self, item: str) -> str:
            "Order an item."
            return f"ordered {item}"

    assert await run(tool(Shop().price), item="tea") == "3"
    assert await run(tool(description="Order.", name="order")(Shop()), item="tea") == "ordered tea"


def no_hint(a) -> None:  # type: ignore[no-untyped-def]
    "Doc."


def variadic(*a: str) -> None:
    "Doc."


def keywords(**a: str) -> None:
    "Doc."


def positional(a: str, /) -> None:
    "Doc."


def wide_union(a: str | int) -> None:
    "Doc."


def foreign(a: bytes) -> None:
    "Doc."


def foreign_inside(a: list[Tool]) -> None:
    "Doc."


def mixed_literal(a: Literal["x", 1]) -> None:
    "Doc."


def int_keys(a: dict[int, str]) -> None:
    "Doc."


def odd_default(a: float = float("nan")) -> None:
    "Doc."


def undocumented(a: str) -> None: ...


def unknown_name(a: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
    "Doc."


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_hint, "'a' has no type hint"),
        (variadic, "'a' cannot be given by name"),
        (keywords, "cannot be given by name"),
        (positional, "cannot be given by name"),
        (wide_union, "'a' has a type that is not supported, str | int"),
        (foreign, "not supported, bytes"),
        (foreign_inside, "not supported, Tool"),
        (mixed_literal, "not supported"),
        (int_keys, "not supported"),
        (odd_default, "cannot be written as JSON"),
        (undocumented, "no description"),
        (unknown_name, "its type hints cannot be read"),
    ],
)
def test_what_cannot_be_expressed_is_refused(function: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        tool(function)
    assert message in caught.value.message
    assert repr(function.__name__) in caught.value.message


async def never(context: CallContext) -> str:
    raise AssertionError


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "with space"}, "a name has 1 to 64"),
        ({"name": ""}, "a name has 1 to 64"),
        ({"name": "1st"}, "starts with a letter"),
        ({"name": "x" * 65}, "a name has 1 to 64"),
        ({"name": "größe"}, "a name has 1 to 64"),
        ({"description": " "}, "no description"),
        ({"timeout": 0}, "its timeout is 0 seconds"),
        ({"timeout": float("nan")}, "its timeout"),
        ({"parameters": {}}, 'no JSON schema of type "object"'),
        ({"parameters": {"type": "string"}}, 'no JSON schema of type "object"'),
        ({"parameters": {"type": "object", "properties": {"a": {"type": "text"}}}}, "wrong at $.properties.a.type"),
        ({"parameters": {"type": "object", "properties": {"a": {"pattern": "("}}}}, "wrong at $.properties.a.pattern"),
        ({"parameters": {"type": "object", "properties": {"a": {"default": b"x"}}}}, "cannot be written as JSON"),
        ({"parameters": {"type": "object", "properties": {"a": {"$ref": "http://localhost/x"}}}}, "refers to"),
        ({"parameters": {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}}, "refers to"),
    ],
)
def test_a_tool_made_by_hand_is_checked(changes: dict[str, Any], message: str) -> None:
    fields: dict[str, Any] = {"name": "t", "description": "Do.", "parameters": {"type": "object"}, "run": never}
    check_tool(Tool(**fields))
    with pytest.raises(ConfigError) as caught:
        check_tool(Tool(**fields | changes))
    assert message in caught.value.message


def test_a_schema_may_refer_to_itself() -> None:
    parameters = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    }
    made = check_tool(Tool("grow", "Grow.", parameters, never))
    assert validate({"tree": [[], [[]]]}, made.parameters, "grow")
    with pytest.raises(ToolError, match=r"'tree\[0\]' must be of type array"):
        validate({"tree": [1]}, made.parameters, "grow")
