"""The scripted model: what a reply may be, what it remembers, and what it refuses."""

from __future__ import annotations

import asyncio

import pytest

from pagekeeper.runtime.errors import ModelUnavailable, ScriptError, StreamDropped
from pagekeeper.runtime.models.base import (
    CallDelta,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    RequestedCall,
    TextDelta,
    Usage,
)
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel, call
from pagekeeper.tests.support.asking import ask, ask_until_error, request

REQUEST = request()


async def test_text_calls_and_pieces() -> None:
    model = ScriptedModel("Hello.", call("look", at="x"), ["Let me ", "see.", call("a"), call("b", name="n")])
    assert await ask(model, REQUEST) == ([TextDelta("Hello.")], ModelReply("Hello."))
    assert (await ask(model, REQUEST))[1] == ModelReply(calls=(RequestedCall("look", '{"at": "x"}'),), finish="calls")
    deltas, reply = await ask(model, REQUEST)
    assert deltas == [
        TextDelta("Let me "),
        TextDelta("see."),
        CallDelta(0, "a", "{}"),
        CallDelta(1, "b", '{"name": "n"}'),
    ]
    assert reply.text == "Let me see."
    assert [made.name for made in reply.calls] == ["a", "b"]
    model.assert_used()


async def test_a_whole_reply_comes_back_as_it_is() -> None:
    whole = ModelReply("Hi", (RequestedCall("a", "{broken"),), "length", "hm", Usage(3, 4, 1))
    deltas, reply = await ask(ScriptedModel(whole), REQUEST)
    assert reply == whole
    assert deltas == [ReasoningDelta("hm"), TextDelta("Hi"), CallDelta(0, "a", "{broken")]


async def test_errors_before_and_within_a_reply() -> None:
    model = ScriptedModel(ModelUnavailable("Overloaded."), ["Half", StreamDropped("gone")])
    with pytest.raises(ModelUnavailable, match="Overloaded"):
        await ask(model, REQUEST)
    seen, error = await ask_until_error(model, REQUEST)
    assert seen == [TextDelta("Half")]
    assert isinstance(error, StreamDropped)


async def test_replies_made_from_the_request() -> None:
    async def later(asked: ModelRequest) -> str:
        await asyncio.sleep(0)
        return f"{len(asked.messages)} message"

    model = ScriptedModel(lambda asked: asked.messages[-1]["content"].upper(), later)
    assert (await ask(model, REQUEST))[1].text == "HELLO"
    assert (await ask(model, REQUEST))[1].text == "1 message"


async def test_a_gate_holds_the_reply() -> None:
    gate = Gate()
    model = ScriptedModel([gate, "Late."])
    task = asyncio.create_task(ask(model, REQUEST))
    await gate.reached()
    assert not task.done()
    gate.open()
    assert (await task)[1].text == "Late."


async def test_requests_are_kept_as_they_were() -> None:
    message = {"role": "user", "content": "first"}
    model = ScriptedModel("a")
    await ask(model, ModelRequest(messages=(message,)))
    message["content"] = "changed"
    assert model.requests[0].messages[0]["content"] == "first"


async def test_summaries_have_their_own_queue() -> None:
    model = ScriptedModel("a", summaries=["in short"])
    summary = ModelRequest(messages=REQUEST.messages, purpose="summary")
    assert (await ask(model, summary))[1].text == "in short"
    with pytest.raises(ScriptError, match=r"request 2 \(a summary\)"):
        await ask(model, summary)
    with pytest.raises(AssertionError, match="1 scripted replies"):
        model.assert_used()


async def test_nothing_left_names_the_request() -> None:
    with pytest.raises(ScriptError, match=r"request 1 \(a turn\), which ends with user: 'hello'"):
        await ask(ScriptedModel(), REQUEST)
