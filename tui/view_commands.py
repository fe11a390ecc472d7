"""What the app's commands do with what is on the screen, and with the reply under way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import clipboard, pages
from .entries import ReplyEntry, UserEntry
from .look import DARK, LIGHT, look
from .screens import Reading

if TYPE_CHECKING:
    from .app import PagekeeperApp


class ViewCommands:
    """The commands, each with the words behind it."""

    def __init__(self, app: PagekeeperApp) -> None:
        self._app = app
        self.stopping = False
        """The reply is being stopped."""

    async def help(self, words: str) -> None:
        await self._app.push_screen(Reading("Help", pages.help_page(look(self._app.theme))))

    async def copy(self, words: str) -> None:
        items = self._app.transcript.items
        if words == "all":
            text = "\n\n".join(
                ("> " + item.words().replace("\n", "\n> ")) if isinstance(item, UserEntry) else item.words()
                for item in items
                if isinstance(item, UserEntry | ReplyEntry)
            )
        else:
            text = next((item.words() for item in reversed(items) if isinstance(item, ReplyEntry)), "")
        await self.copy_text(text)

    async def copy_text(self, text: str) -> None:
        """Copy it, and say which way it took."""
        app = self._app
        if not text:
            app.status.message = "There is nothing to copy yet."
            return
        route = await clipboard.copy(text, clipboard.routes(os.environ), app.copy_to_clipboard)
        doubt = "; if nothing arrives, the terminal does not allow it" if route is clipboard.TERMINAL else ""
        app.status.message = f"Copied {len(text):,} characters through {route.name}{doubt}."

    async def blocks(self, words: str) -> None:
        app = self._app
        if app.screen.has_class("-narrow"):
            app.status.message = "The window is too narrow for the blocks: it needs 64 columns."
            return
        app.screen.toggle_class("-panel-hidden")
        app.set_hint()

    async def context(self, words: str) -> None:
        app = self._app
        await app.watching.draw_gauge()
        filling = app.gauge.filling
        if filling is None:
            app.status.message = "The agent is not open yet."
            return
        await app.push_screen(Reading("Context, in tokens", pages.context_page(filling, look(app.theme))))

    async def calls(self, words: str) -> None:
        transcript = self._app.transcript
        transcript.fold_all(any(not call.folded for call in transcript.calls))

    async def theme(self, words: str) -> None:
        self._app.theme = DARK.name if self._app.theme == LIGHT.name else LIGHT.name

    async def resume(self, words: str) -> None:
        app = self._app
        session = app.conversation.session
        retry = words == "retry"
        if session is None:
            app.status.message = "The agent is not open yet."
            return
        left = await session.unanswered()
        if any(retry or one.interrupted is None for one in left):
            app.conversation.resume(retry)
        elif left:
            await app.watching.tell_unanswered(session)
        else:
            app.status.message = "Nothing is unanswered."

    async def stop(self, words: str) -> None:
        if not self.stop_reply() and not self._app.memory.stop():
            self._app.transcript.follow()
            self._app.prompt.focus()

    def stop_reply(self) -> bool:
        """Stop the reply; whether there was one."""
        self.stopping = self._app.conversation.stop()
        if self.stopping:
            self._app.status.state = "stopping …"
        return self.stopping
