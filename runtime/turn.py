"""One turn as the loop holds it: where it writes, what it emits, and the guard on its commits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import bindparam, select

from .context.parts import Part
from .errors import TurnLost
from .forgetting.forget import finish
from .journal import tables
from .journal.events import Event, Writer
from .journal.journal import Journal, Transaction
from .journal.statement import Statement
from .recall.citations import Citations, settle
from .scope import Scope
from .stream import BlockChanged, CallFinished, StreamEvent

T = TypeVar("T")

_ENDED = Statement(select(tables.turns.c.ended_seq).where(tables.turns.c.id == bindparam("turn")))


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
        """Commit something that belongs to this turn, and tell what it means for those who watch.

        Raises TurnLost if the turn is not under way; and CancelledError when all is committed and told.
        """
        events: list[Event] = []

        def guarded(transaction: Transaction) -> T:
            row = _ENDED.one(transaction.connection, {"turn": self.id})
            if row is None or row.ended_seq is not None:
                raise TurnLost("This turn was ended by another process, which took it for dead.")
            result = work(transaction)
            events.extend(transaction.events)
            return result

        try:
            result = await self.journal.write(guarded)
        except asyncio.CancelledError:
            self._tell(events)
            raise
        self._tell(events)
        return result

    def _tell(self, events: list[Event]) -> None:
        for told in news_of(events):
            self.emit(told)

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

    def end(self, transaction: Transaction, reason: str, error: str = "", reply: str = "") -> Citations:
        """End the turn; what it was asked to forget leaves its own messages now, and what its `reply` cites is used."""
        finish(transaction, self.scope, self.id)
        cites = settle(transaction, self.scope, self.id, reply)
        more = {"cites": cites.payload()} if cites else {}
        self.append(transaction, "turn.ended", {"reason": reason, "error": error, **more})
        return cites


def news_of(events: list[Event]) -> list[StreamEvent]:
    """What committed events mean for those who watch: blocks that changed, and calls that have their result."""
    changes: list[StreamEvent] = []
    for event in events:
        payload = event.payload
        if event.type == "block.deleted":
            changes.append(BlockChanged(payload["label"], payload["revision"], None, event.writer))
        elif event.type == "block.created":
            changes.append(BlockChanged(payload["label"], payload["revision"], payload["value"], event.writer))
        elif event.type == "block.edited" and "value" in payload["changes"]:
            value = payload["changes"]["value"]
            changes.append(BlockChanged(payload["label"], payload["revision"], value, event.writer))
        elif event.type == "call.result":
            message = payload["message"]
            result = readable(message["parts"])
            changes.append(CallFinished(message["call_id"], payload["name"], result, payload["error"]))
    return changes


def cancelled() -> bool:
    """Whether this task was cancelled, also where a tool has swallowed the CancelledError."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def readable(parts: list[Part]) -> str:
    """A result as people read it."""
    lines = []
    for part in parts:
        if part["type"] == "text":
            lines.append(part["text"])
        elif part["type"] == "block":
            lines.append(f"{part['label']} (revision {part['rev']}):\n{part['value']}")
        elif part["type"] == "edit":
            lines += [f"-{line}" for line in part["old"]] + [f"+{line}" for line in part["new"]]
    return "\n".join(lines)
