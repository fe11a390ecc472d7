"""The app as a user meets it: what is shown while a turn runs, and what keys do."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual import events

from pagekeeper.runtime.errors import ConfigError, ModelRefused
from pagekeeper.runtime.stream import (
    ApprovalNeeded,
    BlockChanged,
    CallFinished,
    CallStarted,
    EpochStarted,
    ReasoningShown,
    Recalled,
    ReplyDelta,
    RetryScheduled,
    StepStarted,
    TurnEnded,
    Warned,
)
from pagekeeper.tests.tui.driving import background, idle, running, send, shown, until
from pagekeeper.tests.tui.fake import Block, Call, FakeSession, Message, Overview, Step
from pagekeeper.tui.entries import ReplyEntry, UserEntry
from pagekeeper.tui.screens import Approval, Reading

HOSTILE = "[/foo] [bold]x[/bold] [@click=app.quit]q[/] \x1b[2J \x07 {a} $b 你好"


async def test_a_reply_is_shown_while_it_comes_and_as_markdown_once_it_is_whole() -> None:
    gate = asyncio.Event()
    session = FakeSession([[StepStarted(1, 10), ReplyDelta("It is **bo"), ReplyDelta("ld**."), gate]])
    async with running(session.open) as (app, pilot):
        app.prompt.put("hello")
        await pilot.press("enter")
        await until(pilot, lambda: app.transcript.items and "ld**." in app.transcript.items[-1].words())
        app.transcript.flush()
        await pilot.pause()
        assert "It is **bold**." in shown(app.transcript)
        gate.set()
        await idle(app, pilot)
        assert "It is bold." in shown(app.transcript)
        assert session.inputs == ["hello"]


async def test_an_edit_of_a_block_is_marked_until_the_user_speaks_again() -> None:
    session = FakeSession(stored=[Block("human", "Name: Ada\nLikes tea", revision=3)])
    after = "Name: Ada\nLikes coffee"

    def edit() -> None:
        session.stored[0] = replace(session.stored[0], value=after, revision=4, writer="agent")

    gate = asyncio.Event()
    session.turns = [[edit, BlockChanged("human", 4, after, "agent"), gate], [ReplyDelta("ok")]]
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        assert "● human" not in shown(app.blocks)
        assert "r3 user" in shown(app.blocks)
        assert "19/5,000" in shown(app.blocks)
        app.prompt.put("coffee now")
        await pilot.press("enter")
        await until(pilot, lambda: "r4 agent" in shown(app.blocks))
        assert "● human" in shown(app.blocks)
        plain = background(app.blocks, "Name: Ada")
        came, went = background(app.blocks, "Likes coffee"), background(app.blocks, "Likes tea")
        assert len({plain, came, went}) == 3
        gate.set()
        await idle(app, pilot)
        assert "Likes tea" in shown(app.blocks)
        await send(app, pilot, "thanks")
        assert "Likes tea" not in shown(app.blocks)
        assert background(app.blocks, "Likes coffee") == plain


async def test_blocks_that_are_new_deleted_or_paged_out_are_told_apart() -> None:
    session = FakeSession(stored=[Block("a", "one"), Block("b", "two", "About b", pinned=False)], out={"b"})

    def change() -> None:
        session.stored[:] = [Block("b", "two", "About b", pinned=False), Block("c", "three", writer="sleeptime")]

    session.turns = [[change, BlockChanged("a", 2, None, "agent")]]
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        assert "r1 user, paged out" in shown(app.blocks)
        assert "About b" in shown(app.blocks)
        assert "two" not in shown(app.blocks)
        assert "1 in, 1 out" in str(app.query_one("#blocks-title").render())
        await send(app, pilot, "go")
        text = shown(app.blocks)
        assert "deleted by agent" in text
        assert "● c" in text
        assert "r1 sleeptime" in text
        await send(app, pilot, "again")
        assert "deleted" not in shown(app.blocks)


async def test_calls_are_one_line_that_opens_and_errors_show_at_once() -> None:
    session = FakeSession(
        [
            [
                CallStarted("c1", "archival_search", '{"query": "peanuts", "limit": 5}'),
                CallFinished("c1", "archival_search", "- [p-1] 2026-01-01 fact: allergic", False),
                CallStarted("c2", "archival_insert", '{"content": "x"}'),
                CallFinished("c2", "archival_insert", "Error: the disk is full.", True),
                ReplyDelta("done"),
            ]
        ]
    )
    async with running(session.open) as (app, pilot):
        await send(app, pilot, "search")
        text = shown(app.transcript)
        assert "▸ ✓ archival_search  peanuts · limit=5" in text
        assert "allergic" not in text
        assert "✕ archival_insert" in text
        assert "Error: the disk is full." in text
        await pilot.press("ctrl+o")
        assert "query: peanuts" in shown(app.transcript)
        assert "allergic" in shown(app.transcript)
        await pilot.press("ctrl+o")
        assert "allergic" not in shown(app.transcript)
        app.transcript.focus()
        for _ in range(3):
            await pilot.press("up")
        await pilot.press("enter")
        assert "allergic" in shown(app.transcript)


async def test_a_click_opens_a_call() -> None:
    session = FakeSession([[CallStarted("c1", "look", "{}"), CallFinished("c1", "look", "the result", False)]])
    async with running(session.open) as (app, pilot):
        await send(app, pilot, "go")
        y = shown(app.transcript).split("\n").index(next(r for r in shown(app.transcript).split("\n") if "look" in r))
        await pilot.click(app.transcript, offset=(6, y))
        assert "the result" in shown(app.transcript)


async def test_model_errors_are_in_the_providers_words_with_the_hint() -> None:
    words = "AuthenticationError: Incorrect API key provided: sk-abc."
    session = FakeSession(
        [
            [ReplyDelta("Half a"), TurnEnded("t", "error", "Half a", words, data={"hint": "Set OPENAI_API_KEY."})],
            [ModelRefused("No such model [/x].", hint="Choose another.")],
            [ValueError("a bug")],
        ]
    )
    async with running(session.open) as (app, pilot):
        await send(app, pilot, "hi")
        text = shown(app.transcript)
        assert words in text
        assert "Set OPENAI_API_KEY." in text
        assert "cut short" in text
        await send(app, pilot, "hi")
        assert "No such model [/x]." in shown(app.transcript)
        assert "Choose another." in shown(app.transcript)
        await send(app, pilot, "hi")
        assert "ValueError: a bug" in shown(app.transcript)
        await send(app, pilot, "still there?")
        assert "You said: still there?" in shown(app.transcript)


async def test_notices_and_a_retry_that_voids_what_was_streamed() -> None:
    session = FakeSession(
        [
            [
                Recalled("- [p-1] tea", ("p-1",)),
                ReasoningShown("hmm"),
                ReplyDelta("void"),
                RetryScheduled(1, 2.0, "429 slow down"),
                EpochStarted(2, "compaction", 1234),
                Warned("The summary failed."),
                ReplyDelta("real"),
                TurnEnded("t", "step_cap", "real"),
            ]
        ]
    )
    async with running(session.open) as (app, pilot):
        await send(app, pilot, "hi")
        text = shown(app.transcript)
        assert "void" not in text
        for words in (
            "recalled 1 memory",
            "429 slow down",
            "summarised · 1,234",
            "summary failed",
            "real",
            "as many steps",
        ):
            assert words in text


async def test_nothing_that_others_wrote_is_markup_or_reaches_the_terminal() -> None:
    session = FakeSession(
        log=[Message("m", 1, "user", HOSTILE), Message("n", 2, "assistant", HOSTILE)],
        stored=[Block("[/foo]", HOSTILE, HOSTILE), Block("out[/x]", "v", HOSTILE)],
        out={"out[/x]"},
        turns=[
            [
                Recalled(HOSTILE, ("p",)),
                ReasoningShown(HOSTILE),
                ApprovalNeeded("c1", HOSTILE, HOSTILE),
                CallStarted("c1", HOSTILE, HOSTILE),
                CallFinished("c1", HOSTILE, HOSTILE, True),
                BlockChanged("[/new]", 1, HOSTILE, "agent"),
                RetryScheduled(1, 1, HOSTILE),
                Warned(HOSTILE),
                ReplyDelta(HOSTILE),
                TurnEnded("t", "error", HOSTILE, HOSTILE),
            ]
        ],
    )
    async with running(session.open, (100, 60)) as (app, pilot):
        app.title = HOSTILE
        await send(app, pilot, HOSTILE)
        await pilot.press("ctrl+o")
        text = shown(app.transcript) + shown(app.blocks)
        assert text.count("[/foo]") > 6
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "␛[2J" in text
        assert session.inputs == [HOSTILE]


async def test_what_is_typed_before_the_agent_is_open_is_sent_once_it_is() -> None:
    gate = asyncio.Event()
    session = FakeSession()

    @asynccontextmanager
    async def slow() -> AsyncIterator[FakeSession]:
        await gate.wait()
        async with session.open() as opened:
            yield opened

    async with running(slow) as (app, pilot):
        for text in ("one", "two"):
            app.prompt.put(text)
            await pilot.press("enter")
        await pilot.pause()
        assert "opening" in shown(app.status)
        assert "2 waiting" in shown(app.status)
        assert session.inputs == []
        gate.set()
        await idle(app, pilot)
        assert session.inputs == ["one", "two"]
        users = [item.words() for item in app.transcript.items if isinstance(item, UserEntry)]
        assert users == ["one", "two"]


async def test_an_agent_that_cannot_be_opened_says_why() -> None:
    @asynccontextmanager
    async def broken() -> AsyncIterator[FakeSession]:
        raise ConfigError("Unknown key `modle` in line 3.", hint="Did you mean `model`?")
        yield FakeSession()

    async with running(broken) as (app, pilot):
        await until(pilot, lambda: app.status.state == "not open")
        assert "Unknown key `modle` in line 3." in shown(app.transcript)
        assert "Did you mean `model`?" in shown(app.transcript)
        app.prompt.put("hello")
        await pilot.press("enter")
        assert app.prompt.text == "hello"
        assert "not open" in shown(app.status)
        app.prompt.clear()
        await pilot.press("ctrl+c", "ctrl+c")
    assert app.return_code == 1


async def test_escape_stops_the_reply_and_the_next_turn_works() -> None:
    session = FakeSession([[ReplyDelta("Once upon"), asyncio.Event()]])
    async with running(session.open) as (app, pilot):
        app.prompt.put("tell me")
        await pilot.press("enter")
        await until(pilot, lambda: len(app.transcript.items) == 2)
        await pilot.press("escape")
        await idle(app, pilot)
        assert "Once upon" in shown(app.transcript)
        assert "■ stopped" in shown(app.transcript)
        await send(app, pilot, "again")
        assert "You said: again" in shown(app.transcript)


async def test_ctrl_c_clears_the_input_and_quits_on_the_second_press() -> None:
    session = FakeSession()
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        app.prompt.put("draft")
        await pilot.press("ctrl+c")
        assert app.prompt.text == ""
        await pilot.press("ctrl+c")
        assert "again to quit" in shown(app.status)
        await pilot.press("a", "backspace", "ctrl+c")
        assert app.is_running
        assert not session.closed
        await pilot.press("ctrl+c")
        await until(pilot, lambda: session.closed)
    assert app.return_code == 0


async def test_leaving_stops_the_turn_and_closes_the_agent() -> None:
    session = FakeSession([[ReplyDelta("x"), asyncio.Event()]])
    async with running(session.open) as (app, pilot):
        app.prompt.put("go")
        await pilot.press("enter")
        await until(pilot, lambda: app.conversation.busy)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: session.closed)


async def test_new_lines_pastes_and_the_history_of_inputs() -> None:
    session = FakeSession(log=[Message("m", 1, "user", "from before"), Message("n", 2, "assistant", "yes")])
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        await pilot.press("a", "ctrl+j", "b")
        assert app.prompt.text == "a\nb"
        app.prompt.post_message(events.Paste("c\r\nd\n"))
        await pilot.pause()
        assert app.prompt.text == "a\nbc\nd\n"
        assert session.inputs == []
        await pilot.press("up", "up", "up")
        assert app.prompt.text == "a\nbc\nd\n"
        await pilot.press("up")
        assert app.prompt.text == "from before"
        await pilot.press("up")
        assert app.prompt.text == "from before"
        await pilot.press("down")
        assert app.prompt.text == "a\nbc\nd\n"
        await pilot.press("enter")
        await idle(app, pilot)
        assert session.inputs == ["a\nbc\nd\n"]


async def test_a_resumed_conversation_is_drawn_from_the_log_gauge_included() -> None:
    log = [
        Message("m1", 1, "user", "What am I allergic to?"),
        Message("m2", 2, "assistant", "", (Call("c1", "archival_search", '{"query": "allergy"}'),)),
        Message("m3", 3, "tool", "Error: no.", call_id="c1"),
        Message("m4", 4, "assistant", "To **pea", partial=True),
    ]
    fill = Overview([("system", 900), ("tools", 0), ("messages", 9_500), ("free", -5)], 10_000, 10_400, None, 2)
    session = FakeSession(log=log, fill=fill)
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        text = shown(app.transcript)
        for words in ("What am I allergic to?", "✕ archival_search  allergy", "Error: no.", "cut short"):
            assert words in text
        gauge = shown(app.gauge)
        assert "10,400 of 10,000 counted (over)" in gauge
        assert "reported: nothing" in gauge
        assert "-5" not in gauge
        assert all(len(line) <= app.gauge.size.width for line in gauge.split("\n"))


async def test_the_gauge_says_what_was_counted_and_what_was_reported() -> None:
    session = FakeSession(fill=Overview([("core", 300), ("messages", 700)], 8_000, 1_000, 1_137))
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        assert "1,000 of 8,000 counted (12%)" in shown(app.gauge)
        assert "reported: 1,137 (+137)" in shown(app.gauge)
        session.fill = replace(session.fill, reported=0)
        await send(app, pilot, "/context")
        assert isinstance(app.screen, Reading)
        await pilot.press("escape")
        assert "reported: nothing" in shown(app.gauge)


async def test_a_person_decides_on_calls_and_no_letter_allows_one() -> None:
    session = FakeSession()
    ask: list[Step] = [ApprovalNeeded("c1", "send_mail", '{"to": "[/foo]"}'), session.answered]
    session.turns = [[*ask, CallFinished("c1", "send_mail", "sent", False)], [*ask]]
    async with running(session.open) as (app, pilot):
        app.prompt.put("mail it")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Approval))
        await pilot.press("y", "a", "space")
        assert session.answers in ([], [("c1", False)])
        assert not any(allowed for _, allowed in session.answers)
    session = FakeSession()
    session.turns = [[ApprovalNeeded("c1", "send_mail", "{}"), session.answered]]
    async with running(session.open) as (app, pilot):
        app.prompt.put("mail it")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Approval))
        await pilot.press("right", "enter")
        await idle(app, pilot)
        assert session.answers == [("c1", True)]


async def test_a_question_closes_when_its_turn_is_over() -> None:
    gate = asyncio.Event()
    session = FakeSession()
    session.turns = [[ApprovalNeeded("c1", "send_mail", "{}"), gate]]
    async with running(session.open) as (app, pilot):
        app.prompt.put("mail it")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Approval))
        gate.set()
        await idle(app, pilot)
        assert not isinstance(app.screen, Approval)
        assert session.answers == []


async def test_commands_come_from_one_table() -> None:
    session = FakeSession([[ReplyDelta("the **reply**")]])
    async with running(session.open) as (app, pilot):
        await send(app, pilot, "hi")
        app.prompt.put("/co")
        await pilot.pause()
        assert "/copy [all]" in shown(app.status)
        assert "/context" in shown(app.status)
        await pilot.press("tab")
        assert app.prompt.text == "/co"
        app.prompt.put("/cop")
        await pilot.press("tab")
        assert app.prompt.text == "/copy "
        await pilot.press("enter")
        await until(pilot, lambda: "Copied" in app.status.message)
        assert "through" in app.status.message
        await send(app, pilot, "/nonsense")
        assert "no command /nonsense" in app.status.message
        assert app.prompt.text == "/nonsense"
        await send(app, pilot, "/help")
        assert isinstance(app.screen, Reading)
        await pilot.press("escape")
        await send(app, pilot, "/usr/bin is a folder")
        assert session.inputs[-1] == "/usr/bin is a folder"
        assert {command.title for command in app.get_system_commands(app.screen)} >= {"/help", "/quit"}
        await send(app, pilot, "/theme")
        assert app.theme == "pagekeeper-light"


async def test_focus_reports_are_swallowed() -> None:
    async with running(FakeSession().open) as (app, pilot):
        await idle(app, pilot)
        app.post_message(events.AppBlur())
        await pilot.pause()
        assert app.app_focus
        assert app.focused is app.prompt


async def test_the_view_follows_the_end_until_the_reader_scrolls_up() -> None:
    log = [Message(f"m{i}", i, "user", f"message {i}") for i in range(1, 60)]
    gate = asyncio.Event()
    session = FakeSession([[ReplyDelta("\n\n".join(["line"] * 30)), gate, ReplyDelta("the end")]], log=log)
    async with running(session.open, (100, 30)) as (app, pilot):
        await idle(app, pilot)
        assert "message 59" in shown(app.transcript)
        app.prompt.put("go")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.transcript.items[-1], ReplyEntry))
        await pilot.press("pageup", "pageup")
        before = shown(app.transcript)
        gate.set()
        await idle(app, pilot)
        assert shown(app.transcript) == before
        await pilot.press("escape")
        assert "the end" in shown(app.transcript)


async def test_older_messages_are_read_when_the_reader_comes_to_the_top() -> None:
    log = [Message(f"m{i}", i, "user", f"message {i}.") for i in range(1, 451)]
    session = FakeSession(log=log)
    async with running(session.open) as (app, pilot):
        await idle(app, pilot)
        assert len(app.transcript.items) == 200
        app.transcript.focus()
        await pilot.press("home")
        await until(pilot, lambda: len(app.transcript.items) == 400)
        assert "message 251." in shown(app.transcript).strip().split("\n")[0]
        await pilot.press("home")
        await until(pilot, lambda: len(app.transcript.items) == 450)
        await pilot.press("home")
        assert "message 1." in shown(app.transcript)


async def test_a_long_transcript_renders_only_what_is_in_view() -> None:
    async with running(FakeSession().open) as (app, pilot):
        await idle(app, pilot)
        entries = [e for i in range(2_000) for e in (UserEntry(f"q{i}"), ReplyEntry(f"answer **{i}**\n\n- a\n- b"))]
        app.transcript.put(*entries)
        await pilot.pause()
        assert "answer 1999" in shown(app.transcript)
        assert app.transcript.renderings < 60
        drawn = app.transcript.renderings
        await pilot.press("a", "b", "c")
        assert app.transcript.renderings == drawn
        await pilot.resize_terminal(90, 30)
        await pilot.pause()
        assert app.transcript.renderings - drawn < 60
        drawn = app.transcript.renderings
        await pilot.press("pageup")
        assert app.transcript.renderings - drawn < 60
        drawn = app.transcript.renderings
        app.transcript.focus()
        await pilot.press("home")
        await pilot.pause()
        assert "q0" in shown(app.transcript)
        assert app.transcript.renderings - drawn < 60


async def test_a_live_reply_wraps_each_row_once() -> None:
    words = "word " * 4_000 + "字" * 2_000
    deltas = [ReplyDelta(words[i : i + 7]) for i in range(0, len(words), 7)]
    session = FakeSession([[*deltas, gate := asyncio.Event()]])
    async with running(session.open) as (app, pilot):
        app.prompt.put("go")
        await pilot.press("enter")
        await until(pilot, lambda: app.transcript.items and app.transcript.items[-1].words() == words)
        app.transcript.flush()
        await pilot.pause()
        live = app.transcript.items[-1]
        width, look = app.transcript._width, app.transcript.look
        rows = [strip.text for strip in live.render(width, look)]
        fresh = ReplyEntry(words, live=True)
        assert rows == [strip.text for strip in fresh.render(width, look)]
        gate.set()
        await idle(app, pilot)


@pytest.mark.parametrize("size", [(40, 12), (64, 20), (80, 24), (120, 40), (200, 60), (20, 6)])
async def test_every_size_of_terminal_works(size: tuple[int, int]) -> None:
    session = FakeSession(
        [
            [
                CallStarted("c", "n", '{"a": "b"}'),
                ReplyDelta("# H\n\n| a | b |\n|--|--|\n| 你 | 2 |\n\n```py\nx\n```\n> > > q"),
            ]
        ],
        stored=[Block("human", "你好" * 50)],
    )
    async with running(session.open, size) as (app, pilot):
        await send(app, pilot, "hi 你好 " * 20)
        assert all(
            strip.cell_length <= app.transcript._width for s in app.transcript._slots for strip in s.strips or []
        )


def test_the_first_paint_waits_for_nothing_heavy() -> None:
    script = """
import sys
from contextlib import asynccontextmanager
from pagekeeper.tui.app import PagekeeperApp

HEAVY = ("litellm", "lancedb", "pyarrow", "sqlalchemy", "numpy", "pygments", "markdown_it")

@asynccontextmanager
async def open_agent():
    assert app.transcript.size.width and app.screen.is_attached
    print([name for name in HEAVY if name in sys.modules])
    app.exit()
    raise RuntimeError
    yield

app = PagekeeperApp(open_agent)
app.run(headless=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "[]", done.stderr
