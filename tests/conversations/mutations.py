"""Behaviours of the runtime, each broken on purpose: what the conversations of this folder must catch.

A mutation is a function that patches the runtime; its name says what is broken, as a conversation's `catches` names it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from pagekeeper import assembly
from pagekeeper.runtime import approvals, calls, conversation, fork, loop, memory, recovery
from pagekeeper.runtime.archive import archive as archives
from pagekeeper.runtime.archive import lines as archive_lines
from pagekeeper.runtime.archive import passages, search, short_ids
from pagekeeper.runtime.archive.memory import Shelf
from pagekeeper.runtime.archive.query import Hit
from pagekeeper.runtime.context import main, parts
from pagekeeper.runtime.context.limits import Limits
from pagekeeper.runtime.context.main import MainContext
from pagekeeper.runtime.context.window import Window
from pagekeeper.runtime.core import edit
from pagekeeper.runtime.core import memory as core
from pagekeeper.runtime.forgetting.facts import Facts
from pagekeeper.runtime.home import JOURNAL
from pagekeeper.runtime.journal.fold import HANDLERS
from pagekeeper.runtime.journal.journal import Journal, last_seq
from pagekeeper.runtime.models.base import ModelRequest
from pagekeeper.runtime.recall import citations, note, router, small_talk
from pagekeeper.runtime.sleeptime import decisions, delta, keep, known, reconcile, work
from pagekeeper.runtime.sleeptime.consolidating import proposals, reflecting, tidy
from pagekeeper.runtime.sleeptime.consolidating.human import Update
from pagekeeper.runtime.sleeptime.consolidating.state import Since
from pagekeeper.runtime.tool import Applied
from pagekeeper.runtime.when.asked import When
from pagekeeper.tools import archival

Patch = pytest.MonkeyPatch
MUTATIONS: dict[str, Callable[[Patch], None]] = {}


def mutation(name: str) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    """Name a mutation."""

    def add(function: Callable[[Patch], None]) -> Callable[[Patch], None]:
        MUTATIONS[name] = function
        return function

    return add


def around(patch: Patch, owner: Any, name: str, change: Callable[..., Any]) -> None:
    """Put `change` in the place of a function; it is given that function first, and then its arguments."""
    before = getattr(owner, name)
    patch.setattr(owner, name, lambda *given, **named: change(before, *given, **named))


# -- core memory ----------------------------------------------------------------------------------------------------


@mutation("edits lose their text")
def _(patch: Patch) -> None:
    around(patch, edit, "_value", lambda _before, block, *_rest: {"value": block.value + "\n"})


@mutation("a replacement leaves the old text")
def _(patch: Patch) -> None:
    around(patch, edit, "_replaced", lambda _before, block, old, new: f"{block.value}\n{new}")
    around(patch, edit, "_value", _rethink_appends)


def _rethink_appends(before: Any, block: Any, operation: Any, *rest: Any) -> Any:
    if isinstance(operation, edit.Rethink):
        return {"value": f"{block.value}\n{operation.value}"}
    return before(block, operation, *rest)


@mutation("an ambiguous replacement takes the first place")
def _(patch: Patch) -> None:
    around(patch, edit, "_occurrences", lambda before, value, old: min(1, before(value, old)))


@mutation("a miss shows nothing")
def _(patch: Patch) -> None:
    patch.setattr(edit, "_closest", lambda value, wanted: "")


@mutation("read-only blocks can be edited")
def _(patch: Patch) -> None:
    def find(before: Any, *given: Any) -> Any:
        block = before(*given)
        return block and replace(block, read_only=False)

    around(patch, edit, "find_block", find)


@mutation("limits are not kept")
def _(patch: Patch) -> None:
    patch.setattr(edit, "_check_value", lambda *_given: None)


@mutation("edits of the user are not told")
def _(patch: Patch) -> None:
    patch.setattr(core.CoreMemory, "updates", lambda *_given: [])


@mutation("unseen blocks can be written over")
def _(patch: Patch) -> None:
    around(patch, core, "apply_edit", lambda before, *given: before(*given[:-1], None))


@mutation("undo does nothing")
def _(patch: Patch) -> None:
    async def undo(*_given: Any) -> None:
        return None

    patch.setattr(memory.AgentMemory, "undo", undo)


@mutation("a block that is paged in is not shown")
def _(patch: Patch) -> None:
    patch.setattr(core.CoreMemory, "_whole", lambda self, block: [])


@mutation("nothing is prefetched")
def _(patch: Patch) -> None:
    patch.setattr(core.CoreMemory, "prefetch", lambda self, words: [])


# -- the archive ----------------------------------------------------------------------------------------------------


def _hits(patch: Patch, change: Callable[[list[Hit]], list[Hit]]) -> None:
    async def changed(before: Any, *given: Any, **named: Any) -> list[Hit]:
        return change(await before(*given, **named))

    around(patch, search.Searcher, "search", changed)


@mutation("the archive finds nothing")
def _(patch: Patch) -> None:
    _hits(patch, lambda hits: [hit for hit in hits if hit.table != "passage"])


@mutation("the log finds nothing")
def _(patch: Patch) -> None:
    _hits(patch, lambda hits: [hit for hit in hits if hit.table != "message"])


@mutation("only the beginning of a long text is archived")
def _(patch: Patch) -> None:
    around(patch, archives, "chunk", lambda before, text: before(text)[:1])


@mutation("an update leaves the old passage active")
def _(patch: Patch) -> None:
    def add(_before: Any, tx: Any, scope: Any, _id: str, draft: Any, prepared: Any, **named: Any) -> Any:
        return passages.add(tx, scope, [draft], [prepared], **named)

    around(patch, archival, "supersede", add)


@mutation("searches have no conditions")
def _(patch: Patch) -> None:
    free = {"tags": (), "start": None, "end": None}
    around(patch, archival, "Query", lambda before, *given, **named: before(*given, **{**named, **free}))


@mutation("words are not searched for")
def _(patch: Patch) -> None:
    patch.setattr(Shelf, "_by_terms", lambda *_given: [])


@mutation("only some passages are searched")
def _(patch: Patch) -> None:
    patch.setattr(Shelf, "search", lambda self, *_given: list(self.rows.values())[:20])


@mutation("users are one")
def _(patch: Patch) -> None:
    patch.setattr(assembly, "check_name", lambda *_given: "everybody")


# -- recall and forgetting ------------------------------------------------------------------------------------------


@mutation("nothing is recalled")
def _(patch: Patch) -> None:
    patch.setattr(router, "worth_looking", lambda words: False)


@mutation("everything is recalled")
def _(patch: Patch) -> None:
    patch.setattr(router, "worth_looking", lambda words: True)
    _hits(patch, lambda hits: [replace(hit, weak=False) for hit in hits])


@mutation("sums are looked for")
def _(patch: Patch) -> None:
    patch.setattr(small_talk, "is_sum", lambda words: False)


@mutation("questions are not made whole")
def _(patch: Patch) -> None:
    patch.setattr(router, "rewritten", lambda words, before: words)


@mutation("kinds are not looked for")
def _(patch: Patch) -> None:
    patch.setattr(router, "_KINDS", ())


@mutation("intervals are not asked")
def _(patch: Patch) -> None:
    patch.setattr(router, "when_of", lambda *_given: When(past=True))


@mutation("intervals are not told")
def _(patch: Patch) -> None:
    patch.setattr(archive_lines, "_interval", lambda *_given: [])


@mutation("small stores are told in part")
def _(patch: Patch) -> None:
    patch.setattr(note, "WHOLE", 0)


@mutation("all that is found is told")
def _(patch: Patch) -> None:
    around(patch, note, "best", lambda before, hits, most, now: before(hits, 100, now))


@mutation("what is told has no order")
def _(patch: Patch) -> None:
    patch.setattr(note, "in_order", lambda hits, now: list(hits)[::-1])


@mutation("what is known is told again")
def _(patch: Patch) -> None:
    patch.setattr(note, "is_known", lambda text, lines: False)


@mutation("what is in view is told again")
def _(patch: Patch) -> None:
    patch.setattr(Window, "shown_ids", lambda self: {entry.id for entry in self.entries})


@mutation("the origin of memories is not told")
def _(patch: Patch) -> None:
    around(patch, archive_lines, "_marks", lambda before, hit, zone: before(replace(hit, basis=""), zone))


@mutation("newcomers are asked nothing")
def _(patch: Patch) -> None:
    patch.setattr(main, "onboarding", lambda *_given: "")


@mutation("citations are not resolved")
def _(patch: Patch) -> None:
    patch.setattr(citations, "cited", lambda text: [])


@mutation("ids must be whole")
def _(patch: Patch) -> None:
    def whole(before: Any, *given: Any) -> list[str]:
        *_, start, _agent, _user, _most = given
        return [one for one in before(*given) if one == start]

    around(patch, short_ids, "_beginning", whole)


@mutation("what else carries a forgotten fact stays")
def _(patch: Patch) -> None:
    patch.setattr(Facts, "carried_by", lambda self, text: False)


@mutation("the words of a request to forget stay")
def _(patch: Patch) -> None:
    from pagekeeper.runtime import turn

    patch.setattr(turn, "finish", lambda *_given: None)


# -- the window -----------------------------------------------------------------------------------------------------


@mutation("requests begin anew")
def _(patch: Patch) -> None:
    count = iter(range(1_000_000))

    def anew(before: Any, self: Any) -> ModelRequest:
        request: ModelRequest = before(self)
        first, *rest = request.messages
        return replace(request, messages=({**first, "content": f"{next(count)} {first['content']}"}, *rest))

    around(patch, MainContext, "request", anew)


@mutation("the window is never compacted")
def _(patch: Patch) -> None:
    patch.setattr(Limits, "compact", property(lambda self: 10**9))


@mutation("the pressure is not told")
def _(patch: Patch) -> None:
    patch.setattr(Limits, "pressure", property(lambda self: 10**9))


@mutation("days are counted in UTC")
def _(patch: Patch) -> None:
    patch.setattr(MainContext, "_local", lambda self, moment: moment.astimezone(UTC))


@mutation("the day is not told")
def _(patch: Patch) -> None:
    patch.setattr(MainContext, "_day_parts", lambda self, now: [])


@mutation("markers are not escaped")
def _(patch: Patch) -> None:
    patch.setattr(parts, "escape", lambda text: text)


# -- turns, and what fails in them ----------------------------------------------------------------------------------


@mutation("only the first call of a reply runs")
def _(patch: Patch) -> None:
    around(patch, calls.Caller, "run", lambda before, self, turn, made: before(self, turn, made[:1]))


@mutation("other names of tools are unknown")
def _(patch: Patch) -> None:
    patch.setattr(assembly, "rename", lambda name, arguments, tools: (name, arguments))


@mutation("broken arguments are guessed")
def _(patch: Patch) -> None:
    def guess(before: Any, text: str, finish: str) -> Any:
        try:
            return before(text, finish)
        except Exception:
            return before('{"label": "human", "content": "?"}', "stop")

    around(patch, calls, "parse_arguments", guess)


@mutation("a failure looks like a success")
def _(patch: Patch) -> None:
    async def fail(self: Any, turn: Any, call: Any, error: Any, repaired: Any = None) -> Any:
        return await self._commit(turn, call, Applied([parts.text_part("Done.")]))

    patch.setattr(calls.Caller, "_fail", fail)


@mutation("half a reply is lost")
def _(patch: Patch) -> None:
    async def break_off(before: Any, self: Any, turn: Any, progress: Any, *rest: Any) -> Any:
        progress.text = ""
        return await before(self, turn, progress, *rest)

    around(patch, loop.Loop, "_break_off", break_off)


@mutation("no progress is not noticed")
def _(patch: Patch) -> None:
    patch.setattr(loop.Loop, "_stuck", lambda *_given: False)


@mutation("turns have no end")
def _(patch: Patch) -> None:
    around(patch, loop.Loop, "__init__", lambda before, *given, **named: before(*given, **{**named, "step_cap": 10**6}))


@mutation("a request that is too large ends the turn")
def _(patch: Patch) -> None:
    patch.setattr(loop, "OVERSIZE_TRIES", 1)


@mutation("an empty reply is taken")
def _(patch: Patch) -> None:
    async def once(before: Any, self: Any, *given: Any) -> Any:
        ask = self._ask

        async def filled(*asked: Any) -> Any:
            reply = await ask(*asked)
            return reply if reply.text or reply.calls else replace(reply, text=" . ")

        self._ask = filled
        try:
            return await before(self, *given)
        finally:
            self._ask = ask

    around(patch, loop.Loop, "_reply", once)


@mutation("calls run though the user declines")
def _(patch: Patch) -> None:
    around(patch, approvals.Approvals, "decide", lambda before, self, call, run: before(self, call, True))


# -- the past -------------------------------------------------------------------------------------------------------


@mutation("going back leaves all as it is")
def _(patch: Patch) -> None:
    patch.setitem(HANDLERS, "agent.rewound", lambda _connection, _event: None)


@mutation("a fork starts from now")
def _(patch: Patch) -> None:
    patch.setattr(fork, "check_moment", lambda connection, agent, _moment: last_seq(connection, agent))


# -- processes ------------------------------------------------------------------------------------------------------


@mutation("edits do not outlive a restart")
def _(patch: Patch) -> None:
    def reopened(before: Any, folder: Path, **named: Any) -> Any:
        if (folder / JOURNAL).exists():
            with contextlib.closing(sqlite3.connect(folder / JOURNAL)) as connection, connection:
                connection.execute("DELETE FROM blocks WHERE revision > 1")
        return before(folder, **named)

    around(patch, Journal, "open", reopened)


@mutation("what a dead process left is lost")
def _(patch: Patch) -> None:
    from pagekeeper.runtime import agent

    for module in (agent, conversation, recovery):
        patch.setattr(module, "left_inputs", lambda *_given: [])


@mutation("the calls of a dead process are dropped")
def _(patch: Patch) -> None:
    async def finish(self: Any, turn: Any, call: Any, started: bool) -> None:
        await self._commit(turn, call, Applied([parts.text_part("Error: not run.")]), error=True)

    patch.setattr(calls.Caller, "finish", finish)


@mutation("an interrupted call looks as if it had not run")
def _(patch: Patch) -> None:
    around(patch, calls.Caller, "finish", lambda before, self, turn, call, started: before(self, turn, call, False))


# -- consolidation --------------------------------------------------------------------------------------------------


@mutation("duplicates are kept side by side")
def _(patch: Patch) -> None:
    patch.setattr(tidy, "merges", lambda _known: [])


@mutation("the block is not brought up to date")
def _(patch: Patch) -> None:
    patch.setattr(tidy, "update", lambda *_given: Update())


@mutation("lines of the user are overruled")
def _(patch: Patch) -> None:
    def written(before: Any, *given: Any) -> Any:
        found = before(*given)
        return replace(found, lines=[replace(line, writer="agent") for line in found.lines])

    around(patch, tidy, "written", written)


@mutation("nothing is reflected on")
def _(patch: Patch) -> None:
    patch.setattr(Since, "worth_reflecting", lambda _since: False)


@mutation("proposed rules hold at once")
def _(patch: Patch) -> None:
    around(patch, reflecting, "Draft", lambda before, *given, **named: before(*given, **{**named, "status": "active"}))


@mutation("rejected rules are proposed again")
def _(patch: Patch) -> None:
    patch.setattr(proposals.Rules, "known", lambda *_given: "")


# -- what memory work keeps -----------------------------------------------------------------------------------------


@mutation("memory work keeps nothing")
def _(patch: Patch) -> None:
    patch.setattr(keep, "reconcile", lambda *_given: [])


@mutation("what fails is left out")
def _(patch: Patch) -> None:
    async def skip(before: Any, self: Any, done: Any, cost: Any, reason: str) -> None:
        scope = self._scope
        threads = {scope.conversation: 10**6}
        payload = {"user": scope.user, "cursors": threads, "counts": {}, "cost": {}}
        await self._journal.write(lambda tx: tx.append("sleep.done", payload, stream=scope.agent, writer="sleeptime"))
        await before(self, done, cost, reason)

    around(patch, work.MemoryWork, "_fail", skip)


@mutation("contradictions are kept side by side")
def _(patch: Patch) -> None:
    patch.setattr(reconcile, "_place", lambda new, _known: decisions.Add(new.starts, new.ends))


@mutation("the same is kept twice")
def _(patch: Patch) -> None:
    patch.setattr(reconcile, "_known_already", lambda *_given: None)
    patch.setattr(reconcile, "_rivals", lambda *_given: [])


@mutation("unrelated facts retire each other")
def _(patch: Patch) -> None:
    one = property(lambda _self: ("user", "home"))
    patch.setattr(known.Known, "about", one)
    patch.setattr(decisions.Proposal, "about", one)


@mutation("intervals are not closed")
def _(patch: Patch) -> None:
    around(patch, passages, "replace_by", lambda before, *given, **named: before(*given, **{**named, "ended": None}))


@mutation("what is withheld is worked through")
def _(patch: Patch) -> None:
    patch.setattr(delta, "hidden_among", lambda *_given: set())
    patch.setattr(keep, "hidden_among", lambda *_given: set())
