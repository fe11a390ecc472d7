"""The loop: query, validate, execute, append, stop.

It commits (1) turn.started with the user's message; (2) the model's whole reply before any tool runs; (3) each call's
effects and result together; (4) turn.ended, together with (2) where there is no call. No transaction spans a model or
a tool.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row

from .calls import Call, Caller, Outcome
from .context.main import Compaction, MainContext, Where
from .context.parts import Part
from .errors import ContextExceeded, ModelError, PagekeeperError, TurnLost
from .journal.journal import Journal, Transaction
from .models.base import Model, ModelReply, ModelRequest, ReasoningDelta, Retrying, TextDelta, Usage
from .recall.citations import Citations
from .replies import ended_as, keep_broken, keep_reply
from .stream import (
    Cited,
    EndReason,
    EpochStarted,
    ReasoningShown,
    ReplyDelta,
    RetryScheduled,
    StepStarted,
    TurnEnded,
    TurnStarted,
    Warned,
)
from .text import counted
from .turn import Turn, cancelled

SAME_RESULTS = 3
"""The same call with the same result so many times in a row is no progress."""
OVERSIZE_TRIES = 4
"""How often a turn compacts because the provider finds the request too large."""

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
"""What providers refuse in the name of a call, also of one that their model made."""


@dataclass(frozen=True, slots=True)
class QueuedInput:
    """What a user said, waiting for its turn."""

    id: str
    text: str


@dataclass(slots=True)
class _Progress:
    """What a turn has come to so far."""

    text: str = ""
    """Of the reply that streams now; kept if it is cut off."""
    said: str = ""
    """Of the last whole reply."""
    usage: list[Usage] = field(default_factory=list)
    recent: deque[list[tuple[str, str, str]]] = field(default_factory=lambda: deque(maxlen=SAME_RESULTS))
    """What the calls of the last steps came to."""
    oversize: int = 0


@dataclass(frozen=True, slots=True)
class _Opened:
    """A step that is ready, but for the compaction that is due; and the epoch before it."""

    before: Row[Any] | None
    due: Compaction | None


class Loop:
    """Runs turns in one conversation."""

    def __init__(
        self, journal: Journal, context: MainContext, model: Model, caller: Caller, *, owner: str, step_cap: int
    ) -> None:
        self._journal = journal
        self._context = context
        self._model = model
        self._caller = caller
        self._owner = owner
        self._step_cap = step_cap

    async def run(self, turn: Turn, told: QueuedInput, recalled: Part | None) -> TurnEnded:
        """Run the turn of one input to its end. Whatever happens, the log stays valid for the next turn.

        The caller holds the conversation's lock. A cancelled turn is ended as cancelled, and returned like any other.
        Raises HomeError where not even the turn's end can be committed; then `recover` ends it before the next one.
        """
        progress = _Progress()
        try:
            opened = await self._start(turn, told, recalled)
            turn.emit(TurnStarted(turn.id, told.id, told.text))
            reason, error = await self._steps(turn, progress, opened)
        except asyncio.CancelledError:
            reason, error = await self._break_off(turn, progress, "cancelled"), ""
        except PagekeeperError as failure:
            reason, error = await self._break_off(turn, progress, "error", failure), str(failure)
        except Exception as failure:
            # A fault in a program's own model, or in ours. The log is put right, and then it shows as what it is.
            await self._break_off(turn, progress, "error", failure)
            raise
        return TurnEnded(turn.id, reason, progress.said, error, _sum(progress.usage), turn.step)

    async def _start(self, turn: Turn, told: QueuedInput, recalled: Part | None) -> _Opened:
        """Begin the turn, and open its first step with it, which saves a transaction before the model is asked."""

        def work(transaction: Transaction) -> _Opened:
            opened = self._context.open_turn(transaction, told.text, recalled)
            payload = {
                "input": told.id,
                "owner": self._owner,
                "text": told.text,
                "message": {"id": transaction.ids.new("message"), "parts": opened.pop("parts")},
                **opened,
            }
            turn.append(transaction, "turn.started", payload, "user")
            return self._open(turn, transaction)

        opened = await self._journal.write(work)
        turn.begun = True
        return opened

    async def _steps(self, turn: Turn, progress: _Progress, first: _Opened) -> tuple[EndReason, str]:
        """Step until the model is done; returns why the turn ended."""
        opened: _Opened | None = first
        while True:
            reply = await self._reply(turn, progress, opened)
            opened = None
            if not reply.calls:
                return await self._end(turn, progress, reply)
            calls = await self._commit_calls(turn, reply)
            progress.said, progress.text = reply.text, ""
            outcomes = await self._caller.run(turn, calls)
            if cancelled():
                raise asyncio.CancelledError
            if self._stuck(progress, outcomes):
                words = (
                    f"The model made the same call {SAME_RESULTS} times with the same result, so the turn was ended."
                )
                return await self._close(turn, "no_progress", words)
            if turn.step >= self._step_cap:
                return await self._close(turn, "step_cap", f"The turn was ended after {counted(turn.step, 'step')}.")
            turn.step += 1

    # -- asking the model ---------------------------------------------------------------------------------------

    async def _reply(self, turn: Turn, progress: _Progress, opened: _Opened | None) -> ModelReply:
        """The model's reply to the window as it stands. One that is wholly empty is asked for once more."""
        force: int | None = None
        empty = 0
        while True:
            request = await self._request(turn, opened or await self._open_now(turn, force))
            opened = None
            turn.emit(StepStarted(turn.step, self._context.window.total))
            try:
                reply = await self._ask(turn, request, progress)
            except ContextExceeded:
                progress.oversize += 1
                if progress.oversize >= OVERSIZE_TRIES or progress.text:
                    raise
                force = self._context.window.total // 2
                continue
            force = None
            self._note_usage(progress, reply)
            if reply.text.strip() or reply.calls or empty:
                return reply
            empty += 1

    def _open(self, turn: Turn, transaction: Transaction, force: int | None = None) -> _Opened:
        """Add the notes and start the epoch that are due before the turn's present step."""
        epoch = self._context.window.epoch
        return _Opened(epoch, self._context.open_step(transaction, Where(turn.id, turn.step), force=force))

    async def _open_now(self, turn: Turn, force: int | None) -> _Opened:
        return await turn.write(lambda transaction: self._open(turn, transaction, force))

    async def _request(self, turn: Turn, opened: _Opened) -> ModelRequest:
        """The request, after the compaction that is due."""
        context, where, due = self._context, Where(turn.id, turn.step), opened.due
        self._tell_epoch(turn, opened.before)
        if due is not None:
            epoch = context.window.epoch
            summary, problem = await context.summary_for(due, self._model)
            if problem:
                turn.emit(Warned(f"The summary was made by rule, since the model gave none: {problem}"))
            await turn.write(lambda transaction: context.compact(transaction, where, due, summary))
            self._tell_epoch(turn, epoch)
        return context.request()

    def _tell_epoch(self, turn: Turn, before: Any) -> None:
        epoch = self._context.window.epoch
        if epoch is not None and (before is None or epoch.number != before.number):
            turn.emit(EpochStarted(epoch.number, epoch.reason, self._context.window.total))

    async def _ask(self, turn: Turn, request: ModelRequest, progress: _Progress) -> ModelReply:
        progress.text = ""
        reply: ModelReply | None = None
        async for item in self._model.stream(request):
            if isinstance(item, ModelReply):
                reply = item
            elif isinstance(item, TextDelta):
                progress.text += item.text
                turn.emit(ReplyDelta(item.text))
            elif isinstance(item, ReasoningDelta):
                turn.emit(ReasoningShown(item.text))
            elif isinstance(item, Retrying):
                progress.text = ""
                turn.emit(RetryScheduled(item.attempt, item.wait, item.reason))
        if reply is None:
            raise ModelError(f"The model {self._model.name} ended its reply without finishing it.")
        return reply

    def _note_usage(self, progress: _Progress, reply: ModelReply) -> None:
        progress.usage.append(reply.usage)
        if reply.usage.input_tokens:
            self._context.reported = (self._context.window.total, reply.usage.input_tokens)

    # -- committing ---------------------------------------------------------------------------------------------

    async def _commit_calls(self, turn: Turn, reply: ModelReply) -> list[Call]:
        ids = self._journal.ids
        calls = [Call(ids.new("call"), _name(call.name), call.arguments, reply.finish) for call in reply.calls]
        await turn.write(lambda transaction: keep_reply(turn, transaction, self._model.name, reply, calls))
        return calls

    async def _end(self, turn: Turn, progress: _Progress, reply: ModelReply) -> tuple[EndReason, str]:
        """The reply has no call: commit it together with the turn's end."""
        empty = not reply.text.strip()
        reason: EndReason = "empty" if empty else "done"

        def work(transaction: Transaction) -> Citations:
            if not empty:
                keep_reply(turn, transaction, self._model.name, reply, [])
            return turn.end(transaction, reason, reply=reply.text)

        cites = await turn.write(work)
        if cites:
            turn.emit(Cited(cites.ids, cites.unknown))
        progress.said, progress.text = reply.text, ""
        if empty:
            return reason, f"The model {self._model.name} gave an empty reply twice."
        if reply.finish == "length":
            turn.emit(Warned("The reply was cut short: it reached the most tokens that a reply may have."))
        if reply.finish == "filtered":
            turn.emit(Warned("The provider withheld part of the reply."))
        return reason, ""

    async def _close(self, turn: Turn, reason: EndReason, words: str) -> tuple[EndReason, str]:
        await turn.write(lambda transaction: turn.end(transaction, reason))
        return reason, words

    async def _break_off(
        self, turn: Turn, progress: _Progress, reason: EndReason, failure: Exception | None = None
    ) -> EndReason:
        """End a turn in the middle: keep the text that came, answer the open calls, and say why.

        It is one transaction, so that the log is valid whatever happens next. Returns how the journal has it that the
        turn ended: where the commit of its end was cancelled, it had ended by then.
        """
        model, text = self._model.name, progress.text
        progress.said = progress.text or progress.said
        self._context.window.reset()
        try:
            await turn.write(lambda transaction: keep_broken(turn, transaction, model, text, reason, failure))
        except asyncio.CancelledError:
            pass  # cancelled once more; all is committed
        except TurnLost:
            # It never began, or it has ended.
            return await self._journal.read(lambda connection: ended_as(connection, turn)) or reason
        return reason

    def _stuck(self, progress: _Progress, outcomes: list[Outcome]) -> bool:
        progress.recent.append([(each.call.name, each.call.arguments, each.text) for each in outcomes])
        return len(progress.recent) == SAME_RESULTS and all(step == progress.recent[0] for step in progress.recent)


def _name(called: str) -> str:
    """The name of a call as it goes back to the provider."""
    return _NOT_IN_NAMES.sub("_", called)[:64] or "_"


def _sum(usages: list[Usage]) -> Usage:
    def total(name: str) -> int | None:
        known = [value for usage in usages if (value := getattr(usage, name)) is not None]
        return sum(known) if known else None

    return Usage(total("input_tokens"), total("output_tokens"), total("cached_tokens"))
