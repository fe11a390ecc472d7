"""What keys and commands do, from the first paint to leaving."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events
from textual.widgets import OptionList

from pagekeeper.runtime.agent import LiveAgent
from pagekeeper.runtime.models.scripted import Gate
from pagekeeper.tests.tui.driving import begin, idle, running, scripted, send, shown, until
from pagekeeper.tui.commands import COMMANDS, find
from pagekeeper.tui.entries import UserEntry
from pagekeeper.tui.screens import Reading


async def test_what_is_typed_before_the_agent_is_open_is_sent_once_it_is(tmp_path: Path) -> None:
    gate = asyncio.Event()

    @asynccontextmanager
    async def slow() -> AsyncIterator[LiveAgent]:
        await gate.wait()
        async with scripted(tmp_path, "One.", "Two.")() as opened:
            yield opened

    async with running(slow) as (app, pilot):
        for text in ("first", "second"):
            app.prompt.put(text)
            await pilot.press("enter")
        await pilot.pause()
        assert "opening" in shown(app.status)
        assert "2 waiting" in shown(app.status)
        gate.set()
        await idle(app, pilot)
        assert [item.words() for item in app.transcript.items] == ["first", "One.", "second", "Two."]


async def test_an_agent_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("modle = 1\n")
    async with running(scripted(tmp_path)) as (app, pilot):
        await until(pilot, lambda: app.status.state == "not open")
        assert "modle" in shown(app.transcript)
        app.prompt.put("hello")
        await pilot.press("enter")
        assert app.prompt.text == "hello"
        assert "not open" in shown(app.status)
        await pilot.press("ctrl+c", "ctrl+c", "ctrl+c")
    assert app.return_code == 1


async def test_ctrl_c_clears_the_input_and_quits_on_the_second_press(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        app.prompt.put("draft")
        await pilot.press("ctrl+c")
        assert app.prompt.text == ""
        await pilot.press("ctrl+c")
        assert "again to quit" in shown(app.status)
        await pilot.press("a", "backspace", "ctrl+c")
        assert app.conversation.session is not None
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.conversation.session is None)
    assert app.return_code == 0


async def test_nothing_says_that_ctrl_c_quits_once_it_no_longer_does(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        app.ARMED_FOR = 0.01
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "again to quit" not in shown(app.status))
        app.ARMED_FOR = 60.0
        await pilot.press("ctrl+c")
        assert "again to quit" in shown(app.status)
        await pilot.press("down")
        assert "again to quit" not in shown(app.status)
        await pilot.press("ctrl+c")
        assert app.conversation.session is not None


async def test_resume_says_that_nothing_is_unanswered(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        await send(app, pilot, "/resume")
        assert "Nothing is unanswered." in shown(app.status)


async def test_leaving_stops_the_turn_and_the_conversation_is_there_again(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, ["To **pea", Gate()])) as (app, pilot):
        await begin(app, pilot, "What am I allergic to?", lambda: len(app.transcript.items) == 2)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.conversation.session is None)
    async with running(scripted(tmp_path, "Peanuts.")) as (app, pilot):
        await idle(app, pilot)
        text = shown(app.transcript)
        assert "What am I allergic to?" in text
        assert "■ cut short" in text
        assert app.gauge.filling is not None
        assert dict(app.gauge.filling.parts)["messages"] > 0
        await pilot.press("up")
        assert app.prompt.text == "What am I allergic to?"
        await pilot.press("enter")
        await idle(app, pilot)
        assert "Peanuts." in shown(app.transcript)


async def test_what_a_dead_process_left_is_told_of_and_answered_on_demand(tmp_path: Path) -> None:
    script = """
import asyncio, os, sys
from pathlib import Path
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.agents import open_agent

async def main():
    async with open_agent(Path(sys.argv[1]), ScriptedModel(lambda request: os._exit(9))) as agent:
        await agent.send("Are you there?")

asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(tmp_path))
    assert await process.wait() == 9
    async with running(scripted(tmp_path, "Yes.")) as (app, pilot):
        await idle(app, pilot)
        assert "/resume retry" in shown(app.transcript)
        await send(app, pilot, "/resume again")
        assert app.status.message == "Behind /resume stands retry, or nothing."
        app.prompt.put("")
        await send(app, pilot, "/resume retry")
        await idle(app, pilot)
        users = [item.words() for item in app.transcript.items if isinstance(item, UserEntry)]
        assert users == ["Are you there?", "Are you there?"]
        assert "Yes." in shown(app.transcript)


async def test_new_lines_pastes_and_the_history_of_inputs(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "A.", "B.")) as (app, pilot):
        await send(app, pilot, "from before")
        await pilot.press("a", "ctrl+j", "b")
        assert app.prompt.text == "a\nb"
        app.prompt.post_message(events.Paste("c\r\nd\n"))
        await pilot.pause()
        assert app.prompt.text == "a\nbc\nd\n"
        assert not app.conversation.busy
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
        assert [item.words() for item in app.transcript.items if isinstance(item, UserEntry)][-1] == "a\nbc\nd\n"


async def test_commands_come_from_one_table(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "the **reply**", "A folder.")) as (app, pilot):
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
        await until(pilot, lambda: "Copied 13 characters through" in app.status.message)
        await send(app, pilot, "/nonsense")
        assert "no command /nonsense" in app.status.message
        assert app.prompt.text == "/nonsense"
        await send(app, pilot, "/help")
        assert isinstance(app.screen, Reading)
        await pilot.press("escape")
        await send(app, pilot, "/usr/bin is a folder")
        assert "A folder." in shown(app.transcript)
        assert {command.title for command in app.get_system_commands(app.screen)} >= {"/help", "/quit"}
        await send(app, pilot, "/theme")
        assert app.theme == "pagekeeper-light"
        await send(app, pilot, "/memory")
        assert not app.blocks.is_on_screen


async def test_the_palette_holds_the_commands(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        await pilot.press("ctrl+p", *"/help")
        await until(
            pilot, lambda: [o.prompt for o in app.screen.query_one(OptionList).options if "/help" in str(o.prompt)]
        )
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Reading))
        await pilot.press("escape")
        await app._choose(find("undo") or COMMANDS[0])
        assert app.prompt.text == "/undo "


async def test_focus_reports_are_swallowed(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        app.post_message(events.AppBlur())
        await pilot.pause()
        assert app.app_focus
        assert app.focused is app.prompt


async def test_keys_that_come_at_once_are_taken_in_their_order(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "one", "two")) as (app, pilot):
        for key in ("h", "i", "enter", "y", "o", "ctrl+j", "u", "enter", "x"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))

        def said() -> list[str]:
            return [item.words() for item in app.transcript.items if isinstance(item, UserEntry)]

        await until(pilot, lambda: len(said()) == 2)
        assert said() == ["hi", "yo\nu"]
        assert app.prompt.text == "x"


async def test_typing_elsewhere_goes_to_the_prompt(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        await pilot.press("tab")
        assert app.focused is app.transcript
        await pilot.press("h", "i")
        assert app.prompt.text == "hi"


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
