"""The embedder that comes with the installation: WordLlama's static vectors, 256 numbers for each English text.

It needs no network and no more than a tenth of a millisecond a text. It knows little but English; other languages are
found by their words (terms.py).
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ...errors import EmbedderFailed

_MOST = 4000
"""Characters of a text that are embedded: a mean over more words says less."""
_AT_ONCE = 1000
"""Characters that are embedded within a fifth of a millisecond."""


class WordLlamaEmbedder:
    """WordLlama, loaded when it is first used: about a fifth of a second, and 100 MB."""

    name = "wordllama"
    english_only = True
    usual_cosine = 0.0
    dimension = 256

    def __init__(self) -> None:
        self.fingerprint = f"wordllama/l2_supercat/{self.dimension}/{importlib.metadata.version('wordllama')}"
        self._lock = Lock()
        self._model: Any = None

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self._model is not None and sum(map(len, texts)) <= _AT_ONCE:
            # A question takes less time than handing it to a thread.
            return self.embed(texts)
        return await asyncio.to_thread(self.embed, texts)

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """The mean of the vectors of each text's tokens; zeros for a text that has none."""
        self.load()
        out: list[Sequence[float]] = []
        rows = len(self._model.embedding)
        # One text at a time: in a batch, each would be padded to the length of the longest.
        for text in texts:
            ids = self._model.tokenizer.encode(text[:_MOST], add_special_tokens=False).ids
            known = np.clip(np.asarray(ids, np.int64), 0, rows - 1)
            mean = self._model.embedding[known].mean(axis=0) if len(known) else np.zeros(self.dimension, np.float32)
            out.append(mean.tolist())
        return out

    def load(self) -> None:
        """Load the model if it is not loaded yet. Raises EmbedderFailed."""
        with self._lock:
            if self._model is None:
                try:
                    self._model = _load(self.dimension)
                except Exception as error:
                    raise EmbedderFailed(f"The embedder wordllama cannot be loaded: {error}") from error


def _load(dimension: int) -> Any:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        # Its import sets up logging for the whole process, which is not its business.
        from wordllama import WordLlama
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    spec = importlib.util.find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    # It looks for its tokenizer in the wrong folder and then on the network, unless it is given its own folder.
    model = WordLlama.load(cache_dir=Path(spec.origin).parent, disable_download=True, dim=dimension)
    model.tokenizer.no_padding()
    return model
