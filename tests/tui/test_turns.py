"""What a turn looks like: the reply as it comes, calls, errors, notices; and text that tries to be more than text."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pagekeeper.runtime.errors import ModelRefused, ModelUnavailable, ToolError
from pagekeeper.runtime.models.base import ModelReply, ReasoningDelta, Retrying
from pagekeeper.runtime.models.scripted import Gate, Piece, Reply, ScriptedModel, call
from pagekeeper.runtime.stream import BlockChanged, EpochStarted, Recalled, TurnEnded, Warned
from pagekeeper.runtime.tool import CallContext, Tool
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.tui.driving import begin, idle, running, scripted, send, shown, until
from pagekeeper.tui.entries import ReplyEntry

HOSTILE = "[/foo] [bold]x[/bold] [@click=app.quit]q[/] \x1b[2J \x07 {a} $b 你好"


async def look_up(context: CallContext, query: str, limit: int = 5) -> str:
    if query == "boom":
        raise ToolError("The shelf is empty.", hint="Ask for something else.")
    return f"found {query} on shelf {limit}"


LOOK_UP = Tool(
    "look_up",
    "Looks something up.",
    {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}},
    look_up,
    effects="none",
)


async def test_a_reply_is_shown_while_it_comes_and_as_markdown_once_it_is_whole(tmp_path: Path) -> None:
    gate = Gate()
    async with running(scripted(tmp_path, ["It is **bo", "ld**.", gate])) as (app, pilot):
        await begin(app, pilot, "hello", lambda: any("ld**." in item.words() for item in app.transcript.items))
        app.transcript.flush()
        await pilot.pause()
        assert "It is **bold**." in shown(app.transcript)
        gate.open()
        await idle(app, pilot)
        assert "It is bold." in shown(app.transcript)
        assert shown(app.transcript).count("hello") == 1


async def test_calls_are_one_line_that_opens_and_errors_show_at_once(tmp_path: Path) -> None:
    calls = [call("look_up", query="peanuts", limit=3), call("look_up", query="boom"), call("nonsense")]
    async with running(scripted(tmp_path, ["Let me see.", *calls], "Done.", tools=[LOOK_UP])) as (app, pilot):
        await send(app, pilot, "search")
        text = shown(app.transcript)
        assert "▸ ✓ look_up  peanuts · limit=3" in text
        assert "found" not in text
        assert "✕ look_up  boom" in text
        assert "The shelf is empty." in text
        assert "✕ nonsense" in text
        await pilot.press("ctrl+o")
        assert "query: peanuts" in shown(app.transcript)
        assert "found peanuts on shelf 3" in shown(app.transcript)
        await pilot.press("ctrl+o")
        assert "found" not in shown(app.transcript)
        app.transcript.focus()
        for _ in range(4):
            await pilot.press("up")
        await pilot.press("enter")
        assert "found peanuts" in shown(app.transcript)
        rows = shown(app.transcript).split("\n")
        await pilot.click(app.transcript, offset=(6, next(y for y, row in enumerate(rows) if "✓ look_up" in row)))
        assert "found" not in shown(app.transcript)


async def test_model_errors_are_in_the_providers_words_with_the_hint(tmp_path: Path) -> None:
    words = "AuthenticationError: Incorrect API key provided: sk-abc [/x]."
    replies: list[Reply] = [
        ["Half a", ModelRefused(words, hint="Set OPENAI_API_KEY.")],
        ModelUnavailable("Overloaded."),
        "Hello.",
    ]
    async with running(scripted(tmp_path, *replies)) as (app, pilot):
        await send(app, pilot, "hi")
        text = shown(app.transcript)
        assert f"✕ {words} Set OPENAI_API_KEY." in " ".join(text.split())
        assert "Half a" in text
        assert "■ cut short" in text
        await send(app, pilot, "hi")
        assert "✕ Overloaded." in shown(app.transcript)
        await send(app, pilot, "still there?")
        assert "Hello." in shown(app.transcript)


async def test_an_input_that_is_refused_says_why(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "Hello.")) as (app, pilot):
        await send(app, pilot, "lone \ud800 surrogate")
        assert "lone surrogate (U+D800)" in shown(app.transcript)
        await send(app, pilot, "hi")
        assert "Hello." in shown(app.transcript)


async def test_a_retry_takes_back_what_was_streamed(tmp_path: Path) -> None:
    gate = Gate()
    reply: list[Piece] = [
        ReasoningDelta("hmm"),
        "void",
        gate,
        Retrying(1, 2.0, "429 slow down"),
        "real",
        ModelReply("real"),
    ]
    async with running(scripted(tmp_path, reply)) as (app, pilot):
        await begin(app, pilot, "hi", lambda: any(isinstance(item, ReplyEntry) for item in app.transcript.items))
        gate.open()
        await idle(app, pilot)
        text = shown(app.transcript)
        assert "void" not in text
        assert "thought (" not in text
        assert "asking again in 2 s (attempt 1): 429 slow down" in text
        assert "real" in text


async def test_turns_that_end_otherwise_say_so(tmp_path: Path) -> None:
    again = call("look_up", query="x")
    replies: list[Reply] = [again, again, again, "", "", ModelReply("Too lo", finish="length")]
    async with running(scripted(tmp_path, *replies, tools=[LOOK_UP])) as (app, pilot):
        await send(app, pilot, "one")
        assert "the same call 3 times" in shown(app.transcript)
        await send(app, pilot, "two")
        assert "empty reply twice" in shown(app.transcript)
        await send(app, pilot, "three")
        assert "! The reply was cut short" in shown(app.transcript)


async def test_ctrl_c_stops_the_reply_and_what_was_said_stays(tmp_path: Path) -> None:
    model = ScriptedModel(["Well, ", call("look_up", query="x"), Gate()], ["To **pea", Gate()], "Peanuts.")
    async with running(partial(open_agent, tmp_path, model, tools=[LOOK_UP])) as (app, pilot):

        def last() -> str:
            return app.transcript.items[-1].words()

        for text, part in (("one", "Well, "), ("two", "To **pea")):
            await begin(app, pilot, text, partial(lambda part: last() == part, part))
            await pilot.press("ctrl+c")
            await idle(app, pilot)
            assert shown(app.transcript).rstrip().endswith("■ stopped")
        assert "again to quit" not in shown(app.status)
        await send(app, pilot, "three")
        assert "Peanuts." in shown(app.transcript)
        assert_paired(model.requests)
        said = [(message["role"], message["content"]) for message in model.requests[-1].messages]
        assert ("assistant", "Well, ") in said
        assert ("assistant", "To **pea") in said
        session = app.conversation.session
        assert session is not None
        assert [message.text for message in await session.history() if message.partial] == ["Well, ", "To **pea"]


async def test_ctrl_c_quits_also_where_the_reply_does_not_stop(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, [Gate()])) as (app, pilot):
        await begin(app, pilot, "one", lambda: app.conversation.busy)
        app.prompt.put("draft")
        await pilot.press("ctrl+c")
        assert app.prompt.text == ""
        assert "stopping" not in app.status.state
        app.conversation.stop = lambda: True  # type: ignore[method-assign]
        await pilot.press("ctrl+c")
        assert "stopping" in app.status.state
        await pilot.press("ctrl+c")
        assert "again to quit" in shown(app.status)
        del app.conversation.stop
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.conversation.session is None)
    assert app.return_code == 0


async def test_escape_stops_the_reply_and_the_next_turn_works(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, ["Once upon", Gate()], "Again.")) as (app, pilot):
        await begin(app, pilot, "tell me", lambda: len(app.transcript.items) == 2)
        await pilot.press("escape")
        await idle(app, pilot)
        assert "Once upon" in shown(app.transcript)
        assert "■ stopped" in shown(app.transcript)
        await send(app, pilot, "again")
        assert "Again." in shown(app.transcript)


async def test_notices_of_what_the_runtime_does(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        for event in (
            Recalled("- [p-1] 2026-01-01 fact: tea", ("p-1",)),
            EpochStarted(2, "compaction", 1234),
            Warned("The summary failed."),
        ):
            await app.watching.happened(event)
        await pilot.pause()
        text = shown(app.transcript)
        assert "▸ recalled 1 memory" in text
        assert "summarised · 1,234 tokens" in text
        assert "! The summary failed." in text


async def test_nothing_that_others_wrote_is_markup_or_reaches_the_terminal(tmp_path: Path) -> None:
    replies: list[Reply] = [
        [ReasoningDelta(HOSTILE), call("look_up", query=HOSTILE), call(HOSTILE)],
        call("core_memory_append", label="human", content=HOSTILE),
        HOSTILE,
        ModelRefused(HOSTILE, hint=HOSTILE),
    ]
    async with running(scripted(tmp_path, *replies, tools=[LOOK_UP]), (100, 70)) as (app, pilot):
        await send(app, pilot, HOSTILE)
        await send(app, pilot, HOSTILE)
        for event in (
            Recalled(HOSTILE, ("p",)),
            BlockChanged("[/new]", 1, HOSTILE, "agent"),
            Warned(HOSTILE),
            TurnEnded("t", "error", "", HOSTILE),
        ):
            await app.watching.happened(event)
        await pilot.press("ctrl+o")
        app.prompt.put(HOSTILE)
        await pilot.pause()
        await until(pilot, lambda: "[/new]" in shown(app.blocks))
        text = shown(app.transcript) + shown(app.blocks)
        assert text.count("[/foo]") > 8
        assert "␛[2J" in text
        assert "\x1b" not in text
        assert "\x07" not in text


async def test_every_size_of_terminal_works(tmp_path: Path) -> None:
    reply = "# H\n\n| a | b |\n|--|--|\n| 你 | 2 |\n\n```py\nx\n```\n> > > q"
    async with running(scripted(tmp_path, [call("look_up", query="b"), "Hm."], reply, tools=[LOOK_UP])) as (app, pilot):
        await send(app, pilot, "hi 你好 " * 20)
        for size in ((40, 12), (64, 20), (80, 24), (200, 60), (20, 6), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            width = app.transcript.scrollable_content_region.width
            assert all(len(row) <= width + 1 for row in shown(app.transcript).split("\n"))
