"""Embedders of other providers, through the gateway to litellm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import EmbedderFailed, ModelError

BATCH = 64
"""Texts in one request."""


class LiteLLMEmbedder:
    """Any embedding model that litellm can call, e.g. `openai/text-embedding-3-small`.

    `query_prefix` and `passage_prefix` are put before the texts, for models that want them (`query: `, `passage: `).
    """

    def __init__(
        self,
        model: str,
        *,
        dimension: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        options: dict[str, Any] | None = None,
    ) -> None:
        self.name = model
        self.dimension = dimension
        self._asked = dimension
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._options = {**(options or {}), **({"dimensions": dimension} if dimension else {})}

    @property
    def fingerprint(self) -> str:
        prefixes = f"/{self._query_prefix}|{self._passage_prefix}" if self._query_prefix or self._passage_prefix else ""
        return f"litellm/{self.name}/{self._asked or 'full'}{prefixes}"

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed([self._query_prefix + text for text in texts])

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed([self._passage_prefix + text for text in texts])

    async def _embed(self, texts: list[str]) -> list[Sequence[float]]:
        from ...models import gateway

        out: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            some = texts[start : start + BATCH]
            try:
                found = await gateway.embed(self.name, some, **self._options)
            except ModelError as error:
                raise EmbedderFailed(f"{self.name} gave no vectors: {error.message}", hint=error.hint) from error
            if len(found) != len(some):
                raise EmbedderFailed(f"{self.name} gave {len(found)} vectors for {len(some)} texts.")
            out += found
        if out:
            self.dimension = len(out[0])
        return out
