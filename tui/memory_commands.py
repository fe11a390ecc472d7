"""What the app's commands do with the agent's memory: read it, change it, and have memory work done."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from ..runtime.text import counted
from . import commands, pages
from .choosing import Deciding, Erasing, Forgetting
from .entries import NoticeEntry
from .look import look
from .screens import Reading

if TYPE_CHECKING:
    from rich.text import Text

    from ..runtime.agent import LiveAgent
    from ..runtime.erasing.survey import Erasable
    from ..runtime.sleeptime.work import Worked
    from .app import PagekeeperApp

SEARCHING = "searching …"
LOOKING, WORKING = "looking", "working"
"""Groups of workers that Escape stops: what is looked up, and memory work. What changes memory is not stopped."""


class MemoryCommands:
    """The commands. What may take a while runs beside the app, so that it does not wait."""

    def __init__(self, app: PagekeeperApp) -> None:
        self._app = app
        self._working = False

    def stop(self) -> bool:
        """Stop what is looked up or worked at; whether there was anything."""
        workers = self._app.workers
        return bool([*workers.cancel_group(self._app, LOOKING), *workers.cancel_group(self._app, WORKING)])

    # Reading

    async def search(self, words: str) -> None:
        if session := self._session_for(words, "search"):
            self._look_up(self._search(session, words))

    async def _search(self, session: LiveAgent, words: str) -> None:
        hits = await session.memory.search(words)
        await self._read("Found", pages.search_page(words, hits, session.scope.timezone, look(self._app.theme)))

    async def history(self, words: str) -> None:
        if session := self._session_for(words, "history"):
            versions = await session.memory.history(words)
            await self._read("History of a block", pages.history_page(versions, look(self._app.theme)))

    async def why(self, words: str) -> None:
        if session := self._session_for(words, "why"):
            found = await session.memory.why(words)
            page = pages.why_page(found, session.scope.timezone, look(self._app.theme))
            await self._read("Why this is remembered", page)

    async def rules(self, words: str) -> None:
        session = self._session()
        if session is None:
            return
        memory = session.memory
        decisions = {"accept": memory.accept_rule, "reject": memory.reject_rule, "drop": memory.drop_rule}
        verb, _, rule = words.partition(" ")
        if not words:
            await self._read("Standing rules", pages.rules_page(await memory.rules(), look(self._app.theme)))
        elif verb in decisions and rule:
            decided = await decisions[verb](rule.strip())
            await self._app.watching.draw_news()
            self._say(f"The rule {decided.short} {'holds' if decided.accepted else 'does not hold'}.")
        else:
            self._say(f"Which rule? /rules {'|'.join(decisions)} ID")

    # Forgetting and erasing

    async def undo(self, words: str) -> None:
        session = self._session_for(words, "undo")
        if session is None:
            return
        done = await session.memory.take_back(words)
        if isinstance(done, int):
            message = f"Brought back {counted(done, 'thing')}."
        else:
            message = f"Took back the newest change of block {words}."
        await self._app.watching.draw_news()
        self._say(message)

    async def forget(self, words: str) -> None:
        if session := self._session_for(words, "forget"):
            self._look_up(self._choose_forgetting(session, words))

    async def _choose_forgetting(self, session: LiveAgent, words: str) -> None:
        candidates = await session.memory.candidates(words)

        def chosen(ids: list[str] | None) -> None:
            if ids:
                self._change(self._forget(session, ids))
            else:
                self._say("Nothing was forgotten.")

        if candidates:
            await self._app.push_screen(Forgetting(candidates, session.scope.timezone), chosen)
        else:
            self._say("Nothing carries that.")

    async def _forget(self, session: LiveAgent, ids: list[str]) -> None:
        done = await session.memory.forget(ids)
        self._app.transcript.put(NoticeEntry("info", pages.forgotten_words(done)))
        await self._app.watching.draw_news()

    async def erase(self, words: str) -> None:
        if session := self._session_for(words, "erase"):
            self._look_up(self._choose_erasing(session, words))

    async def _choose_erasing(self, session: LiveAgent, words: str) -> None:
        found = await session.memory.erasable(words)
        shorts = await session.memory.short_ids([one.id for one in found.also])

        def chosen(partial: list[str] | None) -> None:
            if partial is None:
                self._say("Nothing was erased.")
            else:
                self._change(self._erase(session, found, partial))

        if found:
            await self._app.push_screen(Erasing(found, shorts), chosen)
        else:
            self._say("Nothing says that in these words. /search finds what is near, and /forget WORDS lists it.")

    async def _erase(self, session: LiveAgent, found: Erasable, partial: list[str]) -> None:
        """Nothing of it stays on the screen either, nor among what was typed: the command named it, too."""
        self._say("erasing …")
        try:
            done = await session.memory.erase(found, partial)
        finally:
            self._say("")
        self._app.prompt.forget_inputs()
        await self._app.watching.draw_anew(session)
        self._app.transcript.put(NoticeEntry("info", pages.erased_words(done)))

    # What memory work does, and what it leaves to the user

    async def disputes(self, words: str) -> None:
        session = self._session()
        if session is not None and not isinstance(self._app.screen, Deciding):
            self._app.run_worker(self._app.tried(self._decide(session)), group="deciding", exclusive=True)

    async def _decide(self, session: LiveAgent) -> None:
        """Put each dispute to the user, until they leave. A decision may change what the others are about, and another
        program may decide meanwhile; so it is looked anew each time."""
        from ..runtime.errors import NotFound

        asked: set[str] = set()
        decided = 0
        while rest := [one for one in await session.memory.disputes() if one.id not in asked]:
            one, total = rest[0], len(asked) + len(rest)
            asked.add(one.id)
            shorts = await session.memory.short_ids([one.new.id, one.old.id])
            screen = Deciding(one, shorts, session.scope.timezone, f"{len(asked)} of {total}")
            keep = await self._app.push_screen_wait(screen)
            if keep is None:
                break
            if keep != "later":
                with contextlib.suppress(NotFound):  # it is in no dispute any more
                    await session.memory.settle(one.id, keep)
                    decided += 1
                await self._app.watching.draw_news()
        left = len(await session.memory.disputes())
        done = f"Decided {decided}. " if decided else ""
        self._say(f"{done}{left:,} in dispute." if left else f"{done}Nothing is in dispute.")

    async def work(self, words: str) -> None:
        session = self._session()
        if session is None:
            return
        if self._working:
            self._say("Memory work is under way. Esc stops it.")
            return
        self._app.run_worker(self._app.tried(self._work(session)), group=WORKING)

    async def _work(self, session: LiveAgent) -> None:
        self._working = True
        try:
            waiting = (await session.memory.waiting()).messages
            self._say(pages.progress_words(0, waiting, self._app.conversation.busy))

            def tell(done: Worked) -> None:
                self._say(pages.progress_words(done.messages, waiting))

            done = await session.memory.work(progress=tell)
        except asyncio.CancelledError:
            self._say("Memory work was stopped. What is left is done later.")
            raise
        finally:
            self._working = False
        self._say("")
        for kind, text in pages.worked_words(done):
            self._app.transcript.put(NoticeEntry(kind, text))
        await self._app.watching.draw_news()

    # What they have in common

    def _session(self) -> LiveAgent | None:
        session = self._app.conversation.session
        if session is None:
            self._say("The agent is not open yet.")
        return session

    def _session_for(self, words: str, name: str) -> LiveAgent | None:
        """The agent, for a command that needs it and words."""
        session = self._session()
        if session is not None and not words:
            command = commands.find(name)
            what = "Which block" if name in ("history", "undo") else "What"
            self._say(f"{what}? {command and command.full}")
            return None
        return session

    def _say(self, words: str) -> None:
        self._app.status.message = words

    async def _read(self, title: str, page: Text) -> None:
        await self._app.push_screen(Reading(title, page))

    def _look_up(self, looking: Awaitable[None]) -> None:
        """Look something up; Escape gives it up."""
        self._app.run_worker(self._looked_up(looking), group=LOOKING, exclusive=True)

    async def _looked_up(self, looking: Awaitable[None]) -> None:
        self._say(SEARCHING)
        try:
            await self._app.tried(looking)
        finally:
            if self._app.status.message == SEARCHING:
                self._say("")

    def _change(self, changing: Awaitable[None]) -> None:
        """Change memory, which is not stopped half way."""
        self._app.run_worker(self._app.tried(changing), group="changing")
