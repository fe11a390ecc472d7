"""One turn as the loop holds it: where it writes, what it emits, and the guard on its commits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import select

from .core.edit import Author
from .errors import TurnLost
from .journal import tables
from .journal.events import Event, Writer
from .journal.journal import Journal, Transaction
from .scope import Scope
from .stream import BlockChanged, StreamEvent

T = TypeVar("T")


@dataclass(slots=True)
class Turn:
    """A turn under way."""

    id: str
    scope: Scope
    journal: Journal
    emit: Callable[[StreamEvent], None]
    step: int = 1
    begun: bool = False
    """Whether turn.started is committed."""

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Commit something that belongs to this turn. Raises TurnLost if the turn is no longer this process's."""

        def guarded(transaction: Transaction) -> tuple[T, list[Event]]:
            query = select(tables.turns.c.ended_seq).where(tables.turns.c.id == self.id)
            row = transaction.connection.execute(query).one_or_none()
            if row is None or row.ended_seq is not None:
                raise TurnLost("This turn was ended by another process, which took it for dead.")
            return work(transaction), transaction.events

        result, events = await self.journal.write(guarded)
        for change in block_changes(events):
            self.emit(change)
        return result

    def append(self, transaction: Transaction, type: str, payload: dict[str, Any], writer: Writer = "system") -> Event:
        """Add an event of this turn's present step."""
        scope = self.scope
        return transaction.append(
            type,
            payload,
            stream=scope.agent,
            writer=writer,
            conversation=scope.conversation,
            turn=self.id,
            step=self.step,
        )

    def author(self) -> Author:
        """The model, as the author of an edit in this step."""
        return Author("agent", self.scope.conversation, self.id, self.step)


def block_changes(events: list[Event]) -> list[BlockChanged]:
    """What committed events mean for the blocks that people watch."""
    changes = []
    for event in events:
        payload = event.payload
        if event.type == "block.deleted":
            changes.append(BlockChanged(payload["label"], payload["revision"], None, event.writer))
        elif event.type == "block.created":
            changes.append(BlockChanged(payload["label"], payload["revision"], payload["value"], event.writer))
        elif event.type == "block.edited" and "value" in payload["changes"]:
            value = payload["changes"]["value"]
            changes.append(BlockChanged(payload["label"], payload["revision"], value, event.writer))
    return changes
