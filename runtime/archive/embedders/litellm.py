"""Embedders of other providers, through the gateway to litellm."""

from __future__ import annotations

from collections.abc import Sequence

BATCH = 64
"""Texts in one request."""


class LiteLLMEmbedder:
    """Any embedding model that litellm can call, e.g. `openai/text-embedding-3-small`.

    `dimension` asks for vectors of that length, from a model that has several. `query_prefix` and `passage_prefix` are
    put before the texts, for models that want them (`query: `, `passage: `).
    """

    english_only = False

    def __init__(
        self,
        model: str,
        *,
        dimension: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        api_base: str | None = None,
        api_key: str | None = None,
    ) -> None:
        self.name = model
        self.dimension = dimension
        self._asked = dimension
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._api_base = api_base
        self._api_key = api_key

    @property
    def fingerprint(self) -> str:
        prefixes = f"/{self._query_prefix}|{self._passage_prefix}" if self._query_prefix or self._passage_prefix else ""
        return f"litellm/{self.name}/{self._asked or 'full'}{prefixes}"

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed([self._query_prefix + text for text in texts])

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed([self._passage_prefix + text for text in texts])

    async def _embed(self, texts: list[str]) -> list[Sequence[float]]:
        from ...models.gateway import embed

        out: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            some = texts[start : start + BATCH]
            out += await embed(self.name, some, dimensions=self._asked, api_base=self._api_base, api_key=self._api_key)
        if out:
            self.dimension = len(out[0])
        return out
