"""Driving the app in a test: by keys, and by waiting for what is to happen rather than for time to pass."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from pagekeeper.runtime.models.scripted import Reply, ScriptedModel
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tui.app import PagekeeperApp
from pagekeeper.tui.session import OpenAgent


def scripted(home: Path, *replies: Reply, **options: Any) -> OpenAgent:
    """Opens a real agent in `home` whose model answers with `replies`."""
    return partial(open_agent, home, ScriptedModel(*replies), **options)


@asynccontextmanager
async def running(
    agent: OpenAgent, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[PagekeeperApp, Pilot[None]]]:
    """The app in a terminal of `size`, painted; the agent may still be opening."""
    app = PagekeeperApp(agent)
    async with app.run_test(size=size) as pilot:
        app.prompt.cursor_blink = False
        yield app, pilot


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Let the app work until `condition` holds."""
    for _ in range(3_000):
        if condition():
            await pilot.pause()
            return
        await pilot.pause()
    raise AssertionError("it did not happen")


async def send(app: PagekeeperApp, pilot: Pilot[None], text: str) -> None:
    """Type `text`, send it, and wait until its turn is over."""
    app.prompt.put(text)
    await pilot.press("enter")
    await idle(app, pilot)


async def begin(app: PagekeeperApp, pilot: Pilot[None], text: str, condition: Callable[[], object]) -> None:
    """Send `text`, and wait until `condition` holds while its turn runs."""
    app.prompt.put(text)
    await pilot.press("enter")
    await until(pilot, condition)


async def idle(app: PagekeeperApp, pilot: Pilot[None]) -> None:
    """Wait until nothing is queued and no turn runs."""
    await until(pilot, lambda: app.conversation.session and not app.conversation.queue and not app.conversation.busy)
    await until(pilot, lambda: app.status.state == "ready")


def shown(widget: Widget) -> str:
    """What the widget shows now, as text."""
    strips: list[Strip] = widget.render_lines(Region(0, 0, widget.size.width, widget.size.height))
    return "\n".join(strip.text.rstrip() for strip in strips)


def background(widget: Widget, words: str) -> str | None:
    """The colour behind the first piece of text that holds `words`."""
    for strip in widget.render_lines(Region(0, 0, widget.size.width, widget.size.height)):
        for text, style, _ in strip:
            if words in text and style is not None and style.bgcolor is not None:
                return style.bgcolor.name
    return None
