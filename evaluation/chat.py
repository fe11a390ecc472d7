"""A chat with an assistant, held again: each turn goes through the agent's own loop into the conversation log.

That is where such a chat is, of whoever uses this program: its messages are found there whole, by the role that said
them, in the sessions that the pauses between them make. What the assistant said is what its model says here; memory
work, where it is done, has a model of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import datetime

from ..assembly import Agent, Home
from ..runtime.errors import DatasetError, ModelUnavailable
from ..runtime.models.base import Delta, Model, ModelReply, ModelRequest, Purpose, TextDelta, serves
from ..runtime.scope import Scope
from .dataset import Talk

WINDOW = 128_000
"""Tokens. What no longer fits is compacted, and found in the log all the same."""


async def hold(
    home: Home,
    agent: str,
    talk: Talk,
    user: str,
    conversation: str,
    reach: Callable[[datetime | None], None],
    *,
    mind: Model | None = None,
    between: Callable[[Agent], Awaitable[None]] | None = None,
) -> tuple[Scope, dict[str, str]]:
    """Hold a chat with `agent`; returns whose log it is in, and the keys of its turns by the ids of the messages.

    `reach` is told of the time at which the next turn is said, where the set says it; `between` is done after each
    turn, and its memory work by the model `mind`. Raises DatasetError where a turn does not end well.
    """
    # Nothing is recalled meanwhile: a note before a turn is no message, and nobody reads it here.
    settings = {"recall_budget": 0, "window": WINDOW}
    model = _Retold((said.text for said in talk.said if said.speaker == "assistant"), mind)
    async with Agent.open(
        agent, home=home, model=model, user=user, conversation=conversation, timezone="UTC", settings=settings
    ) as live:
        for said in talk.said:
            if said.speaker == "user":
                reach(said.at)
                ended = await live.send(said.text)
                if ended.reason != "done":
                    raise DatasetError(f"The turn {said.key!r} of {talk.name!r} cannot be held: {ended.error}")
                if between is not None:
                    await between(live)
        log = [message for message in await live.history() if message.role in ("user", "assistant")]
        return live.scope, {message.id: said.key for message, said in zip(log, talk.said, strict=True)}


class _Retold:
    """Says what was said, in order, and leaves what else is asked to `mind`. A Model."""

    name = "what was said"
    window = WINDOW
    serves: frozenset[Purpose]

    def __init__(self, replies: Iterable[str], mind: Model | None) -> None:
        self._replies = deque(replies)
        self._mind = mind
        others: tuple[Purpose, ...] = ("extract", "reflect")
        self.serves = frozenset({"turn", "summary", *(one for one in others if mind is not None and serves(mind, one))})

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        if request.purpose == "summary":
            raise ModelUnavailable("It says but what was said.")  # the runtime then makes a summary of its own
        if request.purpose != "turn" and self._mind is not None:
            async for item in self._mind.stream(request):
                yield item
            return
        text = self._replies.popleft()
        yield TextDelta(text)
        yield ModelReply(text)

    async def close(self) -> None:
        pass
