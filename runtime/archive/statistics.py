"""What is usual in a scope: how common each term is, how long a row, how near a vector. Scores are measured against it.

The figures come from a sample of at most a few thousand rows, taken the same way whether the rows are in LanceDB or
not, so a row's score does not change when it is flushed.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from .rows import Vector, sample_key

SAMPLE = 4000
"""Rows of a scope that are read for its figures."""

_VECTORS = 512
_KEYS = 1 << 64
"""How many sample keys there are."""


class Counted(Protocol):
    """What the figures need of a row."""

    @property
    def id(self) -> str: ...
    @property
    def terms(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def speaker(self) -> str: ...
    @property
    def vector(self) -> Vector | None: ...


class Statistics:
    """The figures of one scope. `share` is the part of the scope's rows that were counted, where it is not all."""

    def __init__(self, rows: Iterable[Counted] = (), *, share: float = 1.0) -> None:
        self._share = share
        self._ids: set[str] = set()
        self._embedded: set[str] = set()
        self._first = 0
        self._length = 0
        self._holding: Counter[str] = Counter()
        self.speakers: Counter[str] = Counter()
        self._nearest: list[tuple[bytes, int, Vector]] = []
        self._matrix: Vector | None = None
        for row in rows:
            self._count(row)
        self._first = len(self._ids)

    def outgrown(self) -> bool:
        """Whether a sample has been added to for so long that it is none any more, and is to be taken anew."""
        return self._share < 1 and len(self._ids) > 1.25 * self._first

    @property
    def rows(self) -> float:
        """How many rows the scope has."""
        return len(self._ids) / self._share

    @property
    def mean_length(self) -> float:
        """Terms of a row, on average."""
        return self._length / len(self._ids) if self._ids else 1.0

    def count(self, row: Counted) -> None:
        """Take a new row into account; one that was counted before is not counted again, except for its vector.

        Beside a sample only as large a share of the new rows counts, always the same ones.
        """
        if row.id in self._ids or int.from_bytes(sample_key(row.id)) < self._share * _KEYS:
            self._count(row)

    def _count(self, row: Counted) -> None:
        if row.id not in self._ids:
            self._ids.add(row.id)
            self._length += row.length
            self._holding.update(set(row.terms.split()))
            if row.speaker:
                self.speakers[row.speaker] += 1
        self._keep(row)

    def holding(self, term: str) -> float:
        """How many rows hold a term."""
        return self._holding[term] / self._share

    def rarity(self, term: str) -> float:
        """The inverse document frequency of a term, as Lucene has it; never negative."""
        holding = self.holding(term)
        return math.log(1 + max(0.0, self.rows - holding + 0.5) / (holding + 0.5))

    def usual_cosine(self, vector: Vector) -> tuple[float, float]:
        """The mean and the deviation of the cosine between `vector` and the scope's rows."""
        if self._matrix is None:
            rows = [row for *_, row in self._nearest if row.shape == vector.shape]
            self._matrix = np.stack(rows) if rows else np.zeros((0, len(vector)), np.float32)
        if len(self._matrix) < 2:
            return 0.0, 0.0
        cosines = self._matrix @ vector
        return float(cosines.mean()), float(cosines.std())

    def _keep(self, row: Counted) -> None:
        """Keep the vectors whose rows have the lowest sample keys: a fair sample, and always the same one."""
        if row.vector is None or row.id in self._embedded:
            return
        self._embedded.add(row.id)
        key = bytes(255 - byte for byte in sample_key(row.id))
        entry = (key, len(self._embedded), row.vector)
        if len(self._nearest) < _VECTORS:
            heapq.heappush(self._nearest, entry)
        elif key > self._nearest[0][0]:
            heapq.heapreplace(self._nearest, entry)
        else:
            return
        self._matrix = None
