"""The whole loop with a litellm model against a local server that speaks the OpenAI protocol, streamed and whole.

Whatever the server does, the user sees a reply or the provider's own words, the server is asked no more often than our
own policy says, nothing hangs, and the log is valid: `Path.ended` holds each time that the next turn works.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path as Folder
from typing import Any

import pytest

from pagekeeper.assembly import Agent
from pagekeeper.runtime.models.base import ModelRequest, Usage
from pagekeeper.runtime.models.litellm_model import LitellmModel
from pagekeeper.runtime.stream import (
    BlockChanged,
    CallFinished,
    EpochStarted,
    ReasoningShown,
    ReplyDelta,
    RetryScheduled,
    StreamEvent,
    TurnEnded,
    Warned,
)
from pagekeeper.tests.support.agents import assert_paired, open_agent
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
ATTEMPTS = 3
HUMAN = "What I know about the user:"
LONGEST = 60
"""Seconds in which a turn must have ended, on a machine that has much else to do."""


def append(content: str) -> tuple[str, str]:
    """A call that adds a line to the block `human`."""
    return "core_memory_append", json.dumps({"label": "human", "content": content})


@dataclass(slots=True)
class Path:
    """An agent, the server that its model asks, and what happened."""

    agent: Agent
    server: OpenAIServer
    waits: list[float]
    events: list[StreamEvent] = field(default_factory=list)

    async def say(self, *answers: Answer | str, words: str = "Go on.") -> TurnEnded:
        """One turn, in which the server answers so. All of the answers must be asked for."""
        self.server.enqueue(*answers)
        async with asyncio.timeout(LONGEST):
            self.events = [event async for event in self.agent.stream(words)]
        assert self.server.left == 0, "an answer was not asked for"
        ended: list[TurnEnded] = self.of(TurnEnded)
        assert len(ended) == 1
        return ended[0]

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind in the last turn."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def shown(self) -> str:
        """The text that the user saw; what was streamed before a retry is void."""
        shown = ""
        for event in self.events:
            shown = "" if isinstance(event, RetryScheduled) else shown
            shown += event.text if isinstance(event, ReplyDelta) else ""
        return shown

    async def human(self) -> str:
        """The value of the block `human`."""
        return (await self.agent.memory.block("human")).value

    async def ended(self, requests: int) -> list[dict[str, Any]]:
        """The server was asked so often; the next turn works, and what it sent is valid. Returns its messages."""
        assert len(self.server.requests) == requests
        ended = await self.say("Fine.", words="And now?")
        assert (ended.reason, ended.text, ended.error) == ("done", "Fine.", "")
        assert len(self.server.requests) == requests + 1
        bodies = self.server.bodies
        assert_paired([ModelRequest(tuple(body["messages"])) for body in bodies])
        for body in bodies:
            for message in body["messages"]:
                for call in message.get("tool_calls", ()):
                    assert isinstance(json.loads(call["function"]["arguments"]), dict)
        messages: list[dict[str, Any]] = bodies[-1]["messages"]
        assert [message["role"] for message in messages[:2]] == ["system", "user"]
        assert messages[-1]["content"].endswith("And now?")
        return messages


@pytest.fixture(params=[True, False], ids=["streaming", "whole"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


Opened = Callable[..., contextlib.AbstractAsyncContextManager[Path]]


@pytest.fixture
def opened(tmp_path: Folder, openai_server: OpenAIServer, streaming: bool) -> Opened:
    """Opens the agent with a model that never sleeps; `options` are the model's."""

    @contextlib.asynccontextmanager
    async def opened(**options: Any) -> AsyncIterator[Path]:
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        patient = {"first_token_timeout": LONGEST, "token_timeout": LONGEST, "reply_timeout": LONGEST}
        fixed: dict[str, Any] = {"stream": streaming, "sleep": sleep, "max_attempts": ATTEMPTS}
        model = LitellmModel(NAME, api_base=openai_server.url, api_key=KEY, **{**patient, **fixed, **options})
        async with open_agent(tmp_path, model) as agent:
            yield Path(agent, openai_server, waits)
        await model.close()

    return opened


@pytest.fixture
async def path(opened: Opened) -> AsyncIterator[Path]:
    async with opened() as path:
        yield path


only_streaming = pytest.mark.parametrize("streaming", [True], indirect=True, ids=["streaming"])


async def test_text(path: Path) -> None:
    ended = await path.say(text("Hel", "lo ", "你好 👋"))
    assert (ended.reason, ended.text, path.shown) == ("done", "Hello 你好 👋", "Hello 你好 👋")
    messages = await path.ended(1)
    assert messages[2] == {"role": "assistant", "content": "Hello 你好 👋"}


async def test_one_call(path: Path) -> None:
    ended = await path.say(called(append("Name: Ada"), argument_size=5), "Noted.")
    assert (ended.reason, ended.text, ended.steps) == ("done", "Noted.", 2)
    assert await path.human() == f"{HUMAN}\nName: Ada"
    assert [event.label for event in path.of(BlockChanged)] == ["human"]
    messages = await path.ended(2)
    assert [message["role"] for message in messages[2:]] == ["assistant", "tool", "assistant", "user"]


@pytest.mark.parametrize("style", ["index", "no index", "same index", "same index, no id", "name in every piece"])
async def test_parallel_calls(path: Path, style: Any) -> None:
    three = (append("One"), ("archival_insert", '{"content": "The sky is blue."}'), append("Two"))
    ended = await path.say(called(*three, argument_size=4, call_style=style, words="Let me note it."), "Noted.")
    assert (ended.reason, ended.text) == ("done", "Noted.")
    assert await path.human() == f"{HUMAN}\nOne\nTwo"
    assert [event.error for event in path.of(CallFinished)] == [False] * 3
    messages = await path.ended(2)
    ids = [call["id"] for call in messages[2]["tool_calls"]]
    assert len(set(ids)) == 3
    assert [message["tool_call_id"] for message in messages[3:6]] == ids


async def test_ids_that_the_provider_repeats(path: Path) -> None:
    ended = await path.say(called(append("One")), called(append("Two")), "Noted.")
    assert ended.steps == 3
    messages = await path.ended(3)
    first, second = (call["id"] for message in messages for call in message.get("tool_calls", ()))
    assert first != second
    assert await path.human() == f"{HUMAN}\nOne\nTwo"


@pytest.mark.parametrize(
    "arguments",
    ["{broken", "", "[1]", '{"label": "human"}', '{"label": "human", "content": "a', '{"label": ' + "[" * 500],
    ids=["broken", "nothing", "no object", "missing", "cut", "deep"],
)
async def test_broken_arguments(path: Path, arguments: str) -> None:
    ended = await path.say(called(("core_memory_append", arguments)), "Sorry.")
    assert (ended.reason, ended.text) == ("done", "Sorry.")
    assert await path.human() == HUMAN
    [result] = path.of(CallFinished)
    assert result.error
    messages = await path.ended(2)
    assert messages[3]["content"].startswith("Error: ")


async def test_arguments_that_break_in_a_certain_way_are_mended(path: Path) -> None:
    await path.say(called(("core_memory_append", '{"label": "human", "content": "Ada",}')), "Noted.")
    assert await path.human() == f"{HUMAN}\nAda"
    await path.ended(2)


async def test_a_call_that_was_cut_short_does_not_run(path: Path) -> None:
    cut = called(("core_memory_append", '{"label": "human", "content": "Na'), finish="length")
    assert (await path.say(cut, "Sorry.")).text == "Sorry."
    assert await path.human() == HUMAN
    await path.ended(2)


async def test_an_unknown_tool(path: Path) -> None:
    ended = await path.say(called(("fly to/the moon", '{"speed": 7}')), "I cannot.")
    assert (ended.reason, ended.text) == ("done", "I cannot.")
    [result] = path.of(CallFinished)
    assert result.error
    messages = await path.ended(2)
    # Its name goes back as providers accept names.
    assert messages[2]["tool_calls"][0]["function"]["name"] == "fly_to_the_moon"


async def test_a_rate_limit_waits_as_long_as_the_provider_asks(path: Path) -> None:
    ended = await path.say(status(429, "Slow down.", retry_after="7"), "Hello.")
    assert (ended.reason, ended.text) == ("done", "Hello.")
    assert path.waits == [7]
    assert path.of(RetryScheduled) == [RetryScheduled(2, 7, f"{NAME}: Slow down.")]
    await path.ended(2)


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_a_server_that_keeps_failing(path: Path, code: int) -> None:
    ended = await path.say(*[status(code, "Not today.")] * ATTEMPTS)
    assert (ended.reason, ended.text) == ("error", "")
    assert ended.error == f"{NAME}: Not today. (asked {ATTEMPTS} times)"
    assert len(path.of(RetryScheduled)) == ATTEMPTS - 1
    messages = await path.ended(ATTEMPTS)
    # What the user said is still there, and nothing was made up as its answer.
    assert [message["role"] for message in messages[1:]] == ["user", "user"]


async def test_a_failing_server_recovers(path: Path) -> None:
    ended = await path.say(status(500, "Oops."), status(502, "Oops."), "Hello.")
    assert (ended.reason, ended.text) == ("done", "Hello.")
    await path.ended(3)


async def test_a_failure_between_two_steps(path: Path) -> None:
    ended = await path.say(called(append("Ada")), *[status(500, "Oops.")] * ATTEMPTS)
    assert (ended.reason, ended.error) == ("error", f"{NAME}: Oops. (asked {ATTEMPTS} times)")
    assert await path.human() == f"{HUMAN}\nAda"
    messages = await path.ended(1 + ATTEMPTS)
    assert [message["role"] for message in messages[1:]] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (status(401, f"Incorrect API key provided: {KEY}."), "Incorrect API key provided: [key]."),
        (status(403, "Not for you."), "Not for you."),
        (status(404, "No such model."), "No such model."),
        (status(400, "Bad tool."), "Bad tool."),
        (status(429, "You exceeded your quota.", code="insufficient_quota"), "You exceeded your quota."),
    ],
    ids=["401", "403", "404", "400", "quota"],
)
async def test_a_refusal_is_not_tried_again(path: Path, answer: Answer, words: str) -> None:
    ended = await path.say(answer)
    assert ended.reason == "error"
    assert ended.error.startswith(f"{NAME}: {words}")
    assert path.waits == []
    await path.ended(1)


@pytest.mark.parametrize("after", [0, 1], ids=["before any chunk", "before the first token"])
async def test_a_reply_that_breaks_off_before_the_first_token_is_asked_for_again(path: Path, after: int) -> None:
    ended = await path.say(dropped(text("a", "b"), after), "Hello.")
    assert (ended.reason, ended.text, path.shown) == ("done", "Hello.", "Hello.")
    assert len(path.of(RetryScheduled)) == 1
    await path.ended(2)


@only_streaming
async def test_a_stream_that_breaks_later_leaves_what_was_said(path: Path) -> None:
    ended = await path.say(dropped(text("Half a", " reply"), 2))
    assert (ended.reason, ended.text, path.shown) == ("error", "Half a", "Half a")
    assert f"{NAME}: " in ended.error
    messages = await path.ended(1)
    assert messages[2] == {"role": "assistant", "content": "Half a"}
    said = [message for message in await path.agent.history() if message.role == "assistant"]
    assert [message.partial for message in said] == [True, False]


@only_streaming
@pytest.mark.parametrize("words", ["", "Let me note it."])
async def test_a_stream_that_breaks_in_a_call_drops_the_call(path: Path, words: str) -> None:
    answer = called(append("Ada"), words=words, argument_size=4)
    ended = await path.say(dropped(answer, 3 if words else 2))
    assert (ended.reason, ended.text) == ("error", words)
    assert await path.human() == HUMAN
    messages = await path.ended(1)
    assert not any("tool_calls" in message for message in messages)


@only_streaming
async def test_an_error_in_a_stream_is_told_in_the_providers_words(path: Path) -> None:
    answer = replace(text("Half a", " reply"), error_after=2, error={"message": "Overloaded."})
    ended = await path.say(answer)
    assert (ended.reason, ended.text) == ("error", "Half a")
    assert "Overloaded." in ended.error
    await path.ended(1)


async def test_a_stall_before_the_first_token_is_asked_again(opened: Opened) -> None:
    async with opened(first_token_timeout=0.1, reply_timeout=0.1) as path:
        ended = await path.say(*[stalled(text("a"), 1)] * ATTEMPTS)
        assert ended.error == f"{NAME}: nothing came for 0.1 seconds. (asked {ATTEMPTS} times)"
    async with opened() as path:
        await path.ended(ATTEMPTS)


@only_streaming
async def test_a_stall_later_ends_the_turn_and_leaves_what_was_said(opened: Opened) -> None:
    async with opened(token_timeout=0.1) as path:
        ended = await path.say(stalled(text("Half a", " reply"), 2))
        assert (ended.reason, ended.text) == ("error", "Half a")
        assert ended.error.startswith(f"{NAME}: nothing came for 0.1 seconds.")
    async with opened() as path:
        messages = await path.ended(1)
        assert messages[2] == {"role": "assistant", "content": "Half a"}


async def test_cancelling_a_stall(path: Path) -> None:
    path.server.enqueue(stalled(text("Half a", " reply"), 2))
    turn = asyncio.create_task(path.agent.send("Go on."))
    assert await asyncio.to_thread(path.server.stalls.acquire, timeout=LONGEST)
    path.agent.cancel()
    assert (await turn).reason == "cancelled"
    assert await asyncio.to_thread(path.server.left_early.acquire, timeout=LONGEST)
    await path.ended(1)


async def test_an_empty_reply_is_asked_for_once_more(path: Path) -> None:
    ended = await path.say("", "Hello.")
    assert (ended.reason, ended.text) == ("done", "Hello.")
    await path.ended(2)


async def test_two_empty_replies_end_the_turn_and_say_so(path: Path) -> None:
    ended = await path.say("", "  \n")
    assert ended.reason == "empty"
    assert ended.error == f"The model {NAME} gave an empty reply twice."
    messages = await path.ended(2)
    assert [message["role"] for message in messages[1:]] == ["user", "user"]


async def test_a_request_that_is_too_long_is_compacted_and_sent_again(path: Path) -> None:
    for number in range(4):
        await path.say("Long. " * 400, words=f"Tell me {number}. " + "more " * 400)
    before = len(path.server.requests)
    ended = await path.say(too_long(), "They talked.", "Hello.")
    assert (ended.reason, ended.text) == ("done", "Hello.")
    assert len(path.of(EpochStarted)) == 1
    messages = await path.ended(before + 3)
    assert "They talked." in messages[0]["content"]
    sizes = [len(json.dumps(body["messages"])) for body in path.server.bodies]
    assert sizes[before + 2] <= sizes[before] * 0.6


async def test_a_provider_that_finds_everything_too_long(path: Path) -> None:
    await path.say("Hello.")
    # Each time it is compacted by half; where nothing is left to leave out, it is not asked again and again.
    path.server.otherwise = lambda _body: too_long()
    ended = await path.say()
    path.server.otherwise = lambda _body: text("ok")
    assert ended.reason == "error"
    assert "maximum context length" in ended.error
    asked = [body for body in path.server.bodies[1:] if "tools" in body]
    assert len(asked) <= 4
    await path.ended(len(path.server.requests))


@pytest.mark.parametrize(
    ("reported", "believed"),
    [
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, Usage()),
        (None, Usage()),
        ({"prompt_tokens": 70, "completion_tokens": 5, "total_tokens": 75}, Usage(70, 5)),
    ],
    ids=["zero", "none", "some"],
)
async def test_usage(path: Path, reported: dict[str, Any] | None, believed: Usage) -> None:
    ended = await path.say(replace(text("Hello."), usage=reported))
    assert (ended.text, ended.usage) == ("Hello.", believed)
    assert path.agent.usage == believed
    assert (await path.agent.context.overview()).reported == believed.input_tokens
    await path.ended(1)


async def test_reasoning_is_shown_and_never_sent_back(path: Path) -> None:
    ended = await path.say(Answer(text="4", reasoning="2 and 2"))
    assert (ended.text, path.shown) == ("4", "4")
    assert path.of(ReasoningShown) == [ReasoningShown("2 and 2")]
    messages = await path.ended(1)
    assert "2 and 2" not in json.dumps(messages)


async def test_reasoning_alone_is_an_empty_reply(path: Path) -> None:
    ended = await path.say(Answer(reasoning="Hm."), "Hello.")
    assert (ended.reason, ended.text) == ("done", "Hello.")
    await path.ended(2)


async def test_several_hundred_deltas(path: Path) -> None:
    pieces = [f"{number} " for number in range(400)] + ["----- "] * 200
    ended = await path.say(text("", *pieces))
    assert ended.text == path.shown == "".join(pieces)
    messages = await path.ended(1)
    assert messages[2]["content"] == "".join(pieces)


@pytest.mark.parametrize(("finish", "warned"), [("length", "cut short"), ("content_filter", "withheld")])
async def test_a_reply_that_is_not_whole_says_so(path: Path, finish: str, warned: str) -> None:
    ended = await path.say(replace(text("Half a reply"), finish=finish))
    assert (ended.reason, ended.text) == ("done", "Half a reply")
    [warning] = path.of(Warned)
    assert warned in warning.text
    await path.ended(1)
