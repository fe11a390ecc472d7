"""Shows what the conversation tells, and what other processes do meanwhile: transcript, blocks, gauge and status."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
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
from .blocks_panel import BlocksPanel
from .calls import flat
from .entries import NoticeEntry
from .gauge import Filling
from .screens import Approval

if TYPE_CHECKING:
    from ..runtime.agent import LiveAgent
    from .app import PagekeeperApp


class Watching:
    """The app's Listener to its conversation."""

    def __init__(self, app: PagekeeperApp) -> None:
        self._app = app
        self._asking: dict[str, Approval] = {}
        self._seen = 0
        """The number of the newest event that is shown."""
        self._drawing_news = asyncio.Lock()

    async def opened(self, session: LiveAgent) -> None:
        app = self._app
        names = (session.scope.agent_name, session.scope.conversation_name, session.model_name)
        app.show_title(" · ".join(map(flat, names)))
        self._seen = await session.newest()
        await app.log_view.begin(session)
        await self.tell_unanswered(session)
        await self._draw_memory()
        app.status.state = "ready"
        app.set_interval(app.NEWS_EVERY, self.look_for_news)

    async def tell_unanswered(self, session: LiveAgent) -> None:
        """Say what earlier processes left."""
        left = await session.unanswered()
        begun = sum(one.interrupted is not None for one in left)
        if queued := len(left) - begun:
            words = f"{queued} not answered yet, sent before. /resume answers."
            self._app.transcript.put(NoticeEntry("warning", words))
        if begun:
            words = f"{begun} interrupted while answered. /resume retry asks again."
            self._app.transcript.put(NoticeEntry("warning", words))

    async def sending(self, text: str) -> None:
        app = self._app
        app.disarm()
        app.status.queued = len(app.conversation.queue)
        app.status.state = "thinking …"
        app.blocks.begin_turn()
        if text:
            app.turn.begin(text)

    async def happened(self, event: StreamEvent) -> None:
        app = self._app
        app.turn.show(event)
        app.log_view.happened(event)
        match event:
            case StepStarted(step, _):
                app.status.state = "thinking …" if step <= 1 else f"thinking … (step {step})"
                await self.draw_gauge()
            case ReplyDelta():
                app.status.state = "answering …"
            case RetryScheduled(attempt, wait, _):
                app.status.state = f"waiting {wait:.3g} s to ask again (attempt {attempt})"
            case CallStarted(_, name, _):
                app.status.state = f"running {flat(name)} …"
            case CallFinished(_, name, _, _) if name.startswith("core_memory"):
                await self._draw_memory()
            case ApprovalNeeded(call_id, name, arguments):
                self._ask(Approval(call_id, name, arguments))
            case BlockChanged(label, revision, value, writer):
                app.blocks.change(label, revision, value, writer)
            case EpochStarted():
                await self._draw_memory()
            case TurnEnded():
                self._close_questions()

    async def failed(self, error: Exception, *, opening: bool) -> None:
        app = self._app
        app.turn.fail(error)
        if opening:
            app.open_failed = True
            app.status.state = "not open"
            app.status.hint = "Ctrl+C twice quits"

    async def idle(self) -> None:
        self._app.view.stopping = False
        self._close_questions()
        await self.draw_news()
        self._app.status.state = "ready"

    # What other processes, and commands, do

    def look_for_news(self) -> None:
        """Show what other processes did to this agent, if anything. While a turn runs here, its end shows that."""
        self._app.run_worker(self._look_for_news(), group="news")

    async def _look_for_news(self) -> None:
        app = self._app
        session = app.conversation.session
        if session is None or app.conversation.busy or app.leaving or self._drawing_news.locked():
            return
        try:
            if await session.newest() != self._seen:
                await self.draw_news()
        except Exception as error:
            app.status.message = f"What other processes did cannot be seen: {error}"

    async def draw_news(self) -> None:
        """Show the blocks as they are now, and what was said elsewhere in this conversation."""
        async with self._drawing_news:
            session = self._app.conversation.session
            if session is None:
                return
            seen = await session.newest()
            await self._app.log_view.catch_up(session)
            await self._draw_memory()
            if told := await session.memory.worked_since(self._seen):
                self._app.status.message = told
            self._seen = seen

    async def draw_anew(self, session: LiveAgent) -> None:
        """Show all as it stands now, and nothing of what it was before: something was erased."""
        async with self._drawing_news:
            self._seen = await session.newest()
            await self._app.log_view.renew(session)
            await self._draw_memory()
            # They show what each block said when the user last spoke.
            self._app.blocks.begin_turn()

    async def _draw_memory(self) -> None:
        """Show blocks and gauge as they are now."""
        app = self._app
        session = app.conversation.session
        if session is None:
            return
        blocks = await session.memory.blocks()
        app.blocks.show(blocks, await session.context.resident())
        app.query_one("#blocks-title", Static).update(Text(_count(app.blocks)))
        await self.draw_gauge()

    async def draw_gauge(self) -> None:
        """Show how full the window is now."""
        app = self._app
        if app.conversation.session is not None:
            app.gauge.filling = Filling.of(await app.conversation.session.context.overview())
            app.set_hint()

    # Approvals

    def _ask(self, question: Approval) -> None:
        app = self._app
        self._asking[question.call_id] = question
        app.status.state = "waiting for your approval"

        def answer(allowed: bool | None) -> None:
            if self._asking.pop(question.call_id, None) is not None and app.conversation.session is not None:
                app.conversation.session.approve(question.call_id, bool(allowed))

        app.push_screen(question, answer)

    def _close_questions(self) -> None:
        """The turn is over: nobody waits for an answer any more."""
        questions = list(self._asking.values())
        self._asking.clear()
        for question in questions:
            if question.is_current or question in self._app.screen_stack:
                question.dismiss(False)


def _count(panel: BlocksPanel) -> str:
    blocks = [block for block in panel.blocks if block.value is not None]
    out = sum(not block.resident for block in blocks)
    return f"core memory · {len(blocks) - out} in view" + (f", {out} out" if out else "")
