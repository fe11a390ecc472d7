"""What a program does with its memory: `pagekeeper.Memory`, once it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Literal, overload

from sqlalchemy import Connection, func, select

from ..ageing.sweep import Swept
from ..ageing.trust import LEAST
from ..archive import passages as archived
from ..archive.drafts import Draft, Prepared, draft_of
from ..archive.query import Hit, check_conditions
from ..archive.remembered import Remembered, Step, get, mine, select_memories, steps, there
from ..erasing.choice import Partial
from ..erasing.erase import Erased
from ..erasing.survey import Erasable
from ..errors import InferenceFailed, UsageError
from ..journal import tables
from ..journal.events import Writer
from ..journal.journal import Transaction
from ..memory import AgentMemory
from ..scope import Scope
from ..sleeptime.work import Worked
from ..text import check_text
from .deleting import delete, delete_all
from .given import Message, draft_with, messages_of
from .hearing import come_of, log

WRITER: Writer = "agent"
"""An app keeps its own memory, as an agent does. So what it wrote can grow old, and what a person wrote does not."""


_AGAIN = 0.05
"""Seconds until it is looked again whether another process, or another user's work for the same app, is through."""


class LiveMemory:
    """The memory that one app has of one user."""

    def __init__(self, kept: AgentMemory) -> None:
        self.scope: Scope = kept.scope
        self.kept = kept
        """The same as agents have it, for what is asked of both in the same way."""
        self._journal = kept.journal
        self._archive = kept.archive

    async def add(self, what: str | Sequence[Mapping[str, Any]], *, infer: bool = False, **details: Any) -> list[str]:
        """Remember a text, or each of several messages as an episode, as they are; returns the ids of the memories.

        A message is `{"role": "user", "content": "..."}`, and may have a `name` and `at`, when it was said. A text that
        is longer than a memory becomes several. `details` are `kind`, `tags`, `event_time`, `expires_at`, `importance`,
        `permanent`, `subject`, `attribute`, `value` and others of archive/passages.py's Draft.

        With `infer` the messages (a text is one of the user's) go into the log, and the model says what of them is
        worth remembering, which is reconciled with what is known as for agents: the ids are those of the memories that
        came of it, so there may be none. Then there are no names and no details. If the model fails, InferenceFailed is
        raised; the log has the messages, and `work` tries again. Raises UsageError, and then nothing is remembered.
        """
        said = None if isinstance(what, str) else messages_of(what)
        if infer:
            spoken = said if said is not None else [Message("user", None, str(what), None)]
            return await self._infer(spoken, details)
        if said is None:
            drafts = [draft_with(Draft(str(what)), self.scope, details)]
        else:
            usual = {"kind": "episode", **details}
            drafts = [
                draft_with(Draft(one.text, speaker=one.name or one.role, event_time=one.at), self.scope, usual)
                for one in said
            ]
        prepared = await self._archive.prepare([draft.text for draft in drafts])
        return await self._journal.write(partial(self._add, drafts, prepared, said))

    async def search(self, text: str, *, explain: bool = False, **conditions: Any) -> list[Hit]:
        """The memories about `text`, best first; `conditions` are those of archive/query.py's Query, such as `limit`,
        `kinds`, `tags`, `start` and `end`; `tables=("message",)` searches the log instead. Raises UsageError.
        """
        return await self.kept.search(text, explain=explain, **{"tables": ("passage",), **conditions})

    async def get(self, memory_id: str) -> Remembered:
        """One memory. Raises NotFound, also where it was deleted or is another's."""
        return await self._journal.read(partial(get, scope=self.scope, memory_id=_checked_id(memory_id)))

    async def update(self, memory_id: str, text: str | None = None, **details: Any) -> list[str]:
        """Put a text, or other details, in the place of a memory's; returns the id of the memory that says so now.

        The old one stays as history. A text that is longer than a memory becomes several. Raises NotFound for a memory
        that was deleted or updated already, and UsageError; then nothing is changed.
        """
        if text is None and not details:
            raise UsageError("There is nothing to update.", hint="Give a text, or details.")
        _checked_id(memory_id)

        def draft(connection: Connection) -> Draft:
            row = there(connection, self.scope, memory_id)
            return draft_with(draft_of(row, row.text if text is None else text), self.scope, details)

        planned = await self._journal.read(draft)
        prepared = (await self._archive.prepare([planned.text]))[0]

        def work(tx: Transaction) -> list[str]:
            # What is known of it may have changed meanwhile; only its text never does.
            return archived.supersede(tx, self.scope, memory_id, draft(tx.connection), prepared, writer=WRITER)

        made = await self._journal.write(work)
        self._archive.touch()
        return made

    async def delete(self, memory_id: str) -> str:
        """Delete a memory with its history, so that it is found no more; returns the event, which `restore` undoes.

        Raises NotFound.
        """
        _checked_id(memory_id)
        event = await self._journal.write(lambda tx: delete(tx, self.scope, memory_id, WRITER))
        self._archive.touch()
        return event.id

    async def delete_all(self) -> int:
        """Delete all that this app remembers of this user, and nothing else; returns how many memories that were."""
        count = await self._journal.write(lambda tx: delete_all(tx, self.scope, WRITER))
        self._archive.touch()
        return count

    async def restore(self, event: str) -> int:
        """Bring back what an event deleted or retired, by its id; returns how many memories came back. Raises NotFound.

        `history` names the events.
        """
        return await self.kept.restore(_checked_id(event))

    @overload
    async def erase(
        self, what: str | Erasable | None = None, *, ids: Sequence[str] = (), confirm: Literal[False] = False
    ) -> Erasable: ...

    @overload
    async def erase(
        self,
        what: str | Erasable | None = None,
        *,
        ids: Sequence[str] = (),
        partial: Partial | None = None,
        confirm: Literal[True],
    ) -> Erased: ...

    async def erase(
        self,
        what: str | Erasable | None = None,
        *,
        ids: Sequence[str] = (),
        partial: Partial | None = None,
        confirm: bool = False,
    ) -> Erasable | Erased:
        """Erase for good what a query names in words, or `ids` name: out of the journal, the archive, and all files of
        the home. Without `confirm` nothing is erased, and what would go is returned: its `finds`, of which those that
        are `partial` hold only a part of it, or say other things beside it; and what it would leave.

        With `confirm` it is erased, of what was found a moment ago where that is given as `what`. Of partial finds
        `partial` says whether they go: `erase`, `keep`, or the texts of those that go. What is returned then holds
        numbers, the receipt's events, and what stays; nothing brings it back. Only this app's memory of this user is
        looked at, and recordings, which are nobody's.

        Raises NotFound; UsageError where nothing is said of partial finds, or memory has changed since it was looked
        at; HomeError while memory work is under way, and ArchiveError while another process writes to the archive.
        Then nothing is erased.
        """
        if not isinstance(confirm, bool):
            raise UsageError(f"`confirm` is true or false, not {confirm!r:.40}.")
        if isinstance(what, Erasable):
            if ids:
                raise UsageError("What was found names what to erase.", hint="Leave out `ids`.")
            found = what
        else:
            found = await self.kept.erasable(what, ids=ids)
        if not confirm:
            if partial is not None:
                raise UsageError("`partial` decides on what is erased.", hint="Say `confirm=True` with it.")
            return found
        return await self.kept.erase(found, partial)

    async def history(self, memory_id: str) -> list[Step]:
        """What happened to a memory and to what it took the place of, oldest first; also after it was deleted.

        Raises NotFound.
        """
        return await self._journal.read(partial(steps, scope=self.scope, memory_id=_checked_id(memory_id)))

    async def sweep(self, *, dry_run: bool = False) -> list[Swept]:
        """Retire what has expired, and what the settings in `[memory]` say was unused for too long or is too much.

        Returns what went, by reason; with `dry_run` what would go.
        """
        return await self.kept.sweep(dry_run=dry_run)

    async def work(self) -> Worked:
        """Do the memory work that waits, after `add` could not, and consolidate what is kept: what says the same
        becomes one. It sweeps first, as it does with each `add` that infers. What goes wrong again is in the result."""
        return await self._work(consolidate=True)

    async def _work(self, *, consolidate: bool) -> Worked:
        while True:
            done = await self.kept.sleeptime.run(consolidate=consolidate)
            if not done.busy:
                return done
            await asyncio.sleep(_AGAIN)

    async def _infer(self, said: Sequence[Message], details: Mapping[str, Any]) -> list[str]:
        if details or any(one.name for one in said):
            raise UsageError(
                "With `infer` the model says what is known of a memory.", hint="Leave out names and details."
            )
        if not self.kept.sleeptime.served:
            raise UsageError(
                f"The model {self.kept.sleeptime.model_name} does not say what is worth remembering.",
                hint="Name another as `model`, or add without `infer`.",
            )
        for one in said:
            check_text(one.text, "The text", empty=False)
        before, logged = await self._journal.write(lambda tx: log(tx, self.scope, said))
        self._archive.touch()
        done = await self._work(consolidate=False)
        if done.error:
            raise InferenceFailed(
                f"What was said is in the log, and what of it is worth remembering is not known: {done.error}",
                hint="`work` tries again.",
            )
        return await self._journal.read(lambda connection: come_of(connection, self.scope, logged, before))

    def _add(
        self, drafts: Sequence[Draft], prepared: Sequence[Prepared], said: list[Message] | None, tx: Transaction
    ) -> list[str]:
        placed = drafts if said is None else _placed(tx.connection, self.scope, drafts)
        return self._archive.add(tx, self.scope, placed, prepared, writer=WRITER)

    # The last one, since what follows it in this class cannot name the type.
    async def list(
        self,
        *,
        kinds: Sequence[str] = (),
        tags: Sequence[str] = (),
        statuses: Sequence[str] = ("active",),
        least_trust: float = LEAST,
        limit: int | None = None,
    ) -> list[Remembered]:
        """The memories, newest first: those with any of the `tags`, of the `kinds`. Raises UsageError."""
        given = {"kinds": kinds, "tags": tags, "statuses": statuses, "least_trust": least_trust}
        check_conditions(given if limit is None else {**given, "limit": limit})
        now = self._archive.clock.now()

        def read(connection: Connection) -> list[Remembered]:
            found = select_memories(
                connection,
                self.scope,
                kinds=kinds,
                tags=tags,
                statuses=statuses,
                least_trust=least_trust,
                now=now,
            )
            return [*islice(found, limit)]

        return await self._journal.read(read)


def _placed(connection: Connection, scope: Scope, drafts: Sequence[Draft]) -> list[Draft]:
    """Messages that came together, in a session of their own, so that a search knows which stand beside each other."""
    passages = tables.passages
    newest = func.coalesce(func.max(passages.c.session), 0)
    query = select(newest).where(*mine(scope), passages.c.conversation == scope.conversation)
    session = int(connection.execute(query).scalar_one()) + 1
    return [replace(draft, session=session, ordinal=place) for place, draft in enumerate(drafts, 1)]


def _checked_id(given: str) -> str:
    if not isinstance(given, str) or not given:
        raise UsageError("An id must be text.", hint="Take one from `add`, a search or a list.")
    return given
