"""What the steps of the ranking share: the question, the candidates, and the figures of the scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..choices import Kind
from ..rows import Vector
from ..statistics import Statistics
from .question import Question
from .weights import Weights

Scores = np.ndarray[Any, np.dtype[np.float64]]


class Candidate(Protocol):
    """What the steps need of a row, wherever it comes from."""

    @property
    def table(self) -> Kind: ...
    @property
    def id(self) -> str: ...
    @property
    def thread(self) -> str: ...
    @property
    def place(self) -> int: ...
    @property
    def speaker(self) -> str: ...
    @property
    def terms(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def asks(self) -> bool: ...
    @property
    def at(self) -> int: ...
    @property
    def importance(self) -> float: ...
    @property
    def fades_from(self) -> int | None: ...
    @property
    def trust(self) -> float: ...
    @property
    def vector(self) -> Vector | None: ...


class Scene:
    """One search in the middle of its ranking."""

    def __init__(
        self,
        question: Question,
        vector: Vector | None,
        candidates: Sequence[Candidate],
        statistics: Statistics,
        weights: Weights,
        beside: Sequence[Candidate] = (),
    ) -> None:
        """`candidates` are cut to the best of each arm; `beside`, which stand beside one of them, are not."""
        # Equal scores keep one order, wherever the candidates came from.
        candidates = sorted({row.id: row for row in (*candidates, *beside)}.values(), key=lambda row: row.id)
        wanted = {row.id for row in beside}
        self.question = question
        self.statistics = statistics
        self.weights = weights
        counts = [[row.terms.count(f" {term} ") if row.terms else 0 for term in question.terms] for row in candidates]
        bm25 = _bm25(counts, candidates, question, statistics, weights)
        cosine, has_cosine = _cosines(vector, candidates)
        kept = sorted(
            {
                *_kept(bm25, cosine, has_cosine, weights.arm),
                *(i for i, row in enumerate(candidates) if row.id in wanted),
            }
        )
        self.candidates = [candidates[i] for i in kept]
        self.vector = vector
        self.counts = np.asarray(counts, np.float64).reshape(len(candidates), len(question.terms))[kept]
        """How often each candidate holds each term."""
        self.bm25 = bm25[kept]
        self.cosine = cosine[kept]
        self.has_cosine = has_cosine[kept]
        self.parts: dict[str, Scores] = {}
        """What each arm contributes, once they are fused."""
        self.base: Scores = np.zeros(len(kept))
        """The fused score of the two arms, once they are fused."""
        self.threads: dict[str, dict[int, int]] = defaultdict(dict)
        """Where in each thread a candidate stands."""
        for i, row in enumerate(self.candidates):
            if row.thread:
                self.threads[row.thread][row.place] = i

    def __len__(self) -> int:
        return len(self.candidates)


def _bm25(
    counts: list[list[int]],
    candidates: Sequence[Candidate],
    question: Question,
    statistics: Statistics,
    weights: Weights,
) -> Scores:
    if not candidates or not question.terms:
        return np.zeros(len(candidates))
    held = np.asarray(counts, np.float64)
    rarity = np.array([statistics.rarity(term) * weights.term(term) for term in question.terms])
    norm = np.array([weights.length_norm(row.length, statistics.mean_length) for row in candidates])
    return np.asarray((held / (held + norm[:, None])) @ rarity)


def _cosines(
    vector: Vector | None, candidates: Sequence[Candidate]
) -> tuple[Scores, np.ndarray[Any, np.dtype[np.bool_]]]:
    cosine = np.zeros(len(candidates))
    has = np.zeros(len(candidates), bool)
    if vector is None:
        return cosine, has
    known = [(i, row.vector) for i, row in enumerate(candidates) if row.vector is not None]
    fitting = [(i, own) for i, own in known if own.shape == vector.shape]
    if fitting:
        places = [i for i, _ in fitting]
        cosine[places] = np.stack([own for _, own in fitting]) @ vector
        has[places] = True
    return cosine, has


def is_document(thread: str) -> bool:
    """Whether a thread is a text that was cut into chunks, and no session: the names of those have a slash."""
    return "/" not in thread


def spot(thread: str, place: int) -> str:
    """A place in a thread as one value; empty outside of threads."""
    return f"{thread}#{place}" if thread else ""


def _kept(bm25: Scores, cosine: Scores, has_cosine: np.ndarray[Any, np.dtype[np.bool_]], arm: int) -> list[int]:
    """The best of each arm, over all the places that candidates come from."""
    by_terms = [int(i) for i in np.argsort(-bm25, kind="stable")[:arm] if bm25[i] > 0]
    near = np.where(has_cosine, cosine, -np.inf)
    by_vector = [int(i) for i in np.argsort(-near, kind="stable")[:arm] if has_cosine[i]]
    # Without terms and without a vector nothing is better than anything else, and all of it meets the conditions.
    return [*by_terms, *by_vector] or list(range(len(bm25)))
