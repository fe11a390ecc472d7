"""Importance fades with the days, down to a floor, and is never stored back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.ageing.decay import FLOOR, decayed

importances = st.floats(0, 1)
ages = st.floats(0, 100_000)


@pytest.mark.parametrize(
    ("importance", "days", "left"),
    [
        (0.8, 0, 0.8),
        (0.8, 1, 0.8 * math.exp(-0.1)),
        (0.5, 10, 0.5 / math.e),
        (1.0, 23, math.exp(-2.3)),
        (1.0, 24, 0.1),
        (0.5, 3650, 0.1),
        (0.05, 3650, 0.05),
        (0.8, -3, 0.8),
    ],
)
def test_it_fades_by_a_tenth_of_its_logarithm_a_day_down_to_a_floor(importance: float, days: int, left: float) -> None:
    assert decayed(importance, days) == pytest.approx(left)


@given(importances, ages, ages)
def test_it_only_falls_with_age(importance: float, one: float, other: float) -> None:
    younger, older = sorted((one, other))
    assert decayed(importance, older) <= decayed(importance, younger) <= importance


@given(importances, ages)
def test_it_never_falls_below_the_floor_nor_rises_to_it(importance: float, age: float) -> None:
    assert min(importance, FLOOR) <= decayed(importance, age) <= importance


@given(importances, importances, ages)
def test_what_is_more_important_stays_so_at_the_same_age(one: float, other: float, age: float) -> None:
    less, more = sorted((one, other))
    assert decayed(less, age) <= decayed(more, age)
