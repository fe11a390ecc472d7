"""What happens to an agent besides turns: the user changes its memory or goes back, time passes, processes end.

Each step of a script that is no turn is a method here, by the name of its key; some of them can happen in a turn too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..runtime.archive.documents.report import Imported
from ..runtime.clock import moment
from ..runtime.core.edit import Append, Create, Delete, Operation, Replace, Rethink
from ..runtime.errors import PagekeeperError
from ..runtime.fork import fork
from ..runtime.rewind import before_turns, rewind
from .source import Map
from .stage import Stage, block
from .steps import TIMES, seen_from


class User:
    """Does what the steps say on a stage, and tells what it does."""

    def __init__(self, stage: Stage, tell: Callable[[str], None]) -> None:
        self._stage = stage
        self._tell = tell
        self._before_rewind = 0
        """The event to which one goes back to undo the newest rewind."""

    async def do(self, verb: str, step: Map) -> None:
        """Do what the step says at the key `verb`. Raises a PagekeeperError where it cannot be done."""
        await getattr(self, f"_{verb}")(seen_from(step, verb) if verb == "import" else step[verb])

    async def _wait(self, how_long: str) -> None:
        self._stage.wait(how_long)
        now = self._stage.clock.now().astimezone(self._stage.zone)
        self._tell(f"({how_long} pass; it is {now:%Y-%m-%d %H:%M})")

    async def _restart(self, _true: bool) -> None:
        self._tell("(the process ends, and another one opens the home)")
        await self._stage.reopen()

    async def _switch(self, to: dict[str, str]) -> None:
        stage = self._stage
        for name in ("agent", "user", "conversation"):
            setattr(stage.now, name, to.get(name, getattr(stage.now, name)))
        agent = f", with agent {stage.now.agent}" if "agent" in to else ""
        self._tell(f"(as {stage.now.user}, in conversation {stage.now.conversation}{agent})")
        await stage.reopen()

    # -- memory -----------------------------------------------------------------------------------------------

    async def _edit(self, edit: dict[str, Any]) -> None:
        memory, label = self._stage.agent.memory, edit["block"]
        self._tell(f"(the user edits block {label})")
        if "undo" in edit:
            await memory.undo(label)
        else:
            await memory.edit(label, _operation(edit))

    async def _insert(self, made: Any) -> None:
        details = {"text": made} if isinstance(made, str) else dict(made)
        self._tell(f"(the user archives {details['text'][:200]!r})")
        details |= {name: moment(details[name]) for name in TIMES if name in details}
        details["tags"] = tuple(details.get("tags", ()))
        await self._stage.agent.memory.insert(details.pop("text"), **details)

    async def _import(self, path: Any) -> None:
        self._tell(f"(the user imports {path.name})")
        done: Imported = await self._stage.agent.memory.import_documents([path])
        if done.skipped:
            raise PagekeeperError(f"{path} was left out: {done.skipped[0].reason}")

    async def _forget(self, what: Any) -> None:
        memory, holding = self._stage.agent.memory, ""
        query = what
        if isinstance(what, dict):
            query, holding = what["query"], what.get("holding", "").casefold()
        ids = [one.id for one in await memory.candidates(query) if holding in one.text.casefold()]
        self._tell(f"(the user has {query!r} forgotten: {len(ids)} {'place' if len(ids) == 1 else 'places'})")
        if not ids:
            raise PagekeeperError(f"There is nothing to forget about {query!r}.")
        await memory.forget(ids, "the user asked for it")

    async def _rule(self, decision: dict[str, str]) -> None:
        [(verb, text)] = decision.items()
        memory = self._stage.agent.memory
        meant = [rule for rule in await memory.rules() if text.casefold() in rule.text.casefold()]
        if len(meant) != 1:
            raise PagekeeperError(f"{len(meant) or 'No'} standing rules hold {text!r}.")
        decide = {"accept": memory.accept_rule, "reject": memory.reject_rule, "drop": memory.drop_rule}
        self._tell(f"(the user {verb}s the rule {meant[0].text!r})")
        await decide[verb](meant[0].id)

    # -- the past ---------------------------------------------------------------------------------------------

    async def _rewind(self, what: Any) -> None:
        given = {"turns": what} if isinstance(what, int) else what
        scope, home = self._stage.agent.scope, self._stage.opened
        thread = scope.conversation if "conversation" in given else None
        if "undo" in given:
            if not self._before_rewind:
                raise PagekeeperError("Nothing was rewound that could be undone.")
            self._tell("(the user undoes the rewind)")
            to = self._before_rewind
        else:
            self._tell(f"(the user goes back by {_turns(given['turns'])}{' of this conversation' if thread else ''})")
            to = await home.journal.read(lambda it: before_turns(it, scope.agent, given["turns"], thread))
        event = await rewind(home.journal, home.locks, scope.agent, to, thread)
        self._before_rewind = event.seq - 1

    async def _fork(self, what: Any) -> None:
        given: dict[str, Any] = {"name": what} if isinstance(what, str) else what
        scope, journal, name = self._stage.agent.scope, self._stage.opened.journal, given["name"]
        at, then = None, "as it is now"
        if "turns" in given:
            then = f"as it was {_turns(given['turns'])} ago"
            at = await journal.read(lambda it: before_turns(it, scope.agent, given["turns"]))
        self._tell(f"(the user makes agent {name} from this one, {then}, and goes on with it)")
        await journal.write(lambda transaction: fork(transaction, scope.agent, name, at))
        self._stage.now.agent = name
        await self._stage.reopen()

    async def _cancel(self, _true: bool) -> None:
        self._tell("(the user stops the turn)")
        self._stage.agent.cancel()


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _operation(edit: dict[str, Any]) -> Operation:
    if "append" in edit:
        return Append(edit["append"])
    if "replace" in edit:
        return Replace(edit["replace"], edit["by"])
    if "rethink" in edit:
        return Rethink(edit["rethink"])
    if "delete" in edit:
        return Delete()
    made = block(edit["block"], edit["create"])
    return Create(made.description, made.value, made.limit, made.read_only, made.pinned, made.per_user)
