"""What the archive asks of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors, such that texts of like meaning come to lie near each other.

    Questions and passages may be embedded differently. Vectors need not be of unit length. Both functions raise
    EmbedderFailed where they cannot; what they take long for must not block the event loop.

    One that knows what the cosine of texts with nothing in common usually is may say so in `usual_cosine`, a number;
    of others it is measured (usual.py).
    """

    @property
    def name(self) -> str:
        """What the user calls it, e.g. `wordllama` or `openai/text-embedding-3-small`."""
        ...

    @property
    def dimension(self) -> int | None:
        """The length of its vectors; None if that is known only after the first."""
        ...

    @property
    def english_only(self) -> bool:
        """Whether its vectors mean nothing for other languages, which are then found by their words alone."""
        ...

    @property
    def fingerprint(self) -> str:
        """Name, dimension and version: vectors can be compared only where this is the same."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]: ...

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]: ...
