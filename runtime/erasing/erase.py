"""Erasing what a survey found: recordings first, then the journal in one transaction, then the files that held it.

Until that transaction is committed nothing has happened that a second run would not do again; from then on whoever
opens the home completes it (complete.py).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from ..archive.archive import Archive
from ..errors import HomeError
from ..failpoint import reach
from ..forgetting.candidates import candidates
from ..home import errors_of
from ..journal import tables
from ..journal.events import Event
from ..journal.journal import Journal, Transaction
from ..locks import Locks
from ..scope import Scope
from ..sleeptime.work import lock_of
from . import files
from .choice import Partial, decide
from .complete import begun, complete
from .pieces import erased
from .rewrite import rewrite
from .streams import threads_of
from .survey import Collector, Erasable, Find, survey


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, in numbers, and what was not."""

    events: list[Event]
    """The receipts: one for each agent that it was erased from, this one's first. They hold ids and numbers alone."""
    passages: int
    messages: int
    revisions: int
    """Versions of blocks."""
    recordings: int
    kept: list[Find]
    """Partial finds that stay, as it was asked."""
    files: list[str]
    """Other files in the home that hold it, and stay; relative names."""


async def find(
    journal: Journal, archive: Archive, scope: Scope, query: str | None, ids: Sequence[str], forks: bool
) -> Erasable:
    """What an erasure would take; one that was cut off is completed before.

    Raises NotFound, UsageError, ArchiveError or HomeError.
    """
    await complete(journal, archive)
    found = await journal.read(lambda connection: survey(connection, scope, query, ids, forks))
    home = journal.home

    def beside() -> tuple[list[Find], list[str]]:
        collector = Collector(found.words)
        with errors_of(home):
            files.survey_recordings(home, collector)
            finds = _joined(found.finds, collector.finds)
            return finds, files.holding(home, [find.text for find in finds])

    finds, holding = await asyncio.to_thread(beside)
    found = replace(found, finds=finds, files=holding)
    if query is None:
        return found
    texts = {find.text for find in finds}
    near = [it for it in await candidates(journal, archive, scope, query) if it.id.startswith("p-")]
    return replace(found, also=[it for it in near if not any(text in it.text for text in texts)])


async def erase(journal: Journal, locks: Locks, archive: Archive, found: Erasable, partial: Partial | None) -> Erased:
    """Erase what was found, and of the partial finds those that `partial` says.

    Raises UsageError where it is not said, or memory has changed since; HomeError where a turn or memory work
    is under way, and ArchiveError where another process writes to the archive. Then the journal is as it was.
    """
    choice, kept = decide(found, partial)
    scope, home = found.scope, journal.home
    await archive.claim()
    held = await journal.read(lambda connection: threads_of(connection, scope, found.streams))
    # Memory work under way has read what is to be erased, and would write of it.
    with _held(locks, [*held, *map(lock_of, found.streams)]):
        # Whoever waits for a lock says what it has in memory, once it gets it.
        await journal.read(lambda connection: _check_waiting(connection, locks, scope, found, held))
        with errors_of(home):
            recordings = await asyncio.to_thread(files.erase_recordings, home, lambda text: erased(text, choice))
        reach("erasing.after_recordings")

        def work(transaction: Transaction) -> list[Event]:
            _check_waiting(transaction.connection, locks, scope, found, held)
            receipts = [rewrite(transaction, scope, stream, choice, found.items) for stream in found.streams]
            begun(transaction, [receipt.id for receipt in receipts])
            return receipts

        receipts = await journal.write(work)
        archive.touch()
    await complete(journal, archive)
    with errors_of(home):
        left = await asyncio.to_thread(files.holding, home, choice.gone)
    return Erased(receipts, *_sums(receipts), recordings, kept, left)


@contextlib.contextmanager
def _held(locks: Locks, names: Sequence[str]) -> Iterator[None]:
    """Hold locks. Raises HomeError where one is not free: then something is under way."""
    with contextlib.ExitStack() as stack:
        for name in names:
            if not stack.enter_context(locks.tried(name)):
                raise _busy()
        yield


def _check_waiting(connection: Connection, locks: Locks, scope: Scope, found: Erasable, held: Sequence[str]) -> None:
    """Raise HomeError where an input waits for its turn, or a conversation has come up whose lock is not held."""
    if not set(threads_of(connection, scope, found.streams)) <= set(held):
        raise _busy()
    table = tables.inputs
    query = select(table.c.owner).where(table.c.conversation.in_(held), tables.queued).distinct()
    if any(locks.alive(owner) for owner in connection.execute(query).scalars()):
        raise _busy()


def _busy() -> HomeError:
    return HomeError("A turn or memory work is under way.", hint="Try again when it has ended.")


def _joined(finds: list[Find], more: list[Find]) -> list[Find]:
    """Finds in the journal and elsewhere, each text once."""
    known = {find.text: find for find in finds}
    for find in more:
        before = known.get(find.text)
        known[find.text] = replace(before, places={**before.places, **find.places}) if before else find
    return sorted(known.values(), key=lambda find: find.partial)


def _sums(receipts: Sequence[Event]) -> tuple[int, int, int]:
    counts = [receipt.payload["counts"] for receipt in receipts]
    return (
        sum(count["passages"] for count in counts),
        sum(count["messages"] for count in counts),
        sum(count["revisions"] for count in counts),
    )
