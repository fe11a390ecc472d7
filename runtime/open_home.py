"""A home that is open."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from . import home as homes
from .archive.archive import Archive
from .archive.embedders.base import Embedder
from .chosen import make_embedder
from .clock import Clock, SystemClock
from .config import Settings
from .erasing.complete import complete
from .errors import PagekeeperError
from .given import check_part, check_path
from .ids import Ids, RandomIds
from .journal.journal import Journal
from .locks import Locks


@dataclass(slots=True)
class Home:
    """An open home: what all of its agents share in this process."""

    path: Path
    journal: Journal
    locks: Locks
    owner: str
    clock: Clock
    ids: Ids
    _alive: FileLock
    _embedder: Embedder | None = None
    _archive: Archive | None = None
    _background: bool = True

    @property
    def background(self) -> bool:
        """Whether anything is done that nobody asked for at that moment."""
        return self._background

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        background: bool = True,
    ) -> Home:
        """Open a home, making it where there is none. `embedder` is the settings' unless it is given.

        Without `background` the archive embeds, flushes and maintains only what it is asked to, and memory work is done
        only then.
        Raises UsageError or HomeError.
        """
        check_path(path)
        for name, part in (("embedder", embedder), ("clock", clock), ("ids", ids)):
            check_part(name, part)
        folder = homes.prepare(homes.resolve(path))
        clock, ids = clock or SystemClock(), ids or RandomIds()
        with homes.errors_of(folder):
            locks = Locks(folder)
            # An owner's name must be new even where ids are counted from 1 in each process.
            owner = RandomIds().new("owner")
            alive = locks.own(owner)
        try:
            journal = Journal.open(folder, clock=clock, ids=ids)
        except BaseException:
            locks.disown(owner, alive)
            raise
        return cls(folder, journal, locks, owner, clock, ids, alive, embedder, _background=background)

    async def archive(self, settings: Settings) -> Archive:
        """The archive of this home, opened when it is first asked for. Raises EmbedderMismatch."""
        if self._archive is None:
            embedder = self._embedder or make_embedder(settings)
            self._archive = await Archive.open(self.journal, embedder, clock=self.clock, background=self._background)
            try:
                await complete(self.journal, self._archive)  # an erasure that was cut off
            except PagekeeperError as error:
                self._archive.trouble = str(error)
        return self._archive

    async def close(self) -> None:
        """Close what is open. What was queued and not answered may be taken over from now on."""
        if self._archive is not None:
            await self._archive.close()
        self.journal.close()
        self.locks.disown(self.owner, self._alive)
