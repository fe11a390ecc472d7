"""The journal: the one place where anything becomes durable.

All changes go through `Journal.write`, which runs a function in one transaction on the one writer thread. The function
appends events; each is folded into the state tables at once, so that the rest of the transaction sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, bindparam, create_engine, event, func, select
from sqlalchemy.pool import NullPool

from ..clock import Clock
from ..errors import HomeError
from ..failpoint import reach
from ..home import JOURNAL
from ..ids import Ids
from . import looking, schema, tables
from .events import VERSION, Event, Writer, row_of
from .fold import fold
from .fold.rows import add
from .sqlite import BUSY_SECONDS, configure, dump, raw_of, roll_back, translated
from .statement import Statement

T = TypeVar("T")
W = TypeVar("W")

_NEWEST = Statement(
    select(func.max(tables.events.c.seq).label("seq")).where(tables.events.c.stream == bindparam("stream"))
)


class Transaction:
    """One transaction of the journal: either all of its events are committed or none."""

    def __init__(self, connection: Connection, clock: Clock, ids: Ids) -> None:
        self.connection = connection
        self.clock = clock
        self.ids = ids
        self.events: list[Event] = []
        self._last: dict[str, int] = {}

    def append(
        self,
        type: str,
        payload: dict[str, Any],
        *,
        stream: str,
        writer: Writer,
        conversation: str | None = None,
        turn: str | None = None,
        step: int | None = None,
        cause: str | None = None,
    ) -> Event:
        """Write the next event of `stream`, and fold it into the state tables."""
        seq = self.last_seq(stream) + 1
        made = Event(
            self.ids.new("event"),
            stream,
            seq,
            conversation,
            turn,
            step,
            self.clock.now(),
            type,
            VERSION,
            writer,
            cause,
            payload,
        )
        add(self.connection, tables.events, row_of(made))
        self._last[stream] = seq
        fold(self.connection, made)
        self.events.append(made)
        return made

    def last_seq(self, stream: str) -> int:
        """The number of the newest event of `stream`; 0 where there is none."""
        if stream not in self._last:
            self._last[stream] = last_seq(self.connection, stream)
        return self._last[stream]


def last_seq(connection: Connection, stream: str) -> int:
    """The number of the newest event of `stream`; 0 where there is none."""
    return _NEWEST.one(connection, {"stream": stream}).seq or 0


class Journal:
    """The SQLite database of a home, or of any URL that SQLAlchemy can open."""

    def __init__(self, home: Path, engine: Engine, clock: Clock, ids: Ids) -> None:
        self.home = home
        self.clock = clock
        self.ids = ids
        self._engine = engine
        self._writer = ThreadPoolExecutor(1, "journal-writer")
        self._reader = ThreadPoolExecutor(1, "journal-reader")
        self._connections: dict[object, Connection] = {}
        """By who uses each: one thread, and so one transaction at a time."""

    @classmethod
    def open(cls, home: Path, *, clock: Clock, ids: Ids) -> Journal:
        """Open the journal in the folder `home`, making it where there is none.

        Raises HomeReadOnly, HomeFull, HomeTooNew or JournalBroken.
        """
        schema.look_first(home)
        path = home / JOURNAL
        engine = create_engine(
            f"sqlite:///{path}",
            poolclass=NullPool,
            json_serializer=dump,
            connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
        )
        event.listen(engine, "connect", configure)
        journal = cls(home, engine, clock, ids)
        try:
            journal._writer.submit(journal._prepare).result()
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def look(cls, home: Path, *, clock: Clock, ids: Ids) -> Journal:
        """Open the journal that is in `home` for reading alone, where nothing can be written. Nothing is made.

        A write raises HomeReadOnly. Raises HomeReadOnly, HomeTooNew, JournalBroken or another HomeError.
        """
        path = home / JOURNAL
        engine = create_engine("sqlite://", creator=lambda: looking.connect(path, BUSY_SECONDS), poolclass=NullPool)
        journal = cls(home, engine, clock, ids)
        try:
            journal.read_now(lambda connection: schema.check_current(connection, home))
        except BaseException:
            journal.close()
            raise
        return journal

    def _prepare(self) -> None:
        """Make the tables of a new journal, carry an older one forward, refuse what this release cannot read."""
        self._commit(lambda transaction: schema.prepare(transaction.connection, self.home))

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and commit it. Whatever it raises undoes all of it.

        A caller that is cancelled meanwhile still waits until the commit is through. CancelledError then says that it
        is; a commit that failed raises its own error all the same.
        """
        return await _shielded(asyncio.wrap_future(self.submit(work)))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a consistent snapshot of what is committed."""
        return await asyncio.wrap_future(self._submit(self._reader, self._read, work))

    def write_now(self, work: Callable[[Transaction], T]) -> T:
        """`write` for callers that have no event loop."""
        return self.submit(work).result()

    def read_now(self, work: Callable[[Connection], T]) -> T:
        """`read` for callers that have no event loop."""
        return self._submit(self._reader, self._read, work).result()

    def submit(self, work: Callable[[Transaction], T]) -> Future[T]:
        """Queue `work` for the writer thread, without waiting for it."""
        return self._submit(self._writer, self._commit, work)

    def _submit(self, thread: ThreadPoolExecutor, run: Callable[[W], T], work: W) -> Future[T]:
        try:
            return thread.submit(run, work)
        except RuntimeError:
            raise HomeError(f"{self.home} is closed.", hint="Open the agent again.") from None

    async def compact(self) -> None:
        """Write the database's file anew, so that nothing is left in it of what was overwritten or deleted, nor in the
        write-ahead log. Other processes wait meanwhile. Raises HomeError where one of them reads for too long.
        """
        await _shielded(asyncio.wrap_future(self._submit(self._writer, self._compact, None)))

    def close(self) -> None:
        """Wait for what is under way, and close the database."""
        for name, executor in (("write", self._writer), ("read", self._reader)):
            executor.submit(self._hang_up, name)
            executor.shutdown(wait=True)
        self._engine.dispose()

    def reader(self, name: str) -> Reader:
        """A thread and a connection for one who reads much, and works on what was read where it was read."""
        return Reader(self, name)

    def _commit(self, work: Callable[[Transaction], T]) -> T:
        with translated(self.home):
            connection = self._connection("write")
            # Past SQLAlchemy, whose own transaction just stays open: its part would take longer than SQLite's.
            raw = raw_of(connection)
            try:
                raw.execute("BEGIN IMMEDIATE")
                transaction = Transaction(connection, self.clock, self.ids)
                result = work(transaction)
                _reach("before", transaction)
                raw.execute("COMMIT")
            except BaseException:
                roll_back(connection)
                raise
            _reach("after", transaction)
            return result

    def _read(self, work: Callable[[Connection], T], reader: object = "read") -> T:
        with translated(self.home):
            connection = self._connection(reader)
            try:
                raw_of(connection).execute("BEGIN")
                return work(connection)
            finally:
                roll_back(connection)

    def _compact(self, _work: None) -> None:
        with translated(self.home):
            raw = raw_of(self._connection("write"))
            raw.execute("VACUUM")
            reach("journal.compact.before_truncate")
            [busy, _frames, _moved] = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise HomeError(
                f"Another process has been reading the journal in {self.home} for {BUSY_SECONDS} s.", hint="Try again."
            )

    def _connection(self, user: object) -> Connection:
        if user not in self._connections:
            self._connections[user] = self._engine.connect()
        return self._connections[user]

    def _hang_up(self, user: object) -> None:
        connection = self._connections.pop(user, None)
        if connection is not None:
            connection.close()


class Reader:
    """A thread that reads the journal with a connection of its own, and does other work in between."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._thread = ThreadPoolExecutor(1, name)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """`Journal.read`, on this thread."""
        return await asyncio.wrap_future(self._thread.submit(self._journal._read, work, self))

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work` on this thread."""
        return await asyncio.wrap_future(self._thread.submit(work, *arguments))

    def close(self) -> None:
        """Wait for what is under way, and close the connection."""
        self._thread.submit(self._journal._hang_up, self)
        self._thread.shutdown(wait=True)


async def _shielded(future: asyncio.Future[T]) -> T:
    """The future's result. The caller leaves only when the future is done, however often it is cancelled."""
    cancelled = False
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            cancelled = True
    result = future.result()
    if cancelled:
        raise asyncio.CancelledError
    return result


def _reach(side: str, transaction: Transaction) -> None:
    """The failpoints on either side of a commit, one for each type of event in it."""
    for made in transaction.events:
        reach(f"journal.{side}_commit.{made.type}")
