"""An agent in use: one agent, one user, one conversation. `assembly.py` puts it together from its parts."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from .approvals import Approvals
from .context.overview import Overview
from .conversation import Conversation
from .errors import PagekeeperError
from .history import LoggedMessage, read_history, read_news
from .journal.journal import Journal, last_seq
from .locks import Locks
from .memory import AgentMemory
from .models.base import Usage
from .recovery import LeftInput, left_inputs
from .scope import Scope
from .stream import StreamEvent, TurnEnded


@dataclass(frozen=True, slots=True)
class Context:
    """The window of the conversation, for reading: `agent.context`. `overview()` counts it, `resident()` names the
    blocks in it."""

    conversation: Conversation

    async def overview(self) -> Overview:
        """What takes how much of the window, as the next request stands."""
        context = self.conversation.context
        return await self.conversation.inspect(context.overview)

    async def resident(self) -> frozenset[str]:
        """The labels of the blocks whose values the model has in view; before its first request, of those it will."""
        core = self.conversation.context.core

        def look() -> frozenset[str]:
            return frozenset([*core.view, *(label for label, block in core.blocks.items() if block.pinned)])

        return await self.conversation.inspect(look)


class LiveAgent:
    """What a program does with an agent."""

    def __init__(
        self,
        scope: Scope,
        journal: Journal,
        locks: Locks,
        conversation: Conversation,
        memory: AgentMemory,
        approvals: Approvals,
        model_name: str,
    ) -> None:
        self.scope = scope
        self.memory = memory
        self.context = Context(conversation)
        self.model_name = model_name
        self.usage = Usage()
        """Tokens of all turns since the agent was opened, as far as the provider reported them."""
        self._journal = journal
        self._locks = locks
        self._conversation = conversation
        self._approvals = approvals

    async def stream(self, text: str) -> AsyncGenerator[StreamEvent, None]:
        """Say something, and yield what happens until the turn has ended; the last event is TurnEnded.

        Raises InvalidText, or HomeError where the journal cannot be written. A failing model is no exception: the turn
        ends with reason `error`. Who stops reading cancels the turn; it has ended when the iterator is closed.
        """
        async with aclosing(self._conversation.stream(text)) as events:
            async for event in events:
                self._count(event)
                yield event

    async def send(self, text: str) -> TurnEnded:
        """Say something, and return how the turn ended; the reply is its `text`."""
        ended: TurnEnded | None = None
        async with aclosing(self.stream(text)) as events:
            async for event in events:
                if isinstance(event, TurnEnded):
                    ended = event
        if ended is None:
            raise PagekeeperError("The turn ended without saying how.")
        return ended

    def cancel(self) -> bool:
        """Stop the turn under way. What the model has said so far is kept. Returns whether there was one."""
        return self._conversation.cancel()

    def approve(self, call_id: str, run: bool) -> None:
        """Decide whether a call that asked for approval runs. Raises NotFound where it does not wait."""
        self._approvals.decide(call_id, run)

    async def unanswered(self) -> list[LeftInput]:
        """What this user said in this conversation and a dead process left unanswered."""
        scope = self.scope
        left = await self._journal.read(
            lambda connection: left_inputs(connection, self._locks, scope.agent, scope.user)
        )
        return [one for one in left if one.conversation == scope.conversation]

    async def resume(self, retry: bool = False) -> AsyncGenerator[StreamEvent, None]:
        """Answer what a dead process left unanswered; with `retry`, also what it had begun to answer."""
        for left in await self.unanswered():
            if left.interrupted is None or retry:
                async with aclosing(self._conversation.answer(left)) as events:
                    async for event in events:
                        self._count(event)
                        yield event

    async def close(self) -> None:
        """Cancel the turns that are under way, and return when they, and memory work, have ended."""
        await self._conversation.close()
        await self.memory.sleeptime.close()

    async def history(self, limit: int | None = None, before: int | None = None) -> list[LoggedMessage]:
        """The newest messages of the conversation, oldest first; `before` is an ordinal, for paging back."""
        conversation = self.scope.conversation
        return await self._journal.read(lambda connection: read_history(connection, conversation, limit, before))

    async def newest(self) -> int:
        """The number of the agent's newest event, whoever wrote it. It is cheap, for one who looks for news often."""
        return await self._journal.read(lambda connection: last_seq(connection, self.scope.agent))

    async def news(self, after: int) -> list[LoggedMessage]:
        """The messages behind the ordinal `after`, oldest first, as far as their turns have ended."""
        conversation = self.scope.conversation
        return await self._journal.read(lambda connection: read_news(connection, conversation, after))

    def _count(self, event: StreamEvent) -> None:
        if isinstance(event, TurnEnded):
            self.usage = Usage(
                _add(self.usage.input_tokens, event.usage.input_tokens),
                _add(self.usage.output_tokens, event.usage.output_tokens),
                _add(self.usage.cached_tokens, event.usage.cached_tokens),
            )


def _add(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b
