"""Arguments of tool calls: what is read, what is mended, what is refused, and what the model is told."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekeeper.runtime.arguments import MAX_CHARACTERS, MAX_DEPTH, cleaned, parse_arguments, validate
from pagekeeper.runtime.errors import ToolError

STEADY = settings(deadline=None, derandomize=True)


def same(a: Any, b: Any) -> bool:
    """Equal in value and in type: 1, 1.0 and True differ."""
    return repr(a) == repr(b)


MENDED = [
    ('{"a": 1,}', {"a": 1}),
    ('{"a": [1, 2,],}', {"a": [1, 2]}),
    ('{"a": "x,}",}', {"a": "x,}"}),
    ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
    ('{"a": "True", "b": None}', {"a": "True", "b": None}),
    ('{"a": 1 // the first\n}', {"a": 1}),
    ('{"a": 1, /* "b": 2 } */ "c": 3}', {"a": 1, "c": 3}),
    ('{"a": "http://x/*y*/",}', {"a": "http://x/*y*/"}),
    ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
    ('{"a": "one\r\ntwo\n"}', {"a": "one\r\ntwo\n"}),
    ('{"a": "one\ttwo"}', {"a": "one\ttwo"}),
    ('{"a": "\\"quoted\\"\n"}', {"a": '"quoted"\n'}),
    ('{"a": "```json\n{}\n```"}', {"a": "```json\n{}\n```"}),
    ("", {}),
    (" \n", {}),
]

REFUSED = {
    "a truncated string": '{"a": "one tw',
    "a truncated list": '{"a": [1, 2',
    "a truncated list after a comma": '{"a": [1, 2,',
    "a truncated number": '{"a": 12',
    "a missing end": '{"a": 1',
    "two objects": '{"a": 1}{"a": 2}',
    "two objects on two lines": '{"a": 1}\n{"b": 2}',
    "words after the object": '{"a": 1} I hope this helps',
    "words before the object": 'Here: {"a": 1}',
    "a fence around the object": '```json\n{"a": 1}\n```',
    "a missing value": '{"a": , "b": 1}',
    "a missing value at the end": '{"a": }',
    "a missing comma": '{"a": 1 "b": 2}',
    "a missing colon": '{"a" 1}',
    "two commas": '{"a": [1,, 2]}',
    "a comma alone": "{,}",
    "a comma alone in a list": '{"a": [,]}',
    "leading zeros": '{"a": 007}',
    "a number in hexadecimal": '{"a": 0x10}',
    "duplicate names": '{"a": 1, "a": 2}',
    "duplicate names, mended": '{"a": 1, "a": 2,}',
    "duplicate names inside": '{"a": {"b": 1, "b": 1}}',
    "single quotes": "{'a': 1}",
    "a name without quotes": "{a: 1}",
    "a value without quotes": '{"a": yes}',
    "a quote inside a string": '{"a": "say "no" to it"}',
    "NaN": '{"a": NaN}',
    "Infinity": '{"a": -Infinity}',
    "a number that overflows": '{"a": 1e999}',
    "a number of 5,000 digits": '{"a": ' + "9" * 5000 + "}",
    "an unknown escape": '{"a": "\\d+"}',
    "a backslash before a raw line break": '{"a": "one\\\ntwo"}',
    "a list": "[1]",
    "a string": '"{}"',
    "null": "null",
    "a comment that never ends": '{"a": 1 /* }',
    "a comment in a value's place": '{"a": // 1\n}',
    "another comment style": '{"a": ["x", #y\n]}',
    "deep nesting": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep nesting, not closed": '{"a":' * 100_000,
    "nesting over the limit": '{"a": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}",
    "too long": '{"a": "' + "x" * MAX_CHARACTERS + '"}',
    "a raw NUL": '{"a": "x\0y"}',
    "a form feed": '{"a": "\\frac{1}{2}"}',
    "a backspace": '{"a": "\\beta"}',
    "a bare carriage return": '{"a": "\\rho"}',
    "a control character in a name": '{"\\u0001": 1}',
    "a lone surrogate": '{"a": "\\ud83d"}',
    "a raw lone surrogate": '{"a": "\ud83d"}',
    "a raw lone surrogate outside": '{"a": \ud83d}',
}


@pytest.mark.parametrize(("raw", "value"), MENDED)
def test_a_break_of_certain_meaning_is_mended(raw: str, value: dict[str, Any]) -> None:
    parsed = parse_arguments(raw, "calls")
    assert same(parsed.arguments, value)
    assert parsed.repaired is not None
    assert same(json.loads(parsed.repaired), value), "what ran is kept as strict JSON"


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_goes_back_to_the_model(raw: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse_arguments(raw, "calls")
    assert caught.value.retryable
    assert len(str(caught.value)) < 1500
    str(caught.value).encode()  # the error itself can be stored and sent


@pytest.mark.parametrize("raw", [raw for raw, _ in MENDED])
def test_a_reply_that_was_cut_short_is_never_mended(raw: str) -> None:
    with pytest.raises(ToolError, match="length limit"):
        parse_arguments(raw, "length")


def test_a_whole_object_of_a_reply_that_was_cut_short_is_taken() -> None:
    assert parse_arguments('{"a": 1}', "length").arguments == {"a": 1}


def test_an_error_says_where_and_shows_the_place() -> None:
    with pytest.raises(ToolError, match=r"Unterminated string starting at character 6, near '.*one tw'"):
        parse_arguments('{"a": "one tw', "calls")
    with pytest.raises(ToolError, match="'a' occurs twice"):
        parse_arguments('{"a": 1, "a": 2}', "calls")


def test_a_control_character_goes_back_with_the_raw_text() -> None:
    with pytest.raises(ToolError) as caught:
        parse_arguments('{"a": "half is \\frac{1}{2}"}', "calls")
    assert "U+000C" in caught.value.message
    assert '{"a": "half is \\frac{1}{2}"}' in caught.value.message


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (r"a\u001b[31m\u0000b", "a[31mb"),
        ("a\x1b\x7fb", "ab"),
        (r"\ud83d\ude00", "😀"),
        (r"a\ud83d b\ude00", "a b"),
        (r"\frac \beta\r\n\t\"\\", '\\frac \\beta\n\t"\\'),
        (r"C:\\frac\\u001b", r"C:\frac\u001b"),
    ],
)
def test_what_no_text_holds_is_left_out_of_an_answer_that_nobody_sends_again(raw: str, text: str) -> None:
    assert parse_arguments(cleaned(f'{{"a": "{raw}"}}'), "stop").arguments == {"a": text}


def test_a_megabyte_is_mended_at_once() -> None:
    value = "a line, \\ and more\n" * 60_000
    raw = '{"a": "' + value.replace("\\", "\\\\") + '",}'
    started = time.process_time()
    assert parse_arguments(raw, "calls").arguments == {"a": value}
    assert time.process_time() - started < 2


text = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t"\\/,:{}[]#'))
scalar = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
values = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=12
)
objects = st.dictionaries(text, values, max_size=5)


@STEADY
@given(objects, st.booleans(), st.sampled_from([None, 2]), st.sampled_from(["calls", "length"]))
def test_valid_json_keeps_its_meaning(value: dict[str, Any], ascii_only: bool, indent: int | None, finish: str) -> None:
    parsed = parse_arguments(json.dumps(value, ensure_ascii=ascii_only, indent=indent), finish)
    assert same(parsed.arguments, value)
    assert parsed.repaired is None


@settings(STEADY, max_examples=60)
@given(objects, st.booleans())
def test_every_truncation_is_refused(value: dict[str, Any], broken: bool) -> None:
    raw = json.dumps(value, ensure_ascii=False)
    if broken:
        raw = raw[:-1] + ",}" if value else raw
    for end in range(1, len(raw)):
        with pytest.raises(ToolError):
            parse_arguments(raw[:end], "calls")


@STEADY
@given(objects, st.data())
def test_breaking_in_certain_ways_does_not_change_the_meaning(value: dict[str, Any], data: st.DataObject) -> None:
    def write(item: Any) -> str:
        space = data.draw(st.sampled_from(["", " ", "\n", "/* } , */", "// ]\n"]))
        comma = data.draw(st.sampled_from(["", ","]))
        if isinstance(item, dict):
            pairs = ",".join(f"{write(key)}:{space}{write(inner)}" for key, inner in item.items())
            return f"{space}{{{pairs}{comma if item else ''}{space}}}"
        if isinstance(item, list):
            return f"[{space}{','.join(map(write, item))}{comma if item else ''}{space}]"
        if isinstance(item, str):
            return json.dumps(item, ensure_ascii=False).replace("\\n", "\n") if "\\" not in item else json.dumps(item)
        return repr(item) if isinstance(item, bool) or item is None else json.dumps(item)

    assert same(parse_arguments(write(value), "calls").arguments, value)


@STEADY
@given(st.text(st.sampled_from("{}[]:,\"\\'ab01-.eE /*\n\t#TrueNonfals")), st.sampled_from(["calls", "stop", "length"]))
def test_no_text_raises_anything_but_a_tool_error(raw: str, finish: str) -> None:
    try:
        parsed = parse_arguments(raw, finish)
    except ToolError:
        return
    assert isinstance(parsed.arguments, dict)


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 10},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "match": {"enum": ["any", "all"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "note": {"type": ["string", "null"]},
        "inner": {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False},
    },
    "required": ["query"],
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "'query' is missing"),
        ({"query": None}, "'query' must be of type string, not null"),
        ({"query": "x", "limit": "5"}, "'limit' must be of type integer, not \"5\""),
        ({"query": "x", "limit": 0}, "'limit' must be at least 1, not 0"),
        ({"query": "x", "limit": 51}, "'limit' must be at most 50, not 51"),
        ({"query": "x", "limit": True}, "'limit' must be of type integer, not true"),
        ({"query": ""}, "'query' must not be empty"),
        ({"query": "x" * 11}, "'query' must have at most 10 characters, not 11"),
        ({"query": "x", "tags": "work"}, "'tags' must be of type array, not \"work\""),
        ({"query": "x", "tags": ["a", 1]}, "'tags[1]' must be of type string, not 1"),
        ({"query": "x", "tags": ["a", "b", "c"]}, "'tags' must have at most 2 items, not 3"),
        ({"query": "x", "match": "some"}, '\'match\' must be "any" or "all", not "some"'),
        ({"query": "x", "page": 2}, "there is no argument 'page' (it takes query, tags, match, limit, note, inner)"),
        ({"query": "x", "inner": {"b": 1}}, "'inner': Additional properties are not allowed"),
        ({"query": "x", "inner": {"a": "1"}}, "'inner.a' must be of type integer, not \"1\""),
    ],
)
def test_an_error_names_the_argument_what_is_wrong_and_what_is_allowed(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError) as caught:
        validate(arguments, SCHEMA, "search")
    assert message in caught.value.message
    assert caught.value.message.startswith("search was called wrongly: ")
    assert caught.value.retryable


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ToolError) as caught:
        validate({"limit": 0, "page": 1}, SCHEMA | {"additionalProperties": False}, "search")
    assert all(part in caught.value.message for part in ("'page'", "'query' is missing", "'limit'"))
    assert caught.value.message.count("'page'") == 1


def test_null_for_what_may_be_left_out_counts_as_left_out() -> None:
    assert validate({"query": "x", "limit": None, "note": None}, SCHEMA, "search") == {"query": "x", "note": None}


def test_a_schema_may_allow_arguments_that_it_does_not_name() -> None:
    assert validate({"x": 1}, {"type": "object", "additionalProperties": True}, "t") == {"x": 1}
    with pytest.raises(ToolError, match="it takes no arguments"):
        validate({"x": 1}, {"type": "object"}, "t")


def test_a_huge_value_is_cut_in_the_message() -> None:
    with pytest.raises(ToolError) as caught:
        validate({"query": "x" * 1_000_000, "y" * 1_000_000: 1}, SCHEMA, "search")
    assert len(caught.value.message) < 500


def test_a_whole_number_is_one_however_it_is_written() -> None:
    schema = {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": 1},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "share": {"type": "number"},
            "either": {"type": ["integer", "number"]},
            "list": {"type": "array", "items": {"type": "integer"}},
            "inner": {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}},
            "free": {},
        },
    }
    given = {
        "limit": 5.0,
        "maybe": 2.0,
        "share": 1.0,
        "either": 1.0,
        "list": [1.0, 2],
        "inner": {"n": 3.0},
        "free": 1.0,
    }
    valid = validate(given, schema, "find")
    assert valid == given
    whole = [valid["limit"], valid["maybe"], *valid["list"], valid["inner"]["n"]]
    assert all(type(one) is int for one in whole)
    assert all(type(one) is float for one in (valid["share"], valid["either"], valid["free"]))
    with pytest.raises(ToolError, match="must be of type integer"):
        validate({"limit": 5.5}, schema, "find")
