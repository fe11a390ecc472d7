"""A conversation in this process: queues what the user says, waits for its turn, and runs it.

One turn runs at a time in a conversation, in the order in which the inputs were queued, whichever process they came
from. The order is the journal's; the lock is the operating system's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from collections.abc import Set as AbstractSet
from typing import TypeVar

from sqlalchemy import Connection, bindparam, select

from .calls import Caller
from .context.main import MainContext
from .context.parts import Part
from .errors import HomeError, PagekeeperError, words_of
from .journal import tables
from .journal.events import Event
from .journal.journal import Journal, Transaction
from .journal.statement import Statement
from .line import Line
from .locks import Locks, pause
from .loop import Loop, QueuedInput
from .recovery import LeftInput, left_inputs, open_turns, recover
from .scope import Scope
from .stream import Recalled, StreamEvent, TurnEnded, Warned
from .text import check_said
from .turn import Turn

log = logging.getLogger(__name__)

T = TypeVar("T")

_QUEUED = Statement(
    select(tables.inputs.c.id, tables.inputs.c.owner)
    .where(tables.inputs.c.conversation == bindparam("conversation"), tables.queued)
    .order_by(tables.inputs.c.seq)
)

Enter = Callable[[Transaction], int | None]
"""Makes an input durable, before anything else; returns its place in the conversation, or None where it is gone."""

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
        self._line = Line()
        self._running: set[asyncio.Task[None]] = set()
        self._abandoned: set[str] = set()

    async def stream(self, text: str) -> AsyncGenerator[StreamEvent, None]:
        """Say something, and yield the events of the turn that answers it. Raises InvalidText or HomeError.

        A reader that stops reading cancels the turn.
        """
        check_said(text)
        told = QueuedInput(self._journal.ids.new("input"), text)
        async with contextlib.aclosing(self._turn(told, lambda transaction: self._queue(transaction, told))) as events:
            async for event in events:
                yield event

    async def answer(self, left: LeftInput) -> AsyncGenerator[StreamEvent, None]:
        """Run the turn of what a dead process left; of what it had begun to answer, as a new input.

        Yields nothing where another process was faster.
        """
        fresh = left.interrupted is None
        told = QueuedInput(left.id if fresh else self._journal.ids.new("input"), left.text)

        def enter(transaction: Transaction) -> int | None:
            if left not in left_inputs(transaction.connection, self._locks, self.scope.agent, self.scope.user):
                return None
            if not fresh:
                return self._queue(transaction, told)
            self._append(transaction, "input.adopted", {"id": told.id, "owner": self._owner})
            return left.seq

        async with contextlib.aclosing(self._turn(told, enter, left.interrupted)) as events:
            async for event in events:
                yield event

    async def inspect(self, look: Callable[[], T]) -> T:
        """Bring the window up to date where no turn is running here, and return what `look` sees in it."""
        idle = not self._running

        def work(transaction: Transaction) -> T:
            if idle:
                self.context.window.catch_up(transaction.connection)
            return look()

        # As a write, for the same reason as in `_my_turn`.
        return await self._journal.write(work)

    def cancel(self) -> bool:
        """Stop the turns that run or wait here. Returns whether there was one."""
        return sum(task.cancel() for task in self._running) > 0

    async def quiet(self) -> None:
        """Return when no turn runs or waits here."""
        while self._running:
            await asyncio.wait(self._running)

    async def close(self) -> None:
        """Stop the turns that run or wait here, and return when they have ended."""
        while self._running:
            self.cancel()
            await asyncio.wait(self._running)

    async def _turn(
        self, told: QueuedInput, enter: Enter, again: str | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Run the turn in a task of its own, so that its end does not depend on the reader's pace."""
        queue: asyncio.Queue[StreamEvent | None] = asyncio.Queue()
        turn = Turn(self._journal.ids.new("turn"), self.scope, self._journal, queue.put_nowait)
        task = asyncio.create_task(self._run(turn, told, enter, again))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(lambda _task: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            if task.cancelled():  # while it waited; a turn that has begun ends by itself
                yield TurnEnded(turn.id, "cancelled", "")
            else:
                task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
                if not task.cancelled():
                    task.result()

    async def _run(self, turn: Turn, told: QueuedInput, enter: Enter, again: str | None) -> None:
        try:
            async with self._entered(told, enter) as left:
                if left is None:
                    return
                await recover(self._journal, self.scope, self._caller, left, turn.emit, again)
                recalled = await self._recalled(told.text, turn.emit)
                turn.emit(await self._loop.run(turn, told, recalled))
            if self._after_turn is not None:
                self._after_turn()
        finally:
            if not turn.begun:
                await self._drop(told.id)

    def _queue(self, transaction: Transaction, told: QueuedInput) -> int:
        payload = {"id": told.id, "user": self.scope.user, "text": told.text, "owner": self._owner}
        return self._append(transaction, "input.queued", payload).seq

    @contextlib.asynccontextmanager
    async def _entered(self, told: QueuedInput, enter: Enter) -> AsyncIterator[list[str] | None]:
        """Make `told` durable, and hold the conversation's lock once it is its turn.

        Brings the window up to date, and gives the turns that were left in the middle; None where the input is gone.
        """
        abandoned = frozenset(self._abandoned)

        def begin(transaction: Transaction) -> tuple[int | None, list[str] | None]:
            self._drop_queued(transaction, abandoned)
            place = enter(transaction)
            return place, self._look(transaction, told) if held and place is not None else None

        # Mostly nobody else is there, and then one transaction queues the input and finds that it is its turn.
        with self._locks.tried(self.scope.conversation) as held:
            try:
                place, left = await self._journal.write(begin)
            except BaseException:
                if held:
                    self.context.window.reset()  # what it has read may not be there
                raise
            self._abandoned -= abandoned
            if place is None:
                yield None
                return
            if left is not None:
                async with self._line.stand(place):
                    yield left
                return
        async with self._line.stand(place), self._my_turn(told) as left:
            yield left

    def _look(self, transaction: Transaction, told: QueuedInput) -> list[str] | None:
        """None unless `told` is the oldest input whose owner lives."""
        connection = transaction.connection
        if self._oldest(connection) != told.id:
            return None
        self.context.window.catch_up(connection)
        return open_turns(connection, self.scope.conversation)

    @contextlib.asynccontextmanager
    async def _my_turn(self, told: QueuedInput) -> AsyncIterator[list[str]]:
        """Wait until it is the turn of `told`, and hold the conversation's lock from then on."""
        attempt = 0
        while True:
            async with self._locks.turn(self.scope.conversation):
                # As a write, though it writes nothing: the window changes on the writer's thread alone.
                left = await self._journal.write(lambda transaction: self._look(transaction, told))
                if left is not None:
                    yield left
                    return
            await pause(attempt)
            attempt += 1

    def _oldest(self, connection: Connection) -> str | None:
        for row in _QUEUED.all(connection, {"conversation": self.scope.conversation}):
            if row.id not in self._abandoned and (row.owner == self._owner or self._locks.alive(row.owner)):
                return str(row.id)
        return None

    async def _recalled(self, text: str, emit: Callable[[StreamEvent], None]) -> Part | None:
        """The note of recall. A memory that cannot be searched does not stop the turn, and is told of."""
        if self._recall is None:
            return None
        try:
            found = await self._recall(text, self.context)
        except Exception as error:
            if not isinstance(error, PagekeeperError):
                log.exception("Recall failed.")
            emit(Warned(f"Nothing was recalled for this turn: {words_of(error)}"))
            return None
        if found is None:
            return None
        part, shown = found
        emit(shown)
        return part

    async def _drop(self, input_id: str) -> None:
        """Give up an input that no turn took, so that it stands in nobody's way."""
        self._abandoned.add(input_id)
        # Where it cannot be written, the next input's commit does it; until then it is passed over here.
        with contextlib.suppress(HomeError):
            await self._journal.write(lambda transaction: self._drop_queued(transaction, {input_id}))
            self._abandoned.discard(input_id)

    def _drop_queued(self, transaction: Transaction, abandoned: AbstractSet[str]) -> None:
        inputs = tables.inputs
        for input_id in sorted(abandoned):
            query = select(inputs.c.state).where(inputs.c.id == input_id)
            if transaction.connection.execute(query).scalar() == "queued":
                self._append(transaction, "input.dropped", {"id": input_id})

    def _append(self, transaction: Transaction, type: str, payload: dict[str, str]) -> Event:
        scope = self.scope
        return transaction.append(type, payload, stream=scope.agent, writer="user", conversation=scope.conversation)
