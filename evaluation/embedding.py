"""An embedder that an evaluation can trust: that it failed is not forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from ..runtime.archive.embedders.base import Embedder
from ..runtime.errors import EmbedderFailed


class Watched:
    """An embedder, and the first time that it failed.

    The archive goes on by words alone where an embedder fails, which serves a person; but what is measured then is not
    what was asked for, so `check` is to be asked before anything counts.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._failure: EmbedderFailed | None = None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int | None:
        return self._embedder.dimension

    @property
    def english_only(self) -> bool:
        return self._embedder.english_only

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._watch(self._embedder.embed_queries(texts))

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._watch(self._embedder.embed_passages(texts))

    def check(self) -> None:
        """Raise EmbedderFailed, in the embedder's words, if it has failed so far."""
        if self._failure is not None:
            raise self._failure

    async def _watch(self, made: Awaitable[list[Sequence[float]]]) -> list[Sequence[float]]:
        try:
            return await made
        except EmbedderFailed as error:
            self._failure = self._failure or error
            raise
