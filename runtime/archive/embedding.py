"""The vectors of what is archived: made with the embedder, kept in the journal, and made later where it fails."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from ..errors import EmbedderFailed, HomeError
from ..journal.fold.rows import put_out
from ..journal.journal import Transaction
from . import vectors
from .embedders.base import Embedder
from .rows import ArchiveRow, Vector
from .view import View

FEW = 32
"""Rows without a vector that a search embeds before it looks; more are left to the background."""
_EMBEDDED = 256
"""Texts that are embedded at a time."""
_RETRY = 60.0
"""Seconds until a failed embedder is tried again."""


class Embedding:
    """Gives rows their vectors."""

    def __init__(self, view: View, embedder: Embedder) -> None:
        self.embedder = embedder
        self.failure: str | None = None
        """Why the embedder failed the last time, until it works again."""
        self._view = view
        self._retry_at = 0.0

    async def passages(self, texts: Sequence[str]) -> list[Vector] | None:
        """Unit vectors of passages; None, and a note of the failure, where the embedder fails."""
        if not texts:
            return []
        if self.failure and asyncio.get_running_loop().time() < self._retry_at:
            return None
        try:
            out: list[Vector] = []
            for start in range(0, len(texts), _EMBEDDED):
                out += vectors.unit(await self.embedder.embed_passages(texts[start : start + _EMBEDDED]))
        except EmbedderFailed as error:
            self.failure = str(error)
            self._retry_at = asyncio.get_running_loop().time() + _RETRY
            return None
        self.failure = None
        return out

    async def few(self) -> None:
        """Embed what a question should not miss: a few rows that were committed a moment ago."""
        missing = await self._view.run(self._view.memory.unembedded)
        if 0 < len(missing) <= FEW:
            # In a home that cannot be written they are found by their words.
            with contextlib.suppress(HomeError):
                await self.rows(missing)
                await self._view.catch_up()

    async def pending(self) -> int:
        """Embed the rows in memory that have no vector yet; returns how many got one."""
        await self._view.catch_up()
        return await self.rows(await self._view.run(self._view.memory.unembedded))

    async def rows(self, missing: Sequence[ArchiveRow]) -> int:
        """Embed these rows; returns how many got a vector: all, or none where the embedder fails."""
        if not missing:
            return 0
        found = await self.passages([row.text for row in missing])
        if found is None:
            return 0
        space = self._view.space

        def keep(tx: Transaction) -> None:
            vectors.claim(tx.connection, space)
            vectors.store(tx.connection, space, [(row.id, vector) for row, vector in zip(missing, found, strict=True)])
            for row in missing:
                put_out(tx.connection, row.table, row.id)

        await self._view.journal.write(keep)
        return len(missing)

    async def dimension(self, space: str) -> int | None:
        """The length of the vectors of `space`; None while the embedder has given none and does not say."""
        stored = await self._view.journal.read(lambda connection: vectors.dimension(connection, space))
        return stored or self.embedder.dimension
