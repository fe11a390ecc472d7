"""Running tool calls: read the arguments, ask for approval, run, and commit exactly one result for each call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .arguments import parse_arguments
from .context.parts import Part, text_part
from .core.memory import CoreMemory
from .errors import HomeError, PagekeeperError, RevisionConflict, ToolError, TurnLost
from .failpoint import reach
from .journal.journal import Transaction
from .stream import ApprovalNeeded, CallFinished, CallStarted
from .tool import Applied, CallContext, Commit, Result, Tool
from .toolbox import Toolbox
from .turn import Turn

log = logging.getLogger(__name__)

Approve = Callable[[str], Awaitable[bool]]
"""Waits until a person has decided on the call with this id."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it stands in the log: `arguments` is the raw text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: whether it failed, and its result as text."""

    call: Call
    error: bool
    text: str


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that may run."""

    call: Call
    tool: Tool
    arguments: dict[str, Any]
    repaired: str | None


class Caller:
    """Runs the calls of one conversation."""

    def __init__(self, toolbox: Toolbox, core: CoreMemory, archive: Any, approve: Approve) -> None:
        self.toolbox = toolbox
        self._core = core
        self._archive = archive
        self._approve = approve

    async def run(self, turn: Turn, calls: list[Call], finish: str) -> list[Outcome]:
        """Run the calls of one step, in order; all at once where none of them has effects."""
        ready = [self._read(call, finish) for call in calls]
        if all(isinstance(each, _Ready) and each.tool.effects == "none" for each in ready) and len(ready) > 1:
            return list(await asyncio.gather(*(self._run_one(turn, each) for each in ready)))
        return [await self._run_one(turn, each) for each in ready]

    async def finish(self, turn: Turn, call: Call, started: bool) -> None:
        """Give a call that a dead process left unanswered its result.

        A memory call runs, since its effects would have been committed with its result. An outside call that had
        started runs again only if it is idempotent.
        """
        ready = self._read(call, "stop")
        tool = ready.tool if isinstance(ready, _Ready) else None
        if started and not (tool is not None and tool.idempotent):
            words = "Error: outcome unknown: the process died while the call ran. Check before you do it again."
            await self._commit(turn, call, Applied([text_part(words)]), error=True)
        elif tool is None or tool.effects == "memory" or started:
            await self._run_one(turn, ready)
        else:
            await self.refuse(turn, call, "not run: interrupted")

    async def refuse(self, turn: Turn, call: Call, why: str) -> None:
        """Answer a call that will not run."""
        await self._commit(turn, call, Applied([text_part(f"Error: {why}.")]), error=True)

    def _read(self, call: Call, finish: str) -> _Ready | tuple[Call, PagekeeperError]:
        try:
            parsed = parse_arguments(call.arguments, finish)
            tool, arguments = self.toolbox.find(call.name, parsed.arguments)
        except PagekeeperError as error:
            return call, error
        return _Ready(call, tool, arguments, parsed.repaired)

    async def _run_one(self, turn: Turn, ready: _Ready | tuple[Call, PagekeeperError]) -> Outcome:
        if not isinstance(ready, _Ready):
            call, error = ready
            turn.emit(CallStarted(call.id, call.name, call.arguments))
            return await self._fail(turn, call, error)
        call, tool = ready.call, ready.tool
        if tool.approve == "ask":
            turn.emit(ApprovalNeeded(call.id, call.name, ready.repaired or call.arguments))
            if not await self._approve(call.id):
                return await self._fail(turn, call, ToolError("The user declined this call.", retryable=False))
        turn.emit(CallStarted(call.id, call.name, ready.repaired or call.arguments))
        if tool.effects == "external":
            payload = {"call_id": call.id, "name": call.name, "repaired": ready.repaired}
            await turn.write(lambda transaction: turn.append(transaction, "call.started", payload))
        try:
            reach("call.before")
            result = await self._invoke(turn, ready)
            reach("call.after")
            if isinstance(result, Commit):
                return await self._commit(turn, call, result, repaired=ready.repaired)
            return await self._commit(turn, call, Applied(_parts(result)), repaired=ready.repaired)
        except (HomeError, TurnLost):
            raise
        except PagekeeperError as error:
            return await self._fail(turn, call, error, ready.repaired)
        except Exception as error:
            # A host program's tool may raise anything; its trace is for the log, which holds no message text.
            log.exception("Tool %s failed.", tool.name)
            words = f"{tool.name} failed with {type(error).__name__}: {error}"
            return await self._fail(turn, call, ToolError(words), ready.repaired)

    async def _invoke(self, turn: Turn, ready: _Ready) -> Result:
        context = CallContext(
            call_id=ready.call.id,
            turn=turn.id,
            step=turn.step,
            scope=turn.scope,
            core=self._core,
            archive=self._archive,
            journal=turn.journal,
            clock=turn.journal.clock,
        )
        try:
            async with asyncio.timeout(ready.tool.timeout):
                return await ready.tool.run(context, **ready.arguments)
        except TimeoutError:
            raise ToolError(f"{ready.tool.name} did not finish within {ready.tool.timeout:g} seconds.") from None

    async def _fail(self, turn: Turn, call: Call, error: PagekeeperError, repaired: str | None = None) -> Outcome:
        if isinstance(error, RevisionConflict):
            applied = self._core.show_conflict(error)
        else:
            final = isinstance(error, ToolError) and not error.retryable
            applied = Applied([text_part(f"Error: {error}" + (" Do not try this again." if final else ""))])
        return await self._commit(turn, call, applied, error=True, repaired=repaired)

    async def _commit(
        self, turn: Turn, call: Call, what: Commit | Applied, *, error: bool = False, repaired: str | None = None
    ) -> Outcome:
        """Commit a call's effects, if it has any, together with its result."""

        def work(transaction: Transaction) -> list[Part]:
            applied = what.apply(transaction) if isinstance(what, Commit) else what
            payload: dict[str, Any] = {
                "message": {
                    "id": transaction.ids.new("message"),
                    "call_id": call.id,
                    "parts": applied.parts,
                },
                "name": call.name,
                "error": error,
                "used": applied.used,
                "released": list(applied.released),
                "counts": applied.counts,
            }
            if repaired is not None:
                payload["repaired"] = repaired
            turn.append(transaction, "call.result", payload, "agent")
            return applied.parts

        text = readable(await turn.write(work))
        turn.emit(CallFinished(call.id, call.name, text, error))
        return Outcome(call, error, text)


def _parts(result: str | list[Any]) -> list[Part]:
    return [text_part(result)] if isinstance(result, str) else list(result)


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
