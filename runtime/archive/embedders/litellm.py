"""Embedders of other providers, through the gateway to litellm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .prefixes import prefixes

BATCH = 64
"""The most texts in one request. Providers take from 96 up."""
BATCH_CHARACTERS = 60_000
"""The most characters in one request: of Chinese, each may be a token or more, and providers count those too."""
MOST = 4_000
"""Characters of a text that are embedded. A longer one (somebody pasted a book) would be refused, and with it all that
are in its request."""


class LiteLLMEmbedder:
    """Any embedding model that litellm can call, e.g. `openai/text-embedding-3-small`.

    `dimension` asks for vectors of that length, from a model that has several. `query_prefix` and `passage_prefix` are
    put before the texts; where they are None, what the model is known to want (prefixes.py).
    """

    english_only = False

    def __init__(
        self,
        model: str,
        *,
        dimension: int | None = None,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        api_base: str | None = None,
        api_key: str | None = None,
    ) -> None:
        self.name = model
        self.dimension = dimension
        self._asked = dimension
        query, passage = prefixes(model)
        self._query_prefix = query if query_prefix is None else query_prefix
        self._passage_prefix = passage if passage_prefix is None else passage_prefix
        self._api_base = api_base
        self._api_key = api_key

    @property
    def fingerprint(self) -> str:
        prefixes = f"/{self._query_prefix}|{self._passage_prefix}" if self._query_prefix or self._passage_prefix else ""
        return f"litellm/{self.name}/{self._asked or 'full'}{prefixes}"

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed([self._query_prefix + text[:MOST] for text in texts])

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed([self._passage_prefix + text[:MOST] for text in texts])

    async def _embed(self, texts: list[str]) -> list[Sequence[float]]:
        from ...models.gateway import embed

        out: list[Sequence[float]] = []
        for some in _requests(texts):
            out += await embed(self.name, some, dimensions=self._asked, api_base=self._api_base, api_key=self._api_key)
        if out:
            self.dimension = len(out[0])
        return out


def _requests(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in as many parts as there must be requests."""
    some: list[str] = []
    size = 0
    for text in texts:
        if some and (len(some) == BATCH or size + len(text) > BATCH_CHARACTERS):
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text)
    if some:
        yield some
