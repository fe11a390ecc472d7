"""Running tool calls: read the arguments, ask for approval, run, and commit exactly one result for each call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .archive.archive import Archive
from .arguments import parse_arguments
from .context.parts import Part, text_part
from .core.memory import CoreMemory
from .errors import HomeError, PagekeeperError, RevisionConflict, ToolError, TurnLost
from .failpoint import reach
from .journal.journal import Transaction
from .stream import ApprovalNeeded, CallStarted
from .text import storable
from .tool import Applied, CallContext, Commit, Result, Tool
from .toolbox import Toolbox
from .turn import Turn, cancelled, readable

log = logging.getLogger(__name__)

Approve = Callable[[str], Awaitable[bool]]
"""Waits until a person has decided on the call with this id."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it stands in the log: `arguments` is the raw text, `finish` how the reply ended that made it."""

    id: str
    name: str
    arguments: str
    finish: str


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

    def __init__(self, toolbox: Toolbox, core: CoreMemory, archive: Archive, approve: Approve) -> None:
        self.toolbox = toolbox
        self._core = core
        self._archive = archive
        self._approve = approve

    async def run(self, turn: Turn, calls: list[Call]) -> list[Outcome]:
        """Run the calls of one step, in order; all at once where none of them has effects."""
        ready = [self._read(call) for call in calls]
        if not all(isinstance(each, _Ready) and each.tool.effects == "none" for each in ready):
            return [await self._run_one(turn, each) for each in ready if not cancelled()]
        # All of them have ended when this returns, also where one failed to commit.
        ended = await asyncio.gather(*(self._run_one(turn, each) for each in ready), return_exceptions=True)
        failures = [each for each in ended if isinstance(each, BaseException)]
        if failures:
            raise failures[0]
        return [each for each in ended if isinstance(each, Outcome)]

    async def finish(self, turn: Turn, call: Call, started: bool) -> None:
        """Give a call that a dead process left unanswered its result.

        A memory call runs, since its effects would have been committed with its result. An outside call that had
        started runs again only if it is idempotent. Nothing new is asked of a person.
        """
        ready = self._read(call)
        tool = ready.tool if isinstance(ready, _Ready) else None
        if started and not (tool is not None and tool.idempotent):
            words = "Error: outcome unknown: the process died while the call ran. Check before you do it again."
            await self._commit(turn, call, Applied([text_part(words)]), error=True)
        elif not isinstance(ready, _Ready):
            await self._run_one(turn, ready)
        elif started or _safe(ready.tool):
            turn.emit(CallStarted(call.id, call.name, ready.repaired or call.arguments))
            await self._run_ready(turn, ready)
        else:
            await self._commit(turn, call, Applied([text_part("Error: not run: interrupted.")]), error=True)

    def _read(self, call: Call) -> _Ready | tuple[Call, PagekeeperError]:
        try:
            parsed = parse_arguments(call.arguments, call.finish)
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
        if _acts(tool):
            payload = {"call_id": call.id, "name": call.name, "repaired": ready.repaired}
            await turn.write(lambda transaction: turn.append(transaction, "call.started", payload))
        return await self._run_ready(turn, ready)

    async def _run_ready(self, turn: Turn, ready: _Ready) -> Outcome:
        """Run the tool, and commit what comes of it."""
        call, tool = ready.call, ready.tool
        try:
            reach("call.before")
            result = await self._invoke(turn, ready)
            reach("call.after")
            made = result if isinstance(result, Commit) else Applied(_parts(tool, result))
            return await self._commit(turn, call, made, repaired=ready.repaired)
        except (HomeError, TurnLost):
            raise
        except PagekeeperError as error:
            return await self._fail(turn, call, error, ready.repaired)
        except (Exception, asyncio.CancelledError, SystemExit) as error:
            # `sys.exit` in a tool ends the tool. KeyboardInterrupt is the user's, and ends the program.
            if isinstance(error, asyncio.CancelledError) and cancelled():
                raise
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
        tool = ready.tool
        try:
            async with asyncio.timeout(tool.timeout) as deadline:
                return await tool.run(context, **ready.arguments)
        except TimeoutError:
            if not deadline.expired():
                raise  # the tool's own
            unsure = "What it did until then is unknown; check before you do it again." if _acts(tool) else ""
            raise ToolError(f"{tool.name} did not finish within {tool.timeout:g} seconds.", hint=unsure) from None

    async def _fail(self, turn: Turn, call: Call, error: PagekeeperError, repaired: str | None = None) -> Outcome:
        if isinstance(error, RevisionConflict):
            applied = self._core.show_conflict(error)
        else:
            final = isinstance(error, ToolError) and not error.retryable
            words = storable(f"Error: {error}" + (" Do not try this again." if final else ""))
            applied = Applied([text_part(words)])
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

        return Outcome(call, error, readable(await turn.write(work)))


def _acts(tool: Tool) -> bool:
    """Whether the tool has effects that the journal does not commit."""
    return tool.effects == "external"


def _safe(tool: Tool) -> bool:
    """Whether a call that had not run may run after all: the journal commits its effects, and nobody is asked."""
    return tool.effects == "memory" and tool.approve == "never"


def _parts(tool: Tool, result: object) -> list[Part]:
    """What a tool returned as the parts of a message. Raises ToolError for what cannot be rendered."""
    if isinstance(result, str):
        return [text_part(storable(result))]
    if isinstance(result, list) and all(isinstance(part, dict) and _is_part(part) for part in result):
        return result
    kind = type(result).__name__
    raise ToolError(f"{tool.name} ran, but its result, a {kind}, is neither text nor parts.", retryable=False)


def _is_part(part: Part) -> bool:
    needed = {
        "text": {"text"},
        "block": {"label", "rev", "value"},
        "edit": {"label", "from", "to", "line", "old", "new"},
    }
    return part.get("type") in needed and needed[part["type"]] <= part.keys()
