"""The app: transcript, blocks, gauge, status line and prompt; what is typed, and what keys do.

It paints before the agent is opened; what the user types meanwhile waits in a queue.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Iterable
from functools import partial
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on, work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from . import commands
from .blocks_panel import BlocksPanel
from .conversation import Conversation
from .gauge import Gauge
from .log_view import LogView
from .look import DARK, LIGHT, THEMES, prefers_light
from .memory_commands import MemoryCommands
from .prompt import Prompt
from .session import OpenAgent
from .status import StatusLine
from .strip_view import StripView
from .transcript import Transcript
from .turn_view import TurnView, error_entry
from .view_commands import ViewCommands
from .watching import Watching

AGAIN = "Press Ctrl+C again to quit."


class PagekeeperApp(App[None]):
    """A conversation with an agent, in a terminal."""

    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-narrow"),
        (64, "-medium"),
        (110, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-low"),
        (32, "-high"),
    ]
    NEWS_EVERY = 1.0
    """Seconds between two looks for what other processes did."""

    ARMED_FOR = 3.0
    """Seconds within which a second Ctrl+C quits."""

    COMMAND_PALETTE_BINDING = "ctrl+p"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Clear or quit", show=False, priority=True),
        Binding("ctrl+q", "command('quit')", "Quit", show=False, priority=True),
        Binding("escape", "command('stop')", "Stop the reply", show=False),
        Binding("f1", "command('help')", "Help", show=False),
        Binding("ctrl+b", "command('memory')", "Blocks", show=False, priority=True),
        Binding("ctrl+o", "command('calls')", "Calls", show=False, priority=True),
    ]

    def __init__(self, open_agent: OpenAgent) -> None:
        super().__init__()
        self.title = "pagekeeper"
        self.animation_level = "none"
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = LIGHT.name if prefers_light(dict(os.environ)) else DARK.name
        self.watching = Watching(self)
        self.conversation = Conversation(open_agent, self.watching)
        self.view = ViewCommands(self)
        self.memory = MemoryCommands(self)
        self.leaving = False
        self.open_failed = False
        self._armed = False
        self._arming: Timer | None = None

    # Building and closing

    def compose(self) -> ComposeResult:
        yield Static(Text("pagekeeper", "bold"), id="title", markup=False)
        with Horizontal(id="middle"):
            yield Transcript(id="transcript")
            with Vertical(id="side"):
                yield Static(Text("core memory"), id="blocks-title", markup=False)
                yield BlocksPanel(id="blocks")
                yield Gauge(id="gauge")
        yield StatusLine(id="status")
        yield Prompt(id="prompt")

    def on_mount(self) -> None:
        self.transcript = self.query_one(Transcript)
        self.blocks = self.query_one(BlocksPanel)
        self.gauge = self.query_one(Gauge)
        self.status = self.query_one(StatusLine)
        self.prompt = self.query_one(Prompt)
        self.turn = TurnView(self.transcript)
        self.log_view = LogView(self.transcript, self.prompt.inputs, lambda: self.conversation.busy)
        self.prompt.focus()
        self.set_hint()
        # Only once the first picture stands: opening an agent imports slowly.
        self.call_after_refresh(self._converse)
        self.call_after_refresh(self._warm_up)

    @work(thread=True)
    def _warm_up(self) -> None:
        """Import what the first reply is drawn with, so that it is drawn without a pause."""
        from . import markdown  # noqa: F401

    @work(group="conversation")
    async def _converse(self) -> None:
        await self.conversation.run()
        if self.leaving:
            self.exit(return_code=1 if self.open_failed else 0)

    async def leave(self, words: str = "") -> None:
        """Stop what runs, close the agent, and quit; asked twice, quit at once."""
        if self.leaving or self.open_failed:
            self.exit(return_code=1 if self.open_failed else 0)
            return
        self.leaving = True
        self.memory.stop()
        self.status.state = "saving and closing …"
        self.conversation.close()

    def show_title(self, words: str) -> None:
        """Say whom one talks to."""
        text = Text("pagekeeper", "bold", no_wrap=True)
        text.append("  " + words)
        self.query_one("#title", Static).update(text)

    # What the user types

    @on(Prompt.Submitted)
    async def _submitted(self, event: Prompt.Submitted) -> None:
        text = event.text
        command = commands.parse(text)
        if command is not None:
            name, words = command
            known = commands.find(name)
            if known is None:
                self._give_back(text)
                self.status.message = commands.unknown(name)
                return
            if refused := known.refused(words):
                self._give_back(text)
                self.status.message = refused
                return
            self.prompt.inputs.add(text)
            await self._run(known, words)
            return
        if self.open_failed or self.leaving:
            self._give_back(text)
            self.status.message = "Not sent: the agent is not open."
            return
        self.prompt.inputs.add(text)
        self.conversation.submit(text)
        self.status.queued = len(self.conversation.queue)
        self.transcript.follow()

    def _give_back(self, text: str) -> None:
        """Put what cannot be sent back before the user, unless they have typed on."""
        if not self.prompt.text:
            with self.prompt.prevent(Prompt.Changed):
                self.prompt.put(text)

    @on(Prompt.Changed)
    def _typed(self) -> None:
        found = commands.completions(self.prompt.text)
        if len(found) == 1:
            self.status.suggestion = f"{found[0].full}: {found[0].about}"
        else:
            self.status.suggestion = "   ".join(command.full for command in found)
        if self.prompt.text:
            self.status.message = ""

    @on(Prompt.CompletionWanted)
    def _complete(self) -> None:
        found = commands.completions(self.prompt.text)
        if found:
            self.prompt.put(commands.complete(found))

    @on(Prompt.PageWanted)
    def _page(self, event: Prompt.PageWanted) -> None:
        if event.pages < 0:
            self.transcript.scroll_page_up(animate=False)
        else:
            self.transcript.scroll_page_down(animate=False)

    @on(StripView.Copied)
    async def _copied(self, event: StripView.Copied) -> None:
        await self.view.copy_text(event.text)

    @on(Transcript.Released)
    def _scrolled(self) -> None:
        self.set_hint()

    @on(Transcript.ReachedTop)
    @work(group="older", exclusive=True)
    async def _older(self) -> None:
        if self.conversation.session is not None:
            await self.log_view.go_back(self.conversation.session)

    async def on_event(self, event: events.Event) -> None:
        # A terminal tells of every change of focus, and Textual restyles all of the tree then.
        if isinstance(event, events.AppFocus | events.AppBlur):
            return
        if isinstance(event, events.Key) and event.key != "ctrl+c" and self._armed:
            self.disarm()
        await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """What is typed elsewhere goes into the prompt."""
        if event.is_printable and event.character and self.focused is not self.prompt and len(self.screen_stack) == 1:
            self.prompt.focus()
            self.prompt.insert(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """So does what is pasted elsewhere."""
        if self.focused is not self.prompt and len(self.screen_stack) == 1:
            self.prompt.focus()
            self.prompt.post_message(events.Paste(event.text))

    async def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected; else clear the input; else stop the reply; else quit, when pressed twice."""
        selected = self.screen.get_selected_text() or (self.prompt.selected_text if self.prompt.has_focus else "")
        if selected:
            await self.view.copy_text(selected)
            self.screen.clear_selection()
        elif self.prompt.text:
            self.prompt.clear()
        elif self._armed or self.leaving:
            await self.leave()
        elif not self.view.stopping and self.view.stop_reply():
            pass
        else:
            self._armed = True
            self.status.message = AGAIN
            self._arming = self.set_timer(self.ARMED_FOR, self.disarm)

    def disarm(self) -> None:
        """One Ctrl+C no longer quits, and nothing says so any more."""
        self._armed = False
        if self._arming is not None:
            self._arming.stop()
        if self.status.message == AGAIN:
            self.status.message = ""

    async def action_command(self, name: str) -> None:
        """What a key does that stands for a command."""
        command = commands.find(name)
        if command is not None:
            await self._run(command, "")

    async def _run(self, command: commands.Command, words: str) -> None:
        await self.tried(command.run(self, words))

    async def tried(self, work: Awaitable[None]) -> None:
        """A command that is refused says why, like anything else that the agent refuses."""
        try:
            await work
        except Exception as error:
            self.transcript.put(error_entry(error))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        for command in commands.COMMANDS:
            chosen = partial(self.call_later, self._choose, command)
            yield SystemCommand(f"/{command.name}", command.about, chosen)

    async def _choose(self, command: commands.Command) -> None:
        """What the palette does: run a command, or begin it where it needs a word more."""
        if command.needs_word:
            self.prompt.put(f"/{command.name} ")
            self.prompt.focus()
        else:
            await self._run(command, "")

    def set_hint(self) -> None:
        """Say what can be done, or how full the window is where nothing else shows it."""
        hint = "Enter sends · Ctrl+J new line · F1 help"
        if not self.transcript.follows:
            self.status.hint = "scrolled up · Esc goes to the end"
            return
        filling = self.gauge.filling
        hidden = self.screen.has_class("-panel-hidden") or self.screen.has_class("-narrow")
        self.status.hint = f"{filling.brief} · F1 help" if hidden and filling is not None else hint


def run(open_agent: OpenAgent) -> int:
    """Run the app until the user leaves; the exit status. `open_agent` is called after the first paint."""
    app = PagekeeperApp(open_agent)
    app.run()
    return app.return_code or 0
