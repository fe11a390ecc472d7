"""The figures of a scope, where they come from a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from pagekeeper.runtime.archive.rows import Vector
from pagekeeper.runtime.archive.statistics import Statistics


@dataclass
class Row:
    """What the figures need of a row."""

    id: str
    terms: str = " common "
    length: int = 1
    speaker: str = ""
    vector: Vector | None = None


def rows(first: int, count: int, terms: str = " common ") -> list[Row]:
    return [Row(f"row{number}", terms, vector=np.ones(2, np.float32)) for number in range(first, first + count)]


def test_new_rows_beside_a_sample_count_as_much_as_those_that_were_there() -> None:
    made = Statistics(rows(0, 4000), share=0.1)
    for row in rows(40_000, 20_000, " common rare "):
        made.count(row)
    assert made.rows == pytest.approx(60_000, rel=0.02)
    assert made.holding("common") == pytest.approx(60_000, rel=0.02)
    assert made.holding("rare") == pytest.approx(20_000, rel=0.05)


def test_a_sample_is_taken_anew_when_the_scope_has_grown_by_a_quarter_and_not_before() -> None:
    made = Statistics(rows(0, 4000), share=0.1)
    for row in rows(40_000, 8000):
        made.count(row)
    assert not made.outgrown()
    for row in rows(48_000, 4000):
        made.count(row)
    assert made.outgrown()


def test_where_all_rows_were_counted_every_new_one_is() -> None:
    made = Statistics(rows(0, 10))
    for row in [*rows(0, 10), *rows(10, 5)]:
        made.count(row)
    assert (made.rows, made.outgrown()) == (15, False)
