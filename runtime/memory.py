"""An agent's memory as a program or a person handles it: `agent.memory`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .ageing.policy import Policy
from .ageing.sweep import Swept, look, sweep
from .archive.archive import Archive
from .archive.documents.bring import Progress, bring
from .archive.documents.report import Imported
from .archive.documents.walk import Given
from .archive.drafts import Draft, checked
from .archive.query import Hit, Query, check_conditions, check_question
from .archive.short_ids import checked_ids, full_ids, short_ids
from .core import history
from .core.blocks import Block, find_block, visible_blocks
from .core.edit import Author, BlockChange, Operation
from .core.memory import CoreMemory, counters_of
from .erasing.choice import Partial
from .erasing.erase import Erased, erase, find
from .erasing.survey import Erasable
from .errors import NotFound, UsageError
from .forgetting.candidates import Candidate, candidates, is_everything
from .forgetting.forget import Forgotten, forget
from .forgetting.survey import survey
from .journal.events import Writer
from .journal.journal import Journal, Transaction
from .locks import Locks
from .recall.why import Why, why
from .scope import Scope
from .sleeptime.delta import Waiting
from .sleeptime.disputes import KEEPS, Dispute, Keep, read_disputes, settle
from .sleeptime.rules import Rule, accept, drop, read_rules, reject
from .sleeptime.telling import told_since
from .sleeptime.work import MemoryWork, Worked
from .text import check_text
from .undoing import event_named, take_back


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """All that one agent remembers of one user: `agent.memory`. Every change goes the same way as the model's own.

    Blocks: `blocks`, `block`, `edit`, `undo`, `history`. Archive and log: `search`, `why`, `insert`,
    `import_documents`. Forgetting: `candidates`, `forget`, `restore`; for good: `erasable`, `erase`. Ageing: `sweep`.
    `take_back` undoes an edit, a forgetting or a sweep, as a person names it. `counters` tells how often blocks were
    paged. Memory work: `work`, `waiting`, `worked_since`; what it leaves to the user: `disputes`, `settle`; `rules`,
    `accept_rule`, `reject_rule`, `drop_rule`. Where a passage's id is asked for, a beginning of it that no other has
    will do; `short_ids` gives the shortest.
    """

    scope: Scope
    journal: Journal
    core: CoreMemory
    archive: Archive
    locks: Locks
    policy: Policy
    """How long passages are kept."""
    sleeptime: MemoryWork

    async def work(self, *, progress: Callable[[Worked], None] | None = None) -> Worked:
        """Do the memory work that waits, now: extract what was said since the last time, and reconcile it with what is
        known; then consolidate what has changed. It is done in the background too, when it is due. What goes wrong is
        in the result; `progress` is told what is done so far after each piece. Who is cancelled leaves the rest for
        later."""
        return await self.sleeptime.run(progress=progress)

    async def disputes(self) -> list[Dispute]:
        """Memories of equal standing that contradict each other, and wait for the user to decide."""
        return await self.journal.read(lambda connection: read_disputes(connection, self.scope))

    async def settle(self, dispute: str, keep: Keep) -> Dispute:
        """Decide a dispute: `new` replaces the old, `old` stays alone, or `both` hold. Raises NotFound."""
        if keep not in KEEPS:
            raise UsageError(f"Of a dispute {keep!r:.40} cannot be kept.", hint=f"Keep {', '.join(KEEPS)}.")
        done = await self.journal.write(lambda transaction: settle(transaction, self.scope, dispute, keep))
        self.archive.touch()
        return done

    async def worked_since(self, event: int) -> str:
        """What memory work changed since the event of this number, or why it failed, in a line; empty for nothing."""
        return await self.journal.read(lambda connection: told_since(connection, self.scope, event))

    async def waiting(self) -> Waiting:
        """How much was said that memory work has not been through."""
        return await self.sleeptime.waiting()

    async def rules(self) -> list[Rule]:
        """The standing rules: those that hold, and those that memory work proposes and the user has not decided on."""
        return await self.journal.read(lambda connection: read_rules(connection, self.scope))

    async def accept_rule(self, rule: str) -> Rule:
        """Let a rule hold, by its id: it becomes a line of the block `rules`. One that was rejected or dropped comes
        back. Raises NotFound, AlreadyExists or EditRefused."""
        return await self._decide(
            lambda transaction: accept(transaction, self.scope, rule, self.core.edit_from_outside)
        )

    async def reject_rule(self, rule: str) -> Rule:
        """Decide against a proposed rule; it is not proposed again. Raises NotFound."""
        return await self._decide(lambda transaction: reject(transaction, self.scope, rule))

    async def drop_rule(self, rule: str) -> Rule:
        """Take back a rule that was accepted; it is not proposed again. Raises NotFound."""
        edit = self.core.edit_from_outside
        return await self._decide(lambda transaction: drop(transaction, self.scope, rule, edit))

    async def _decide(self, work: Callable[[Transaction], Rule]) -> Rule:
        done = await self.journal.write(work)
        self.archive.touch()
        return done

    async def blocks(self) -> list[Block]:
        """The blocks, by label."""
        return await self.journal.read(lambda connection: visible_blocks(connection, self.scope.agent, self.scope.user))

    async def block(self, label: str) -> Block:
        """One block. Raises NotFound."""
        found = await self.journal.read(
            lambda connection: find_block(connection, self.scope.agent, self.scope.user, label)
        )
        if found is None:
            raise NotFound(f"There is no block {label!r}.")
        return found

    async def edit(self, label: str, operation: Operation, *, writer: Writer = "user") -> BlockChange:
        """Make one edit. The model is told of it before its next reply. Raises what `apply_edit` raises."""
        author = Author(writer, self.scope.conversation)

        return await self.journal.write(
            lambda transaction: self.core.edit_from_outside(transaction, label, operation, author)
        )

    async def undo(self, label: str) -> BlockChange:
        """Take back the newest change of a block that is not taken back yet."""
        author = Author("user", self.scope.conversation)

        def work(transaction: Transaction) -> BlockChange:
            change = history.undo(transaction, self.scope.agent, self.scope.user, label, author)
            self.core.check_pinned(transaction, change)
            return change

        return await self.journal.write(work)

    async def take_back(self, what: str) -> BlockChange | int:
        """Undo what a person names: the newest change of a block, by its label; or what forgot or retired something,
        by the id or the number of its event, and then how many things came back is returned. A block of that name comes
        first.

        Raises NotFound and EditRefused.
        """
        event = await self.journal.read(lambda connection: event_named(connection, self.scope, what))
        return await self.undo(what) if event is None else await self.restore(event)

    async def history(self, label: str) -> list[history.Version]:
        """Every version of a block, oldest first. Raises NotFound where there never was one."""
        return await self.journal.read(
            lambda connection: history.history(connection, self.scope.agent, self.scope.user, label)
        )

    async def search(self, text: str, *, explain: bool = False, **conditions: Any) -> list[Hit]:
        """Passages and messages about `text`, best first; `conditions` are those of archive/query.py's Query.

        Raises UsageError for a text that asks nothing, a condition that there is not, and a value that it cannot have.
        """
        check_question(text)
        check_conditions(conditions)
        return await self.archive.search(Query(self.scope, text, **conditions), explain=explain)

    async def short_ids(self, ids: Sequence[str]) -> dict[str, str]:
        """The short forms of ids of passages and messages, as people are shown them: each is the shortest beginning
        that names it."""
        found = await self.journal.read(lambda connection: short_ids(connection, self.scope, list(ids)))
        return dict(zip(ids, found, strict=True))

    async def why(self, passage_id: str) -> Why:
        """Where a passage comes from, who wrote it, and what became of it; a unique beginning of its id will do.

        Raises NotFound and Ambiguous.
        """
        return await self.journal.read(lambda connection: why(connection, self.scope, passage_id))

    async def insert(self, text: str, *, writer: Writer = "user", **details: Any) -> list[str]:
        """Archive a text, and return the ids of its passages; `details` are those of archive/passages.py's Draft."""
        draft = checked(Draft(text, **details), self.scope)
        prepared = await self.archive.prepare([text])
        return await self.journal.write(
            lambda transaction: self.archive.add(transaction, self.scope, [draft], prepared, writer=writer)
        )

    async def import_documents(
        self,
        paths: Sequence[Given],
        *,
        kind: str = "document",
        tags: Sequence[str] = (),
        format: str | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Archive files and folders of text, Markdown and JSON lines, cut into passages. What is there already is not
        added twice, but gets the tags that it lacks, and what was forgotten is not brought back; so an import that was
        interrupted is simply repeated.

        `kind` and `tags` are those of all passages, unless a JSON line says otherwise. `format` (text, markdown, jsonl)
        is what a named file holds whose name does not say so. `progress` is told after each commit. A file that cannot
        be read is left out, and the result says why. Raises UsageError, and then nothing was imported.
        """
        like = Draft("", kind, tuple(tags))
        return await bring(self.archive, self.scope, paths, like, format=format, progress=progress)

    async def candidates(self, query: str) -> list[Candidate]:
        """What may carry what the query names: passages, lines of blocks and messages, each with an id.

        Raises UsageError for one that names everything.
        """
        if is_everything(query):
            raise UsageError(
                "That names everything, and what is forgotten is one matter at a time.",
                hint="Name a fact. To let go of all that an agent remembers: `pagekeeper agents delete NAME`.",
            )
        return await candidates(self.journal, self.archive, self.scope, query)

    async def forget(self, ids: Sequence[str], reason: str = "") -> Forgotten:
        """Forget these, and withhold every message, note and summary that carries the same. It can be restored.

        Raises NotFound or UsageError, and then nothing is forgotten.
        """
        author = Author("user", self.scope.conversation)
        named = checked_ids(ids)
        chosen = await self.journal.read(lambda connection: full_ids(connection, self.scope, named))
        found = await self.journal.read(lambda connection: survey(connection, self.scope, chosen))
        done = await self.journal.write(
            lambda transaction: forget(transaction, self.scope, chosen, reason, found, author)
        )
        self.archive.touch()
        return done

    async def erasable(self, query: str | None = None, *, ids: Sequence[str] = (), forks: bool = False) -> Erasable:
        """What `erase` would take for good: all that says what the query names, in words; or what these ids name, as
        `candidates` and searches list them. It looks everywhere in the home, at what was forgotten or rewound as well.

        With `forks` the agents that were forked from this one, or that it was forked from, are looked at too.
        Raises NotFound or UsageError.
        """
        named = checked_ids(ids)
        if (query is None) == (not named):
            raise UsageError("Say what to erase: a query, or ids.", hint="Not both.")
        if query is not None and is_everything(check_text(query, "The query", empty=False)):
            raise UsageError("That names everything, and what is erased is one matter at a time.", hint="Name a fact.")
        whole = await self.journal.read(lambda connection: full_ids(connection, self.scope, named, gone=True))
        return await find(self.journal, self.archive, self.scope, query, whole, forks)

    async def erase(self, found: Erasable, partial: Partial | None = None) -> Erased:
        """Erase for good what `erasable` found: out of the journal, the archive, recordings, and all their files. What
        holds only a part of it, or says other things beside it, goes or stays as `partial` says: `erase`, `keep`, or
        the texts of those finds that go.

        Nothing brings it back: no undo, rewind or restore. What was exported before, and what another program holds,
        stays. Raises UsageError where there are partial finds of which nothing is said, or memory has changed since;
        HomeError while a turn or memory work is under way; ArchiveError while another process writes to the archive.
        Then the journal is as it was.
        """
        if found.scope != self.scope:
            raise UsageError("That was found for another agent or user.", hint="Call `erasable` of this one.")
        return await erase(self.journal, self.locks, self.archive, found, partial)

    async def restore(self, event: str) -> int:
        """Take back what an event forgot or retired, by its id; returns how many things came back. Raises NotFound."""
        author = Author("user", self.scope.conversation)
        done = await self.journal.write(lambda transaction: take_back(transaction, self.scope, event, author))
        self.archive.touch()
        return done

    async def sweep(self, *, dry_run: bool = False) -> list[Swept]:
        """Retire what has expired, and what the settings in `[memory]` say was unused for too long or is too much.

        Memory work does so too. Returns what went, by reason; with `dry_run` what would go. `take_back` undoes it, by
        the event that it names.
        """
        if dry_run:
            now = self.archive.clock.now()
            return await self.journal.read(lambda connection: look(connection, self.scope, self.policy, now))
        done = await self.journal.write(lambda transaction: sweep(transaction, self.scope, self.policy))
        self.archive.touch()
        return done

    async def counters(self) -> dict[str, int]:
        """Page faults, prefetches, evictions and compactions of this conversation so far."""
        return await self.journal.read(lambda connection: counters_of(connection, self.scope.conversation))
