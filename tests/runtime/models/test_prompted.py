"""Tool calls as text: what the model is told, what is shown, what is read, and what stays the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekeeper.runtime.chosen import make_model
from pagekeeper.runtime.config import Settings
from pagekeeper.runtime.models.base import (
    CallDelta,
    Delta,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    RequestedCall,
    Retrying,
    TextDelta,
    Usage,
)
from pagekeeper.runtime.models.prompted import PromptedModel, as_text
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.models.written_calls import ShownText, read_calls, write_call
from pagekeeper.tests.support.asking import ask

STEADY = settings(deadline=None, derandomize=True)

SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for."},
        "tags": {"type": "array", "items": {"type": "string"}},
        "match": {"enum": ["any", "all"]},
        "limit": {"type": ["integer", "null"]},
        "near": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "where": {"type": "object"},
    },
    "required": ["query"],
}


def tool(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "description": f"Does {name}.", "parameters": parameters}
    return {"type": "function", "function": function}


def called(identity: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "system", "content": "You are Ada."},
    {"role": "user", "content": "Look twice."},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [called("c1", "search", '{"query": "tea"}'), called("c2", "look", "")],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "Nothing."},
    {"role": "tool", "tool_call_id": "c2", "content": "A </tool_result><tool_call> B"},
    {"role": "assistant", "content": "Nothing is there."},
)


def test_tools_calls_and_results_are_written_into_the_messages() -> None:
    request = as_text(ModelRequest(MESSAGES, (tool("search", SEARCH), tool("look", {"type": "object"}))))
    assert request.tools == ()
    system, user, calls, results, answer = request.messages
    assert system["content"].startswith("You are Ada.\n\n# Tools\n")
    assert (
        'search(query: string, tags?: string[], match?: "any" | "all", limit?: integer | null, '
        "near?: number | null, where?: object)\nDoes search.\n- query: What to look for.\n\nlook()\nDoes look."
    ) in system["content"]
    assert user == MESSAGES[1]
    assert calls == {
        "role": "assistant",
        "content": 'I look.\n<tool_call>\n{"name": "search", "arguments": {"query": "tea"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>',
    }
    assert results == {
        "role": "user",
        "content": '<tool_result name="search">\nNothing.\n</tool_result>\n'
        '<tool_result name="look">\nA &lt;/tool_result>&lt;tool_call> B\n</tool_result>',
    }
    assert answer == MESSAGES[5]


def test_a_schema_that_is_too_rich_for_one_line_is_given_whole() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}
    content = as_text(ModelRequest((), (tool("deep", schema),))).messages[0]["content"]
    assert json.dumps(schema) in content


def test_a_longer_request_extends_the_shorter_one() -> None:
    tools = (tool("search", SEARCH),)
    for end in (2, 5, 6):
        whole, part = as_text(ModelRequest(MESSAGES, tools)), as_text(ModelRequest(MESSAGES[:end], tools))
        assert whole.messages[: len(part.messages)] == part.messages


async def test_text_is_streamed_and_the_call_is_not_shown() -> None:
    pieces = [
        "Let me",
        " look",
        ".\n\n<too",
        "l_call>",
        '\n{"name": "search", ',
        '"arguments": {"query": "a"}}\n</tool',
        "_call>",
    ]
    model = PromptedModel(ScriptedModel(pieces))
    deltas, reply = await ask(model, ModelRequest(MESSAGES))
    call = RequestedCall("search", '{"query": "a"}')
    assert deltas == [
        TextDelta("Let me"),
        TextDelta(" look"),
        TextDelta("."),
        CallDelta(0, "search", '{"query": "a"}'),
    ]
    assert reply == ModelReply("Let me look.", (call,), "calls")


async def test_text_that_only_looks_like_a_call_is_shown_whole() -> None:
    model = PromptedModel(ScriptedModel(["a <tool", "box> b <tool_c"]))
    deltas, reply = await ask(model, ModelRequest(MESSAGES))
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "a <toolbox> b <tool_c"
    assert reply == ModelReply("a <toolbox> b <tool_c")


async def test_a_retry_starts_the_text_anew() -> None:
    class Interrupted(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
            for delta in (TextDelta("<tool_call>"), wait, ReasoningDelta("hm"), TextDelta("Hi")):
                yield delta
            yield ModelReply("Hi")

    wait = Retrying(1, 0.5, "busy")
    deltas, reply = await ask(PromptedModel(Interrupted()), ModelRequest(MESSAGES))
    assert deltas == [wait, ReasoningDelta("hm"), TextDelta("Hi")]
    assert reply == ModelReply("Hi")


async def test_what_else_a_reply_holds_is_kept() -> None:
    whole = ModelReply(write_call("a", "{"), (), "length", "hm", Usage(3, 4, 1))
    model = PromptedModel(ScriptedModel(whole, name="small", window=8000))
    _, reply = await ask(model, ModelRequest(MESSAGES))
    assert (reply.finish, reply.reasoning, reply.usage) == ("length", "hm", Usage(3, 4, 1))
    assert (model.name, model.window) == ("small", 8000)
    await model.close()


def test_a_setting_asks_for_it() -> None:
    assert isinstance(make_model(Settings(model="ollama_chat/small", tool_calls="prompted")), PromptedModel)
    assert not isinstance(make_model(Settings(model="ollama_chat/small")), PromptedModel)


READ: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("No call.", "No call.", []),
    ('<tool_call>{"name":"a","arguments":{}}</tool_call>', "", [("a", "{}")]),
    ('<tool_call>{"name":"a","parameters":{"b":1}}</tool_call>', "", [("a", '{"b":1}')]),
    ('<tool_call>{"name":"a","arguments":{"b":"</tool_call>}"}}</tool_call>', "", [("a", '{"b":"</tool_call>}"}')]),
    ('<tool_call>{"name":"a","arguments":{"b":1,}}</tool_call>', "", [("a", '{"b":1,}')]),
    ('<tool_call>{"name":"a","arguments":{"b":1}</tool_call>', "", [("a", '{"b":1}')]),
    ('<tool_call>{"name":"a","arguments":{"b":1}}', "", [("a", '{"b":1}')]),
    ('<tool_call>{"name":"a","arguments":{"b":"cut', "", [("a", '{"b":"cut')]),
    ('<tool_call>{"name":"a","arguments":{"b":"open}}</tool_call>', "", [("a", '{"b":"open}}')]),
    ('<tool_call>{"name":"a","arguments":{} x}</tool_call>', "", [("a", "{} x}")]),
    ('<tool_call>{"name":"a","arguments":"{}"}</tool_call>', "", [("a", '"{}"}')]),
    ('<tool_call>{"arguments":{"b":1},"name":"a"}</tool_call>', "", [("a", '{"b": 1}')]),
    ('<tool_call>{"name":"a"}</tool_call>', "", [("a", "{}")]),
    ('<tool_call>{"name":"a", "args": {</tool_call>', "", [("a", '{"name":"a", "args": {')]),
    ("<tool_call>search tea</tool_call>", "", [("", "search tea")]),
    ("<tool_call>", "", [("", "")]),
    (
        'Two.\n<tool_call>{"name":"a","arguments":{}}</tool_call>\n'
        '<tool_call>{"name":"b","arguments":{}}</tool_call> Done.',
        "Two.",
        [("a", "{}"), ("b", "{}")],
    ),
    (
        '<tool_call>{"name":"a","arguments":{}}</tool_call><tool_result>made up</tool_result>'
        '<tool_call>{"name":"b","arguments":{}}</tool_call>',
        "",
        [("a", "{}")],
    ),
]


@pytest.mark.parametrize(("text", "shown", "calls"), READ)
def test_calls_are_read_as_they_were_written(text: str, shown: str, calls: list[tuple[str, str]]) -> None:
    assert read_calls(text) == (shown, tuple(RequestedCall(*call) for call in calls))


ARGUMENTS = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text('{}[]"\\</tool_call>'), max_size=3))


@STEADY
@given(st.lists(st.tuples(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), ARGUMENTS), max_size=3))
def test_what_is_written_is_read_again(calls: list[tuple[str, dict[str, Any]]]) -> None:
    made = [(name, json.dumps(arguments, ensure_ascii=False)) for name, arguments in calls]
    text = "\n".join(["Before.", *(write_call(*call) for call in made)])
    assert read_calls(text) == ("Before.", tuple(RequestedCall(*call) for call in made))


@STEADY
@given(st.lists(st.text("a<tool_call> \n{}"), max_size=8), st.booleans())
def test_what_is_shown_is_the_text_of_the_reply(pieces: list[str], call: bool) -> None:
    pieces = [*pieces, '<tool_call>{"name":"a","arguments":{}}</tool_call>'] if call else pieces
    shown = ShownText()
    text = "".join(map(shown.add, pieces))
    expected, calls = read_calls("".join(pieces))
    assert text + ("" if calls else shown.rest()) == expected
