"""Rows in memory: those that LanceDB does not hold yet, searched by an inverted index and one matrix of vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from .choices import Kind
from .filters import Condition
from .ranking.weights import Weights
from .rows import ArchiveRow, Item, Vector
from .statistics import Statistics


class Shelf:
    """The rows of one scope."""

    def __init__(self) -> None:
        self.rows: dict[str, ArchiveRow] = {}
        self._holding: dict[str, dict[str, int]] = {}
        self._spots: dict[str, set[str]] = {}
        self._embedded: list[str] = []
        self._matrix: Vector | None = None

    def put(self, row: ArchiveRow) -> None:
        """Add a row, or replace the one with its id."""
        self.drop(row.id)
        self.rows[row.id] = row
        for term, count in Counter(row.terms.split()).items():
            self._holding.setdefault(term, {})[row.id] = count
        if row.thread:
            self._spots.setdefault(row.spot, set()).add(row.id)
        self._matrix = None

    def drop(self, item: str) -> None:
        """Forget a row."""
        row = self.rows.pop(item, None)
        if row is None:
            return
        for term in set(row.terms.split()):
            holding = self._holding[term]
            del holding[item]
            if not holding:
                del self._holding[term]
        if row.thread:
            self._spots[row.spot].discard(item)
            if not self._spots[row.spot]:
                del self._spots[row.spot]
        self._matrix = None

    def search(
        self,
        terms: Sequence[str],
        vector: Vector | None,
        wanted: list[Condition],
        weights: Weights,
        statistics: Statistics,
    ) -> list[ArchiveRow]:
        """The rows that meet the conditions and are among the best of them by terms or by vector.

        Without either, the newest.
        """
        accepted = {item for item, row in self.rows.items() if all(one.accepts(row) for one in wanted)}
        best = set(self._by_terms(terms, accepted, weights, statistics))
        if vector is not None:
            best.update(self._by_vector(vector, accepted, weights.arm))
        elif not terms:
            best.update(sorted(accepted, key=lambda item: -self.rows[item].at)[: weights.arm])
        return [self.rows[item] for item in best]

    def beside(self, spots: Sequence[str], wanted: list[Condition]) -> list[ArchiveRow]:
        """The rows that meet the conditions and stand at these places in their threads."""
        found = [self.rows[item] for spot in spots for item in self._spots.get(spot, ())]
        return [row for row in found if all(one.accepts(row) for one in wanted)]

    def _by_terms(
        self, terms: Sequence[str], accepted: set[str], weights: Weights, statistics: Statistics
    ) -> list[str]:
        scores: defaultdict[str, float] = defaultdict(float)
        for term in terms:
            holding = self._holding.get(term, {})
            rarity = statistics.rarity(term) * weights.term(term)
            for item in holding.keys() & accepted:
                norm = weights.length_norm(self.rows[item].length, statistics.mean_length)
                scores[item] += rarity * holding[item] / (holding[item] + norm)
        return sorted(scores, key=lambda item: (-scores[item], item))[: weights.arm]

    def _by_vector(self, vector: Vector, accepted: set[str], arm: int) -> list[str]:
        if self._matrix is None:
            self._embedded = [item for item, row in self.rows.items() if row.vector is not None]
            found = [self.rows[item].vector for item in self._embedded]
            self._matrix = np.stack(found) if found else np.zeros((0, len(vector)), np.float32)  # type: ignore[arg-type]
        if not len(self._matrix):
            return []
        near = self._matrix @ vector
        out = []
        for place in np.argsort(-near, kind="stable"):
            item = self._embedded[place]
            if item in accepted:
                out.append(item)
                if len(out) == arm:
                    break
        return out


class Memory:
    """All rows that are searched in memory, by scope, and the items whose rows are gone but may be in LanceDB still."""

    def __init__(self) -> None:
        self._shelves: dict[str, Shelf] = {}
        self._numbers: dict[Item, int] = {}
        self._rows: dict[Item, ArchiveRow | None] = {}
        self._items: Counter[Kind] = Counter()
        self.newest = 0
        """The newest outbox entry that it was told of."""

    def put(self, number: int, item: Item, row: ArchiveRow | None) -> None:
        """Know `item` as it stands with the outbox entry `number`; None if it is gone."""
        self._forget(item)
        self._items[item[0]] += item not in self._numbers
        self._numbers[item] = number
        self.newest = max(self.newest, number)
        self._rows[item] = row
        if row is not None:
            self._shelves.setdefault(row.scope, Shelf()).put(row)

    def drop_through(self, number: int, kinds: Collection[Kind]) -> None:
        """Forget what the entries up to `number` told of these kinds: LanceDB holds it now."""
        for item in [item for item, known in self._numbers.items() if known <= number and item[0] in kinds]:
            self._forget(item)
            self._items[item[0]] -= 1
            del self._numbers[item], self._rows[item]

    def _forget(self, item: Item) -> None:
        row = self._rows.get(item)
        if row is not None:
            shelf = self._shelves[row.scope]
            shelf.drop(row.id)
            if not shelf.rows:
                del self._shelves[row.scope]

    def shelf(self, scope: str) -> Shelf | None:
        """The rows of a scope, if there are any."""
        return self._shelves.get(scope)

    def ids(self, kinds: Collection[Kind]) -> set[str]:
        """The ids of all items of these kinds: what LanceDB has of them is out of date."""
        return {item for kind, item in self._numbers if kind in kinds}

    def number(self, row: ArchiveRow) -> int:
        """The outbox entry that told of a row."""
        return self._numbers[row.table, row.id]

    def count(self, kind: Kind) -> int:
        """How many items of a kind there are."""
        return self._items[kind]

    def rows(self) -> Iterator[ArchiveRow]:
        return (row for row in self._rows.values() if row is not None)

    def unembedded(self) -> list[ArchiveRow]:
        """The rows that have no vector."""
        return [row for row in self.rows() if row.vector is None]

    def pending(self, after: int) -> int:
        """How many items changed above `after`."""
        return sum(number > after for number in self._numbers.values())

    def changes(self, after: int, through: int, most: int) -> list[tuple[int, Item, ArchiveRow | None]]:
        """The oldest `most` items above `after`, up to `through`, in order."""
        found = sorted((number, item) for item, number in self._numbers.items() if after < number <= through)[:most]
        return [(number, item, self._rows[item]) for number, item in found]

    def __len__(self) -> int:
        return len(self._numbers)
