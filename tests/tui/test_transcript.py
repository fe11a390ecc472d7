"""The virtual list behind the transcript: only what is in view is rendered, and what is read stays in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.runtime.models.scripted import Gate
from pagekeeper.tests.tui.driving import begin, idle, running, scripted, send, shown, until
from pagekeeper.tui.entries import ReplyEntry, UserEntry


async def test_the_view_follows_the_end_until_the_reader_scrolls_up(tmp_path: Path) -> None:
    gate = Gate()
    long = "\n\n".join(f"line {n}" for n in range(60))
    async with running(scripted(tmp_path, long, ["x\n" * 30, gate, "the end"]), (100, 30)) as (app, pilot):
        await send(app, pilot, "hi")
        assert "line 59" in shown(app.transcript)
        await begin(app, pilot, "go", lambda: len(app.transcript.items) == 4)
        await pilot.press("pageup", "pageup")
        before = shown(app.transcript)
        gate.open()
        await idle(app, pilot)
        assert shown(app.transcript) == before
        await pilot.press("escape")
        assert "the end" in shown(app.transcript)


async def test_older_messages_are_read_when_the_reader_comes_to_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, turns = 60, 75
    monkeypatch.setattr("pagekeeper.tui.log_view.PAGE", page)
    async with scripted(tmp_path, *(f"answer {i}." for i in range(turns)))() as agent:
        for i in range(turns):
            async for _ in agent.stream(f"question {i}."):
                pass
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        assert len(app.transcript.items) == page
        assert f"answer {turns - 1}." in shown(app.transcript)
        app.transcript.focus()
        await pilot.press("home")
        await until(pilot, lambda: len(app.transcript.items) == 2 * page)
        first = turns - page // 2
        assert f"question {first}." in "\n".join(shown(app.transcript).split("\n")[:2])
        await pilot.press("home")
        await until(pilot, lambda: len(app.transcript.items) == 2 * turns)
        await pilot.press("home")
        assert "question 0." in shown(app.transcript)
        assert app.transcript.renderings < 200


async def test_a_long_transcript_renders_only_what_is_in_view(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
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


async def test_a_resize_and_another_theme_keep_the_place(tmp_path: Path) -> None:
    async with running(scripted(tmp_path), (100, 30)) as (app, pilot):
        await idle(app, pilot)
        app.transcript.put(*(UserEntry(f"message {i} " + "word " * 40) for i in range(100)))
        await pilot.pause()
        app.transcript.scroll_to(y=app.transcript._starts()[50] + 1, animate=False)
        await pilot.pause()
        assert "message 50 " in shown(app.transcript).split("\n")[0]
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "message 50 " in shown(app.transcript).split("\n")[0]
        await send(app, pilot, "/theme")
        assert "message 50 " in shown(app.transcript).split("\n")[0]


async def test_a_live_reply_is_wrapped_as_if_it_had_come_at_once(tmp_path: Path) -> None:
    words = "word " * 1_000 + "字" * 500 + "\n\n  indented " + "x" * 300
    deltas = [words[i : i + 7] for i in range(0, len(words), 7)]
    gate = Gate()
    async with running(scripted(tmp_path, [*deltas, gate])) as (app, pilot):
        await begin(app, pilot, "go", lambda: app.transcript.items and app.transcript.items[-1].words() == words)
        app.transcript.flush()
        await pilot.pause()
        live, width, look = app.transcript.items[-1], app.transcript._width, app.transcript.look
        rows = [strip.text for strip in live.render(width, look)]
        assert rows == [strip.text for strip in ReplyEntry(words, live=True).render(width, look)]
        gate.open()
        await idle(app, pilot)


async def test_words_can_be_selected_and_copied(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "first line\n\nsecond line")) as (app, pilot):
        await send(app, pilot, "hi")
        rows = shown(app.transcript).split("\n")
        top, bottom = (next(y for y, row in enumerate(rows) if word in row) for word in ("first", "second"))
        await pilot.mouse_down(app.transcript, offset=(3, top))
        await pilot.hover(app.transcript, offset=(9, bottom))
        await pilot.mouse_up(app.transcript, offset=(9, bottom))
        await pilot.pause()
        selected = app.screen.get_selected_text() or ""
        assert selected.startswith("first line\n\n")
        assert "second"[:3] in selected
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "Copied" in app.status.message)


async def test_an_entry_is_copied_by_keyboard(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "the **reply**")) as (app, pilot):
        await send(app, pilot, "hi")
        app.transcript.focus()
        await pilot.press("up", "y")
        await until(pilot, lambda: "Copied 13 characters" in app.status.message)
        assert app.clipboard in ("the **reply**", "")
