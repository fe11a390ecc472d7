"""A conversation in this process: queues what the user says, waits for its turn, and runs it.

One turn runs at a time in a conversation, in the order in which the inputs were queued, whichever process they came
from. The order is the journal's; the lock is the operating system's.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from sqlalchemy import Connection, select

from .calls import Caller
from .context.main import MainContext
from .context.parts import Part
from .errors import PagekeeperError
from .journal import tables
from .journal.journal import Journal, Transaction
from .locks import Locks, pause
from .loop import Loop, QueuedInput
from .recovery import recover
from .scope import Scope
from .stream import Recalled, StreamEvent, TurnEnded, Warned
from .text import check_text
from .turn import Turn

MOST_INPUT = 4_000_000
"""Characters that a user may say at once."""

T = TypeVar("T")

Recall = Callable[[str, MainContext], Awaitable[tuple[Part, Recalled] | None]]
"""Finds what memory holds about the user's words, for the `<memory>` note."""


class Conversation:
    """Runs the turns of one conversation, and streams what happens in them."""

    def __init__(
        self,
        scope: Scope,
        journal: Journal,
        locks: Locks,
        context: MainContext,
        caller: Caller,
        loop: Loop,
        *,
        owner: str,
        recall: Recall | None = None,
        after_turn: Callable[[], None] | None = None,
    ) -> None:
        self.scope = scope
        self.context = context
        self._journal = journal
        self._locks = locks
        self._caller = caller
        self._loop = loop
        self._owner = owner
        self._recall = recall
        self._after_turn = after_turn
        self._running: set[asyncio.Task[None]] = set()
        self._abandoned: set[str] = set()

    async def stream(self, text: str) -> AsyncIterator[StreamEvent]:
        """Say something, and yield the events of the turn that answers it. Raises InvalidText or HomeError.

        A reader that stops reading cancels the turn.
        """
        check_text(text, "What you say", empty=False, most=MOST_INPUT)
        told = await self._queue(text)
        async for event in self._turn(told):
            yield event

    async def adopt(self, input_id: str, text: str) -> AsyncIterator[StreamEvent]:
        """Run the turn of an input that a dead process left."""
        payload = {"id": input_id, "owner": self._owner}
        await self._journal.write(lambda transaction: self._append(transaction, "input.adopted", payload))
        async for event in self._turn(QueuedInput(input_id, text)):
            yield event

    async def inspect(self, look: Callable[[], T]) -> T:
        """Bring the window up to date where no turn is running here, and return what `look` sees in it."""
        window = self.context.window
        if not self._running:
            await self._journal.read(window.catch_up)
        return look()

    def cancel(self) -> bool:
        """Stop the turns that run or wait here. Returns whether there was one."""
        for task in self._running:
            task.cancel()
        return bool(self._running)

    async def _queue(self, text: str) -> QueuedInput:
        """Make the input durable before anything else happens."""

        def work(transaction: Transaction) -> QueuedInput:
            self._drop_abandoned(transaction)
            told = QueuedInput(transaction.ids.new("input"), text)
            payload = {"id": told.id, "user": self.scope.user, "text": text, "owner": self._owner}
            self._append(transaction, "input.queued", payload)
            return told

        told = await self._journal.write(work)
        self._abandoned.clear()
        return told

    async def _turn(self, told: QueuedInput) -> AsyncIterator[StreamEvent]:
        """Run the turn in a task of its own, so that its end does not depend on the reader's pace."""
        queue: asyncio.Queue[StreamEvent | None] = asyncio.Queue()
        task = asyncio.create_task(self._run(told, queue.put_nowait))
        self._running.add(task)
        task.add_done_callback(lambda _task: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            with contextlib.suppress(asyncio.CancelledError):
                await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            self._running.discard(task)

    async def _run(self, told: QueuedInput, emit: Callable[[StreamEvent], None]) -> None:
        turn = Turn(self._journal.ids.new("turn"), self.scope, self._journal, emit)
        try:
            async with self._my_turn(told):
                await recover(self._journal, self.scope, self._caller, emit)
                recalled = await self._recalled(told.text, emit)
                emit(await self._loop.run(turn, told, recalled))
            if self._after_turn is not None:
                self._after_turn()
        except asyncio.CancelledError:
            emit(TurnEnded(turn.id, "cancelled", ""))
            raise
        finally:
            if not turn.begun:
                await self._drop(told.id)

    @contextlib.asynccontextmanager
    async def _my_turn(self, told: QueuedInput) -> AsyncIterator[None]:
        """Wait until `told` is the oldest input whose owner lives, and hold the conversation's lock from then on."""
        attempt = 0
        while True:
            async with self._locks.turn(self.scope.conversation):
                if await self._journal.read(lambda connection: self._oldest(connection)) == told.id:
                    yield
                    return
            await pause(attempt)
            attempt += 1

    def _oldest(self, connection: Connection) -> str | None:
        inputs = tables.inputs
        query = select(inputs.c.id, inputs.c.owner).where(
            inputs.c.conversation == self.scope.conversation, inputs.c.state == "queued"
        )
        for row in connection.execute(query.order_by(inputs.c.seq)).all():
            if row.id not in self._abandoned and (row.owner == self._owner or self._locks.alive(row.owner)):
                return str(row.id)
        return None

    async def _recalled(self, text: str, emit: Callable[[StreamEvent], None]) -> Part | None:
        """The note of recall. A memory that cannot be searched does not stop the turn, and is told of."""
        if self._recall is None:
            return None
        try:
            found = await self._recall(text, self.context)
        except PagekeeperError as error:
            emit(Warned(f"Nothing was recalled for this turn: {error}"))
            return None
        if found is None:
            return None
        part, shown = found
        emit(shown)
        return part

    async def _drop(self, input_id: str) -> None:
        """Give up an input that no turn took, so that it stands in nobody's way."""
        self._abandoned.add(input_id)
        with contextlib.suppress(PagekeeperError):
            await self._journal.write(self._drop_abandoned)
            self._abandoned.discard(input_id)

    def _drop_abandoned(self, transaction: Transaction) -> None:
        for input_id in sorted(self._abandoned):
            self._append(transaction, "input.dropped", {"id": input_id})

    def _append(self, transaction: Transaction, type: str, payload: dict[str, str]) -> None:
        scope = self.scope
        transaction.append(type, payload, stream=scope.agent, writer="user", conversation=scope.conversation)
