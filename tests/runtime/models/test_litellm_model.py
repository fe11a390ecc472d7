"""LitellmModel against a local server that speaks the OpenAI protocol, streamed and whole, counting requests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from pagekeeper.runtime.errors import (
    ContextExceeded,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    StreamDropped,
)
from pagekeeper.runtime.models import gateway
from pagekeeper.runtime.models.base import (
    CallDelta,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    RequestedCall,
    Retrying,
    TextDelta,
    Usage,
)
from pagekeeper.runtime.models.litellm_model import DEFAULT_WINDOW, LitellmModel
from pagekeeper.tests.support.asking import ask, ask_until_error, request
from pagekeeper.tests.support.openai_server import (
    Answer,
    OpenAIServer,
    called,
    dropped,
    stalled,
    status,
    text,
    too_long,
)

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")

NAME = "openai/gpt-4o-mini"
KEY = "sk-test-123456"
USED = Usage(7, 5)
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}

Make = Callable[..., LitellmModel]


@pytest.fixture(params=[True, False], ids=["streaming", "whole"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def waits() -> list[float]:
    """What the model slept between two requests, in seconds; no time passes."""
    return []


@pytest.fixture
async def make(openai_server: OpenAIServer, waits: list[float]) -> AsyncIterator[Make]:
    made: list[LitellmModel] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def make(name: str = NAME, **options: Any) -> LitellmModel:
        where = {"api_base": openai_server.url, "api_key": KEY, "sleep": sleep}
        made.append(LitellmModel(name, **{**where, **options}))
        return made[-1]

    yield make
    for model in made:
        await model.close()


async def test_text(make: Make, openai_server: OpenAIServer, streaming: bool) -> None:
    openai_server.enqueue(text("Hel", "lo ", "你好"))
    deltas, reply = await ask(make(stream=streaming), request(tools=(TOOL,), max_tokens=99))
    assert reply == ModelReply("Hello 你好", usage=USED)
    assert deltas == (
        [TextDelta("Hel"), TextDelta("lo "), TextDelta("你好")] if streaming else [TextDelta("Hello 你好")]
    )
    [received] = openai_server.requests
    assert received.body["messages"] == [{"role": "user", "content": "hello"}]
    assert received.body["tools"] == [TOOL]
    assert received.body["max_tokens"] == 99
    assert received.headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("style", ["index", "no index", "same index", "same index, no id", "name in every piece"])
@pytest.mark.parametrize("size", [0, 3], ids=["at once", "in pieces"])
async def test_parallel_calls(make: Make, openai_server: OpenAIServer, style: Any, size: int) -> None:
    three = (("a", '{"x": 1}'), ("b", "{}"), ("a", '{"x": 2}'))
    openai_server.enqueue(called(*three, argument_size=size, call_style=style))
    deltas, reply = await ask(make(), request())
    calls = tuple(RequestedCall(name, arguments) for name, arguments in three)
    assert reply == ModelReply(calls=calls, finish="calls", usage=USED)
    joined: dict[int, str] = {}
    for delta in deltas:
        assert isinstance(delta, CallDelta)
        joined[delta.index] = joined.get(delta.index, "") + delta.arguments
    assert joined == {0: '{"x": 1}', 1: "{}", 2: '{"x": 2}'}


async def test_calls_beside_text(make: Make, openai_server: OpenAIServer, streaming: bool) -> None:
    openai_server.enqueue(called(("look", '{"at": "the sky"}'), ("look", "{}"), words="Let me see."))
    _, reply = await ask(make(stream=streaming), request())
    assert reply.text == "Let me see."
    assert reply.calls == (RequestedCall("look", '{"at": "the sky"}'), RequestedCall("look", "{}"))


@pytest.mark.parametrize("raw", ["{broken", "", '{"a": 1}{"a": 2}', "[1]", '{"tex": "\\frac"}'])
async def test_arguments_come_raw(make: Make, openai_server: OpenAIServer, streaming: bool, raw: str) -> None:
    openai_server.enqueue(called(("look", raw)))
    _, reply = await ask(make(stream=streaming), request())
    assert reply.calls == (RequestedCall("look", raw),)


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (replace(text("a"), finish="length"), "length"),
        (called(("look", '{"a'), finish="length"), "length"),
        (replace(text("a"), finish="content_filter"), "filtered"),
        (called(("look", "{}"), finish="stop"), "calls"),
        (replace(text("a"), finish="tool_calls"), "stop"),
        (replace(text("a"), finish="function_call"), "stop"),
    ],
)
async def test_finish(make: Make, openai_server: OpenAIServer, streaming: bool, answer: Answer, finish: str) -> None:
    openai_server.enqueue(answer)
    assert (await ask(make(stream=streaming), request()))[1].finish == finish


async def test_reasoning(make: Make, openai_server: OpenAIServer, streaming: bool) -> None:
    openai_server.enqueue(Answer(text="4", reasoning="2 and 2"))
    deltas, reply = await ask(make(stream=streaming), request())
    assert deltas == [ReasoningDelta("2 and 2"), TextDelta("4")]
    assert (reply.text, reply.reasoning) == ("4", "2 and 2")


async def test_an_empty_reply_is_a_reply(make: Make, openai_server: OpenAIServer, streaming: bool) -> None:
    openai_server.enqueue("")
    assert await ask(make(stream=streaming), request()) == ([], ModelReply(usage=USED))
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (None, Usage()),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, Usage()),
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 2,
                "total_tokens": 52,
                "prompt_tokens_details": {"cached_tokens": 32},
            },
            Usage(50, 2, 32),
        ),
    ],
    ids=["none", "zero", "cached"],
)
async def test_usage(
    make: Make, openai_server: OpenAIServer, streaming: bool, usage: dict[str, Any] | None, read: Usage
) -> None:
    openai_server.enqueue(replace(text("hi"), usage=usage))
    assert (await ask(make(stream=streaming), request()))[1].usage == read


async def test_several_hundred_deltas_even_equal_ones(make: Make, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(text(*["----- "] * 400))
    deltas, reply = await ask(make(), request())
    assert len(deltas) == 400
    assert reply.text == "----- " * 400


async def test_rate_limit_waits_as_long_as_asked(
    make: Make, openai_server: OpenAIServer, streaming: bool, waits: list[float]
) -> None:
    openai_server.enqueue(status(429, "Slow down.", retry_after="7"), status(429, retry_after="3600"), "ok")
    deltas, reply = await ask(make(stream=streaming, max_wait=20), request())
    assert deltas[0] == Retrying(2, 7, f"{NAME}: Slow down.")
    assert waits == [7, 20]
    assert reply.text == "ok"
    assert len(openai_server.requests) == 3


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 529])
async def test_what_is_worth_retrying_is_retried_until_the_last_attempt(
    make: Make, openai_server: OpenAIServer, streaming: bool, waits: list[float], code: int
) -> None:
    openai_server.enqueue(*[status(code, f"Failing with {code}.")] * 5)
    items, error = await ask_until_error(make(stream=streaming, max_attempts=3), request())
    assert isinstance(error, ModelTimeout if code == 408 else ModelUnavailable)
    assert str(error) == f"{NAME}: Failing with {code}. (asked 3 times)"
    assert [item.attempt for item in items if isinstance(item, Retrying)] == [2, 3]
    assert [wait for wait in waits if not 0 < wait <= 20] == []
    assert len(openai_server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            status(401, "Incorrect API key provided."),
            ModelRefused,
            "Incorrect API key provided. Check the provider's key.",
        ),
        (status(403, "Not for you."), ModelRefused, "Not for you."),
        (status(404, "No such model."), ModelRefused, "No such model. Check the model's name."),
        (status(400, "Bad tool."), ModelRefused, "Bad tool."),
        (status(422, "Bad field."), ModelRefused, "Bad field."),
        (
            status(429, "You exceeded your quota.", code="insufficient_quota"),
            ModelRefused,
            "You exceeded your quota. Look at the plan and the balance of your account there.",
        ),
        (
            too_long(),
            ContextExceeded,
            "This model's maximum context length is 8192 tokens. Please reduce the length of the messages. "
            "The conversation must become shorter.",
        ),
        (
            status(400, "the request exceeds the available context size, try increasing it"),
            ContextExceeded,
            "the request exceeds the available context size, try increasing it The conversation must become shorter.",
        ),
    ],
)
async def test_the_rest_is_not_retried_and_comes_in_the_providers_words(
    make: Make, openai_server: OpenAIServer, streaming: bool, answer: Answer, kind: type[Exception], words: str
) -> None:
    openai_server.enqueue(answer)
    items, error = await ask_until_error(make(stream=streaming), request())
    assert (items, type(error), str(error)) == ([], kind, f"{NAME}: {words}")
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        dropped(text("a", "b"), 0),
        dropped(text("a", "b"), 1),
        replace(text(""), finish=None),
        replace(text("a"), error_after=1, error={"message": "Overloaded."}),
    ],
    ids=["no chunk", "no word", "no finish", "error"],
)
async def test_a_stream_that_breaks_before_its_first_delta_is_asked_again(
    make: Make, openai_server: OpenAIServer, answer: Answer
) -> None:
    openai_server.enqueue(answer, "ok")
    deltas, reply = await ask(make(), request())
    assert [type(delta) for delta in deltas] == [Retrying, TextDelta]
    assert reply.text == "ok"
    assert len(openai_server.requests) == 2


@pytest.mark.parametrize(
    "answer",
    [
        dropped(text("a", "b"), 2),
        replace(text("a"), finish=None),
        replace(text("a", "b"), error_after=2, error={"message": "Overloaded."}),
        dropped(called(("look", '{"at": 1}'), argument_size=4), 2),
    ],
    ids=["dropped", "no finish", "error", "in a call"],
)
async def test_a_stream_that_breaks_later_is_not_asked_again(
    make: Make, openai_server: OpenAIServer, answer: Answer
) -> None:
    openai_server.enqueue(answer)
    items, error = await ask_until_error(make(), request())
    assert isinstance(error, StreamDropped)
    assert items == ([CallDelta(0, "look", '{"at')] if answer.calls else [TextDelta("a")])
    assert len(openai_server.requests) == 1


async def test_a_whole_reply_that_breaks_is_asked_again(make: Make, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(dropped(text("a"), 0), "ok")
    assert (await ask(make(stream=False), request()))[1].text == "ok"
    assert len(openai_server.requests) == 2


async def test_a_stream_that_breaks_after_its_finish_is_whole(make: Make, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(dropped(text("a"), 3))
    assert (await ask(make(), request()))[1] == ModelReply("a")


async def test_a_stall_before_the_first_delta_is_asked_again(
    make: Make, openai_server: OpenAIServer, streaming: bool
) -> None:
    openai_server.enqueue(stalled(text("a"), 1), "ok")
    model = make(stream=streaming, first_token_timeout=0.2, reply_timeout=0.2)
    deltas, reply = await ask(model, request())
    assert deltas == [Retrying(2, deltas[0].wait, f"{NAME}: nothing came for 0.2 seconds."), TextDelta("ok")]  # type: ignore[union-attr]
    assert reply.text == "ok"
    assert await asyncio.to_thread(openai_server.left_early.acquire, timeout=5)
    assert len(openai_server.requests) == 2


async def test_a_stall_later_is_an_error(make: Make, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(stalled(text("a", "b"), 2))
    items, error = await ask_until_error(make(token_timeout=0.1), request())
    assert items == [TextDelta("a")]
    assert isinstance(error, ModelTimeout)
    assert await asyncio.to_thread(openai_server.left_early.acquire, timeout=5)
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("after", [0, 2], ids=["before the first delta", "later"])
async def test_cancelling_closes_the_request(
    make: Make, openai_server: OpenAIServer, streaming: bool, after: int
) -> None:
    openai_server.enqueue(stalled(text("a", "b"), after))
    task = asyncio.create_task(ask(make(stream=streaming), request()))
    assert await asyncio.to_thread(openai_server.stalls.acquire, timeout=5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(openai_server.left_early.acquire, timeout=5)
    assert len(openai_server.requests) == 1


async def test_leaving_early_closes_the_request(make: Make, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(stalled(text("a", "b"), 2))
    stream = make().stream(request())
    assert await anext(stream) == TextDelta("a")
    await stream.aclose()  # type: ignore[attr-defined]
    assert await asyncio.to_thread(openai_server.left_early.acquire, timeout=5)


async def test_cancelling_a_wait_asks_no_more(make: Make, openai_server: OpenAIServer) -> None:
    waiting = asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    openai_server.enqueue(status(500))
    task = asyncio.create_task(ask(make(sleep=sleep), request()))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(openai_server.requests) == 1


async def test_nobody_listens(make: Make) -> None:
    _, error = await ask_until_error(make(api_base="http://127.0.0.1:9/v1", max_attempts=2), request())
    assert isinstance(error, ModelUnavailable)
    assert "Is its server running" in error.hint


async def test_a_key_never_shows(make: Make, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(status(401, f"Incorrect API key provided: {KEY}."))
    _, error = await ask_until_error(make(), request())
    assert str(error) == f"{NAME}: Incorrect API key provided: [key]. Check the provider's key."
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        (NAME, "Set the environment variable OPENAI_API_KEY."),
        ("anthropic/claude-sonnet-4-6", "Set the environment variable ANTHROPIC_API_KEY."),
        ("gemini/gemini-flash-latest", "GEMINI_API_KEY"),
        ("no-such-provider/x", "Put the provider before it, e.g. openai/gpt-4o."),
    ],
)
async def test_a_missing_key_is_named(
    make: Make, monkeypatch: pytest.MonkeyPatch, streaming: bool, name: str, hint: str
) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    items, error = await ask_until_error(make(name, api_base=None, api_key=None, stream=streaming), request())
    assert isinstance(error, ModelRefused)
    assert hint in error.hint
    assert items == []


async def test_a_server_of_ones_own_needs_no_key(
    make: Make, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert (await ask(make("openai/local", api_key=None), request()))[1].text == "ok"
    openai_server.enqueue(status(401, "Who are you?"))
    _, error = await ask_until_error(make("openai/local", api_key=None), request())
    assert str(error) == "openai/local: Who are you? Set the environment variable OPENAI_API_KEY."


async def test_closing_one_model_leaves_the_others_open(make: Make, openai_server: OpenAIServer) -> None:
    first, second = make(), make()
    await ask(first, request())
    openai_server.enqueue(text("a", "b"))
    stream = second.stream(request())
    await anext(stream)
    await first.close()
    assert [item async for item in stream][-1] == ModelReply("ab", usage=USED)
    await first.close()
    assert (await ask(first, request()))[1].text == "ok"


async def test_a_programs_own_callbacks_hear_of_each_call(
    make: Make, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm = await gateway.load()
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(_: Any, response: Any, *__: Any) -> None:
        heard.put_nowait(response.choices[0].message.content)

    monkeypatch.setattr(litellm, "success_callback", [hear])
    openai_server.enqueue("Hello.")
    await ask(make(), request())
    assert await asyncio.wait_for(heard.get(), 5) == "Hello."


async def test_more_options(make: Make, openai_server: OpenAIServer) -> None:
    await ask(make(options={"temperature": 0.25}), request())
    assert openai_server.bodies[-1]["temperature"] == 0.25


STEP = ModelRequest(
    messages=(
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c00000001", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c00000001", "content": "sky"},
    ),
    tools=(TOOL,),
)


@pytest.mark.parametrize("name", [NAME, "anthropic/claude-sonnet-4-6", "openrouter/anthropic/claude-sonnet-4.6"])
async def test_the_request_is_left_as_it_was(make: Make, openai_server: OpenAIServer, name: str) -> None:
    before = STEP.canonical()
    assert (await ask(make(name, api_base=base_for(name, openai_server)), STEP))[1].text == "ok"
    assert STEP.canonical() == before


def base_for(name: str, server: OpenAIServer) -> str:
    """Anthropic's path is added to the whole of its base, OpenAI's to one that ends with /v1."""
    return server.url.removesuffix("/v1") if name.startswith("anthropic/") else server.url


async def test_anthropic_caches_behind_the_head_the_users_words_and_the_end(
    make: Make, openai_server: OpenAIServer
) -> None:
    name = "anthropic/claude-sonnet-4-6"
    openai_server.enqueue("Blue.")
    _, reply = await ask(make(name, api_base=base_for(name, openai_server)), STEP)
    assert reply == ModelReply("Blue.", usage=Usage(43, 5, 40))
    body = openai_server.bodies[-1]
    mark = {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "Be kind.", "cache_control": mark}]
    user, assistant, result = body["messages"]
    assert user["content"] == [{"type": "text", "text": "Look.", "cache_control": mark}]
    assert "cache_control" not in str(assistant)
    assert result["content"][0]["cache_control"] == mark


async def test_other_providers_get_no_marks(make: Make, openai_server: OpenAIServer) -> None:
    await ask(make(), STEP)
    # litellm leaves out what is None.
    sent = [{key: value for key, value in message.items() if value is not None} for message in STEP.messages]
    assert openai_server.bodies[-1]["messages"] == sent


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("openai/gpt-4o", 128_000),
        ("gpt-4o", 128_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("openrouter/anthropic/claude-sonnet-4.5", 200_000),
        ("ollama_chat/gpt-4o", DEFAULT_WINDOW),
        ("openai/my-own", DEFAULT_WINDOW),
    ],
)
async def test_window(name: str, window: int) -> None:
    assert LitellmModel(name).window == window
    assert LitellmModel(name, window=8192).window == 8192


async def test_a_reply_is_not_asked_longer_than_the_model_can_give(make: Make, openai_server: OpenAIServer) -> None:
    await ask(make("openai/gpt-4o"), request(max_tokens=50_000))
    assert openai_server.bodies[-1]["max_tokens"] == 16_384


async def test_embeddings(make: Make, openai_server: OpenAIServer) -> None:
    model = "openai/text-embedding-3-small"
    vectors = await gateway.embed(model, ["a", "b"], dimensions=4, api_base=openai_server.url, api_key=KEY)
    assert [len(vector) for vector in vectors] == [4, 4]
    again = await gateway.embed(model, ["b"], dimensions=4, api_base=openai_server.url, api_key=KEY)
    assert again == vectors[1:]
    openai_server.enqueue(status(401, f"No: {KEY}."))
    with pytest.raises(Exception, match=r"text-embedding-3-small: No: \[key\]\. Check the provider's key\."):
        await gateway.embed(model, ["a"], api_base=openai_server.url, api_key=KEY)


async def test_a_long_stream_leaves_no_generator_behind_for_each_delta(make: Make, openai_server: OpenAIServer) -> None:
    """The event loop finalises each one that is left, and that takes longer than reading a delta does."""
    model = make()
    openai_server.enqueue("warm", text(*["word "] * 300))
    await ask(model, request())
    first, finalizer = sys.get_asyncgen_hooks()
    left: list[str] = []

    def finalize(generator: Any) -> None:
        left.append(generator.__qualname__)
        if finalizer is not None:
            finalizer(generator)

    sys.set_asyncgen_hooks(first, finalize)
    try:
        deltas, reply = await ask(model, request())
    finally:
        sys.set_asyncgen_hooks(first, finalizer)
    assert (len(deltas), reply.usage) == (300, USED)
    assert len(left) < 20, left
