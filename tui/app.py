"""The app: transcript, blocks, gauge, status line and prompt, and what keys and commands do.

It paints before the agent is opened; what the user types meanwhile waits in a queue.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events, on, work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from ..runtime.stream import (
    ApprovalNeeded,
    BlockChanged,
    CallFinished,
    CallStarted,
    EpochStarted,
    ReplyDelta,
    RetryScheduled,
    StepStarted,
    StreamEvent,
    TurnEnded,
)
from . import clipboard, commands, pages
from .blocks_panel import BlocksPanel
from .calls import flat
from .conversation import Conversation
from .entries import NoticeEntry, ReplyEntry, UserEntry
from .gauge import Filling, Gauge
from .log_view import LogView
from .look import DARK, LIGHT, THEMES, look, prefers_light
from .prompt import Prompt
from .screens import Approval, Forgetting, Reading
from .session import OpenAgent
from .status import StatusLine
from .strip_view import StripView
from .transcript import Transcript
from .turn_view import TurnView, error_entry

if TYPE_CHECKING:
    from ..runtime.agent import LiveAgent

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
        self.conversation = Conversation(open_agent, self)
        self._armed = False
        self._arming: Timer | None = None
        self._leaving = False
        self._stopping = False
        self._open_failed = False
        self._asking: dict[str, Approval] = {}
        self._seen = 0
        """The number of the newest event that is shown."""
        self._drawing_news = asyncio.Lock()

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
        self._set_hint()
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
        if self._leaving:
            self.exit(return_code=1 if self._open_failed else 0)

    async def leave(self, words: str = "") -> None:
        """Stop what runs, close the agent, and quit; asked twice, quit at once."""
        if self._leaving or self._open_failed:
            self.exit(return_code=1 if self._open_failed else 0)
            return
        self._leaving = True
        self.status.state = "saving and closing …"
        self.conversation.close()

    # What the conversation tells

    async def opened(self, session: LiveAgent) -> None:
        names = (session.scope.agent_name, session.scope.conversation_name, session.model_name)
        self._show_title(" · ".join(map(flat, names)))
        self._seen = await session.newest()
        await self.log_view.begin(session)
        await self._tell_unanswered(session)
        await self._draw_memory()
        self.status.state = "ready"
        self.set_interval(self.NEWS_EVERY, self._look_for_news)

    def _show_title(self, words: str) -> None:
        text = Text("pagekeeper", "bold", no_wrap=True)
        text.append("  " + words)
        self.query_one("#title", Static).update(text)

    async def _tell_unanswered(self, session: LiveAgent) -> None:
        left = await session.unanswered()
        begun = sum(one.interrupted is not None for one in left)
        if queued := len(left) - begun:
            self.transcript.put(NoticeEntry("warning", f"{queued} not answered yet, sent before. /resume answers."))
        if begun:
            self.transcript.put(
                NoticeEntry("warning", f"{begun} interrupted while answered. /resume retry asks again.")
            )

    async def sending(self, text: str) -> None:
        self._disarm()
        self.status.queued = len(self.conversation.queue)
        self.status.state = "thinking …"
        self.blocks.begin_turn()
        if text:
            self.turn.begin(text)

    async def happened(self, event: StreamEvent) -> None:
        self.turn.show(event)
        self.log_view.happened(event)
        match event:
            case StepStarted(step, _):
                self.status.state = "thinking …" if step <= 1 else f"thinking … (step {step})"
                await self._draw_gauge()
            case ReplyDelta():
                self.status.state = "answering …"
            case RetryScheduled(attempt, wait, _):
                self.status.state = f"waiting {wait:.3g} s to ask again (attempt {attempt})"
            case CallStarted(_, name, _):
                self.status.state = f"running {flat(name)} …"
            case CallFinished(_, name, _, _) if name.startswith("core_memory"):
                await self._draw_memory()
            case ApprovalNeeded(call_id, name, arguments):
                self._ask(Approval(call_id, name, arguments))
            case BlockChanged(label, revision, value, writer):
                self.blocks.change(label, revision, value, writer)
            case EpochStarted():
                await self._draw_memory()
            case TurnEnded():
                self._close_questions()

    async def failed(self, error: Exception, *, opening: bool) -> None:
        self.turn.fail(error)
        if opening:
            self._open_failed = True
            self.status.state = "not open"
            self.status.hint = "Ctrl+C twice quits"

    async def idle(self) -> None:
        self._stopping = False
        self._close_questions()
        await self._draw_news()
        self.status.state = "ready"

    @work(group="news")
    async def _look_for_news(self) -> None:
        """Show what other processes did to this agent, if anything. While a turn runs here, its end shows that."""
        session = self.conversation.session
        if session is None or self.conversation.busy or self._leaving or self._drawing_news.locked():
            return
        try:
            if await session.newest() != self._seen:
                await self._draw_news()
        except Exception as error:
            self.status.message = f"What other processes did cannot be seen: {error}"

    async def _draw_news(self) -> None:
        """Show the blocks as they are now, and what was said elsewhere in this conversation."""
        async with self._drawing_news:
            session = self.conversation.session
            if session is None:
                return
            seen = await session.newest()
            await self.log_view.catch_up(session)
            await self._draw_memory()
            if told := await session.memory.worked_since(self._seen):
                self.status.message = told
            self._seen = seen

    async def _draw_memory(self) -> None:
        """Show blocks and gauge as they are now."""
        session = self.conversation.session
        if session is None:
            return
        blocks = await session.memory.blocks()
        self.blocks.show(blocks, await session.context.resident())
        self.query_one("#blocks-title", Static).update(Text(_count(self.blocks)))
        await self._draw_gauge()

    async def _draw_gauge(self) -> None:
        if self.conversation.session is not None:
            self.gauge.filling = Filling.of(await self.conversation.session.context.overview())
            self._set_hint()

    # Approvals

    def _ask(self, question: Approval) -> None:
        self._asking[question.call_id] = question
        self.status.state = "waiting for your approval"

        def answer(allowed: bool | None) -> None:
            if self._asking.pop(question.call_id, None) is not None and self.conversation.session is not None:
                self.conversation.session.approve(question.call_id, bool(allowed))

        self.push_screen(question, answer)

    def _close_questions(self) -> None:
        """The turn is over: nobody waits for an answer any more."""
        questions = list(self._asking.values())
        self._asking.clear()
        for question in questions:
            if question.is_current or question in self.screen_stack:
                question.dismiss(False)

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
                self.status.message = f"There is no command /{name} (see /help). Put a space before it to send it."
                return
            self.prompt.inputs.add(text)
            await self._run(known, words)
            return
        if self._open_failed or self._leaving:
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

    @on(Transcript.Released)
    def _scrolled(self) -> None:
        self._set_hint()

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
            self._disarm()
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
            await self._copy(selected)
            self.screen.clear_selection()
        elif self.prompt.text:
            self.prompt.clear()
        elif self._armed or self._leaving:
            await self.leave()
        elif not self._stopping and self._stop():
            pass
        else:
            self._armed = True
            self.status.message = AGAIN
            self._arming = self.set_timer(self.ARMED_FOR, self._disarm)

    def _disarm(self) -> None:
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
        await self._tried(command.run(self, words))

    async def _tried(self, work: Awaitable[None]) -> None:
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

    # The commands

    async def show_help(self, words: str) -> None:
        await self.push_screen(Reading("Help", pages.help_page(look(self.theme))))

    async def copy_words(self, words: str) -> None:
        items = self.transcript.items
        if words == "all":
            text = "\n\n".join(
                ("> " + item.words().replace("\n", "\n> ")) if isinstance(item, UserEntry) else item.words()
                for item in items
                if isinstance(item, UserEntry | ReplyEntry)
            )
        else:
            text = next((item.words() for item in reversed(items) if isinstance(item, ReplyEntry)), "")
        await self._copy(text)

    @on(StripView.Copied)
    async def _copied(self, event: StripView.Copied) -> None:
        await self._copy(event.text)

    async def _copy(self, text: str) -> None:
        if not text:
            self.status.message = "There is nothing to copy yet."
            return
        route = await clipboard.copy(text, clipboard.routes(os.environ), self.copy_to_clipboard)
        doubt = "; if nothing arrives, the terminal does not allow it" if route is clipboard.TERMINAL else ""
        self.status.message = f"Copied {len(text):,} characters through {route.name}{doubt}."

    async def show_memory(self, words: str) -> None:
        if self.screen.has_class("-narrow"):
            self.status.message = "The window is too narrow for the blocks: it needs 64 columns."
            return
        self.screen.toggle_class("-panel-hidden")
        self._set_hint()

    async def show_context(self, words: str) -> None:
        await self._draw_gauge()
        filling = self.gauge.filling
        if filling is None:
            self.status.message = "The agent is not open yet."
            return
        await self.push_screen(Reading("Context, in tokens", pages.context_page(filling, look(self.theme))))

    async def show_history(self, words: str) -> None:
        session = self._session_for(words, "history")
        if session is not None:
            versions = await session.memory.history(words)
            page = pages.history_page(versions, look(self.theme))
            await self.push_screen(Reading("History of a block", page))

    async def show_why(self, words: str) -> None:
        session = self._session_for(words, "why")
        if session is not None:
            found = await session.memory.why(words.strip("[]"))
            page = pages.why_page(found, session.scope.timezone, look(self.theme))
            await self.push_screen(Reading("Why this is remembered", page))

    async def show_rules(self, words: str) -> None:
        session = self.conversation.session
        if session is None:
            self.status.message = "The agent is not open yet."
            return
        memory = session.memory
        decisions = {"accept": memory.accept_rule, "reject": memory.reject_rule, "drop": memory.drop_rule}
        verb, _, rule = words.partition(" ")
        if not words:
            page = pages.rules_page(await memory.rules(), look(self.theme))
            await self.push_screen(Reading("Standing rules", page))
        elif verb in decisions and rule:
            decided = await decisions[verb](rule.strip().strip("[]"))
            await self._draw_news()
            self.status.message = f"The rule {decided.short} {'holds' if decided.accepted else 'does not hold'}."
        else:
            self.status.message = f"Which rule? /rules {'|'.join(decisions)} ID"

    async def undo(self, words: str) -> None:
        session = self._session_for(words, "undo")
        if session is None:
            return
        done = await session.memory.take_back(words)
        if isinstance(done, int):
            message = f"Brought back {pages.counted(done, 'thing')}."
        else:
            message = f"Took back the newest change of block {words}."
        await self._draw_news()
        self.status.message = message

    def _session_for(self, words: str, name: str) -> LiveAgent | None:
        """The agent, for a command that needs it and words."""
        session = self.conversation.session
        if session is None:
            self.status.message = "The agent is not open yet."
        elif not words:
            command = commands.find(name)
            self.status.message = (
                f"{'Which block' if name in ('history', 'undo') else 'What'}? {command and command.full}"
            )
            return None
        return session

    async def search_memory(self, words: str) -> None:
        session = self._session_for(words, "search")
        if session is not None:
            self._look_up(self._search(session, words))

    async def _search(self, session: LiveAgent, words: str) -> None:
        hits = await session.memory.search(words)
        page = pages.search_page(words, hits, session.scope.timezone, look(self.theme))
        await self.push_screen(Reading("Found", page))

    async def forget_memory(self, words: str) -> None:
        session = self._session_for(words, "forget")
        if session is not None:
            self._look_up(self._choose_forgetting(session, words))

    async def _choose_forgetting(self, session: LiveAgent, words: str) -> None:
        candidates = await session.memory.candidates(words)

        def chosen(ids: list[str] | None) -> None:
            if ids:
                self._forget(ids)
            else:
                self.status.message = "Nothing was forgotten."

        if candidates:
            await self.push_screen(Forgetting(candidates, session.scope.timezone), chosen)
        else:
            self.status.message = "Nothing carries that."

    @work(group="forgetting")
    async def _forget(self, ids: list[str]) -> None:
        await self._tried(self._forget_now(ids))

    async def _forget_now(self, ids: list[str]) -> None:
        session = self.conversation.session
        if session is not None:
            done = await session.memory.forget(ids)
            self.transcript.put(NoticeEntry("info", pages.forgotten_words(done)))
            await self._draw_news()

    @work(group="looking", exclusive=True)
    async def _look_up(self, looking: Awaitable[None]) -> None:
        """Look something up that may take a while, so that the app does not wait for it; Escape gives it up."""
        self.status.message = "searching …"
        try:
            await self._tried(looking)
        finally:
            if self.status.message == "searching …":
                self.status.message = ""

    async def resume_turns(self, words: str) -> None:
        session = self.conversation.session
        retry = words == "retry"
        if session is None:
            self.status.message = "The agent is not open yet."
            return
        left = await session.unanswered()
        if any(retry or one.interrupted is None for one in left):
            self.conversation.resume(retry)
        elif left:
            await self._tell_unanswered(session)
        else:
            self.status.message = "Nothing is unanswered."

    async def toggle_calls(self, words: str) -> None:
        self.transcript.fold_all(any(not call.folded for call in self.transcript.calls))

    async def stop_reply(self, words: str) -> None:
        if not self._stop() and not self.workers.cancel_group(self, "looking"):
            self.transcript.follow()
            self.prompt.focus()

    def _stop(self) -> bool:
        """Stop the reply; whether there was one."""
        self._stopping = self.conversation.stop()
        if self._stopping:
            self.status.state = "stopping …"
        return self._stopping

    async def switch_theme(self, words: str) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    def _set_hint(self) -> None:
        hint = "Enter sends · Ctrl+J new line · F1 help"
        if not self.transcript.follows:
            self.status.hint = "scrolled up · Esc goes to the end"
            return
        filling = self.gauge.filling
        hidden = self.screen.has_class("-panel-hidden") or self.screen.has_class("-narrow")
        self.status.hint = f"{filling.brief} · F1 help" if hidden and filling is not None else hint


def _count(panel: BlocksPanel) -> str:
    blocks = [block for block in panel.blocks if block.value is not None]
    out = sum(not block.resident for block in blocks)
    return f"core memory · {len(blocks) - out} in view" + (f", {out} out" if out else "")


def run(open_agent: OpenAgent) -> int:
    """Run the app until the user leaves; the exit status. `open_agent` is called after the first paint."""
    app = PagekeeperApp(open_agent)
    app.run()
    return app.return_code or 0
