"""The main context: what happens to the window at the start of a turn and before each step.

Notes are rendered, the head is compiled anew where it must be, and a full window is compacted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from ...prompts import load
from ..clock import parse_stamp
from ..core.blocks import Block
from ..forgetting.force import in_force
from ..journal import tables
from ..journal.events import Event
from ..journal.journal import Transaction
from ..models.base import Model, ModelRequest
from .cold_start import onboarding
from .compaction import Plan, plan_compaction, transcript
from .head import Head, compile_head
from .overview import Overview, overview_of
from .parts import Part, block_part, note_part, text_part
from .summary import summarise
from .window import Window


@dataclass(frozen=True, slots=True)
class Where:
    """The turn and step for which something is written."""

    turn: str
    step: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction that is due; its summary is made outside of any transaction."""

    plan: Plan
    reason: str
    seen: int
    """The newest event when it was planned."""


class MainContext:
    """Manages the window of one conversation."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.core = window.core
        self.reported: tuple[int, int] | None = None
        """Of the last request: what was counted here, and what the provider reported."""

    # -- the start of a turn ------------------------------------------------------------------------------------

    def open_turn(self, transaction: Transaction, words: str, recalled: Part | None) -> dict[str, Any]:
        """Bring the window up to date, and compose the user's message: notes first, then the words.

        Returns what the event turn.started must hold of it: `parts`, `used` and `counts`.
        """
        window = self.window
        before = window.epoch
        window.catch_up(transaction.connection)
        if before is not None and (window.epoch is None or window.epoch.row != before.row):
            recalled = None  # something was forgotten, or rewound, since it was looked for
        self._compile_if_due(transaction, None)
        now = self._local(transaction.clock.now())
        about = self._day_parts(now)
        about += self.core.updates(transaction.connection, window.new_blocks)
        window.new_blocks = []
        used: dict[str, int] = {}
        prefetched = [block for block in self.core.prefetch(words) if block.label not in self.core.view]
        for block in prefetched:
            about += [text_part(f"Block {block.label} is paged in."), _whole(block)]
            used[block.label] = block.revision
        parts = self._notes(about, now)
        if recalled is not None:
            parts.append(recalled)
        counts = {"prefetches": len(prefetched)} if prefetched else {}
        return {"parts": [*parts, text_part(words)], "used": used, "counts": counts}

    def _day_parts(self, now: datetime) -> list[Part]:
        """The day, where the window shows an earlier one."""
        epoch = self.window.epoch
        shown = epoch.date if epoch is not None else ""
        for entry in reversed(self.window.entries):
            if entry.role == "user" and not entry.old:
                shown = max(shown, self._local(parse_stamp(entry.at)).date().isoformat())
                break
        return [text_part(f"Today is {now:%A}, {now.date().isoformat()}.")] if now.date().isoformat() > shown else []

    # -- before each step ---------------------------------------------------------------------------------------

    def open_step(self, transaction: Transaction, where: Where, *, force: int | None = None) -> Compaction | None:
        """Make the window ready for a request; a Compaction if one is due first.

        `force` demands a compaction to that many tokens, since the provider finds the request too large.
        """
        window = self.window
        window.catch_up(transaction.connection)
        self._compile_if_due(transaction, where)
        self._add_notes(transaction, where)
        self._compile_if_due(transaction, where)  # the notes may have held too much of core memory
        limits = window.limits
        if force is not None:
            return self._compaction(transaction, min(force, limits.target), where, "the provider's limit")
        if window.total > limits.compact:
            return self._compaction(transaction, limits.target, where, "compaction")
        return None

    def _compile_if_due(self, transaction: Transaction, where: Where | None) -> None:
        window = self.window
        if window.fresh and window.appended <= window.limits.core:
            return
        epoch = window.epoch
        if epoch is None:
            reason = "opened"
        elif epoch.reason.startswith("stale: "):
            reason = epoch.reason.removeprefix("stale: ")
        elif not window.fresh:
            reason = "model, prompt or tools changed"
        else:
            reason = "core memory outgrew its budget"
        self._start_epoch(transaction, where, reason, self._compile(transaction))

    def _add_notes(self, transaction: Transaction, where: Where) -> None:
        """Say what changed since the last request, where the newest message can still take a note."""
        window = self.window
        last = window.unsent
        if last is None:
            return
        about = self.core.updates(transaction.connection, window.new_blocks)
        parts = self._notes(about, self._local(transaction.clock.now()))
        if not parts:
            return
        window.new_blocks = []
        self._write(transaction, where, "note.added", {"message": last.id, "parts": parts})
        window.catch_up(transaction.connection)

    def _notes(self, about: list[Part], now: datetime) -> list[Part]:
        window = self.window
        at = f"{now:%Y-%m-%d %H:%M}"
        parts = [note_part("memory_update", at, about)] if about else []
        if window.total >= window.limits.pressure and not window.told("memory_pressure"):
            parts.append(note_part("memory_pressure", at, [text_part(load("pressure"))]))
        return parts

    # -- epochs -------------------------------------------------------------------------------------------------

    def _compile(self, transaction: Transaction) -> Head:
        """The head as it must be now; it names the day, since nothing before it does."""
        window = self.window
        now = self._local(transaction.clock.now())
        day = f"Today is {now:%A}, {now.date().isoformat()}, time zone {window.scope.timezone.key}."
        uses = self.core.uses(transaction.connection)
        asks = onboarding(transaction.connection, window.scope, self.core.blocks.get("human"))
        return compile_head(self.core, uses, window.limits, window.counter, day, asks)

    def _start_epoch(
        self,
        transaction: Transaction,
        where: Where | None,
        reason: str,
        head: Head,
        changes: dict[str, Any] | None = None,
    ) -> Event:
        window, epoch = self.window, self.window.epoch
        shown = set(self.core.view)
        evictions = len((shown & self.core.blocks.keys()) - set(head.resident))
        payload: dict[str, Any] = {
            "id": transaction.ids.new("epoch"),
            "number": epoch.number + 1 if epoch is not None else 1,
            "reason": reason,
            "model": window.setting.model,
            "system": window.setting.system,
            "tools": list(window.setting.tools),
            "head": head.text,
            "resident": head.resident,
            "summary": epoch.summary if epoch is not None else "",
            "first": epoch.first if epoch is not None else 0,
            "lead": epoch.lead if epoch is not None else 0,
            "boundary": self._next_ordinal(transaction),
            "cut": epoch.cut if epoch is not None else 0,
            "cap": epoch.cap if epoch is not None else window.limits.part,
            "bare": epoch.bare if epoch is not None else 0,
            "date": self._local(transaction.clock.now()).date().isoformat(),
            "counts": {"evictions": evictions} if evictions else {},
            **(changes or {}),
        }
        event = self._write(transaction, where, "epoch.started", payload)
        window.new_blocks = []
        window.catch_up(transaction.connection)
        return event

    def _next_ordinal(self, transaction: Transaction) -> int:
        query = select(tables.messages.c.ordinal).where(
            tables.messages.c.conversation == self.window.scope.conversation
        )
        newest = transaction.connection.execute(query.order_by(tables.messages.c.ordinal.desc()).limit(1)).scalar()
        return (newest or 0) + 1

    # -- compaction ---------------------------------------------------------------------------------------------

    def _compaction(self, transaction: Transaction, target: int, where: Where, reason: str) -> Compaction:
        seen = transaction.last_seq(self.window.scope.agent)
        return Compaction(self._plan(transaction, target, where), reason, seen)

    def _plan(self, transaction: Transaction, target: int, where: Where) -> Plan:
        window = self.window
        head = self._compile(transaction)
        fixed = window.sections["system"] + window.sections["tools"] + window.counter.count(head.text) + 8
        return plan_compaction(window.entries, fixed, target, window.limits.part, window.counter, where.turn)

    async def summary_for(self, compaction: Compaction, model: Model) -> tuple[str, str]:
        """The summary that a compaction needs, and what went wrong in making it, if anything did."""
        window, plan = self.window, compaction.plan
        before = window.epoch.summary if window.epoch is not None else ""
        said = transcript(plan.evicted, window.counter, window.limits.part)
        return await summarise(model, before, said, plan.summary, window.counter, window.limits.usable * 3 // 4)

    def compact(self, transaction: Transaction, where: Where, compaction: Compaction, summary: str) -> Event:
        """Start the epoch in which the summary stands for the messages that leave."""
        plan, scope = compaction.plan, self.window.scope
        self.window.catch_up(transaction.connection)
        # It was made from what could be read before; something may have been forgotten meanwhile.
        gone = in_force(transaction.connection, scope.agent, compaction.seen)
        changes = {
            "summary": gone.summary(scope.user, summary),
            "first": plan.first,
            "lead": plan.lead,
            "cut": self._next_ordinal(transaction),
            "cap": plan.cap,
            "bare": plan.bare,
            "counts": {"compactions": 1},
        }
        return self._start_epoch(transaction, where, compaction.reason, self._compile(transaction), changes)

    # -- reading ------------------------------------------------------------------------------------------------

    def request(self) -> ModelRequest:
        """The request as it stands."""
        return self.window.request()

    def overview(self) -> Overview:
        """What takes how much of the window."""
        return overview_of(self.window, self.reported)

    def _local(self, moment: datetime) -> datetime:
        return moment.astimezone(self.window.scope.timezone)

    def _write(self, transaction: Transaction, where: Where | None, type: str, payload: dict[str, Any]) -> Event:
        scope = self.window.scope
        return transaction.append(
            type,
            payload,
            stream=scope.agent,
            writer="system",
            conversation=scope.conversation,
            turn=where.turn if where else None,
            step=where.step if where else None,
        )


def _whole(block: Block) -> Part:
    return block_part(block.label, block.revision, block.value)
