"""An embedder for tests: each word has a fixed random direction, so texts that share words are near."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from pagekeeper.runtime.archive.terms import terms
from pagekeeper.runtime.errors import EmbedderFailed


class HashEmbedder:
    """Deterministic, and free of weights. `failing` makes it fail until it is set back."""

    english_only = False
    usual_cosine: float | None = 0.0

    def __init__(self, dimension: int = 32, name: str = "hash") -> None:
        self.name = name
        self.dimension = dimension
        self.failing = False
        self.texts: list[str] = []
        """All that it was asked to embed."""

    @property
    def fingerprint(self) -> str:
        return f"{self.name}/{self.dimension}/1"

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self.failing:
            raise EmbedderFailed("The embedder is out of order.")
        self.texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Sequence[float]:
        total = np.zeros(self.dimension)
        for term in terms(text):
            seed = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(self.dimension)
        return total.tolist()
