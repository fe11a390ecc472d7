"""The metrics, on values worked out by hand and on any lists."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.evaluation.metrics import CUTS, METRICS, all_sides, gain, hit, recall, reciprocal_rank

KEYS = st.sampled_from("abcdefgh")
FOUND = st.lists(KEYS, max_size=25)
EVIDENCE = st.frozensets(KEYS, min_size=1)
K = st.integers(1, 25)


def test_recall_is_the_share_of_all_evidence_and_hit_is_any() -> None:
    found, evidence = ["x", "a", "y", "b"], {"a", "b", "c", "d"}
    assert [recall(found, evidence, k) for k in (1, 2, 4, 20)] == [0, 0.25, 0.5, 0.5]
    assert [hit(found, evidence, k) for k in (1, 2, 4, 20)] == [0, 1, 1, 1]


def test_the_reciprocal_rank_is_that_of_the_first() -> None:
    found = ["x", "y", "b", "a"]
    assert [reciprocal_rank(found, {"a", "b"}, k) for k in (2, 3, 10)] == [0, 1 / 3, 1 / 3]


def test_the_ideal_gain_is_over_all_evidence_not_over_what_was_found() -> None:
    assert gain(["a", "x"], {"a", "b"}, 10) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert gain(["x", "a"], {"a"}, 10) == pytest.approx(1 / log2(3))
    # More evidence than places: the ideal fills the places.
    assert gain(["a"], {"a", "b", "c"}, 1) == 1


def test_a_long_turn_that_comes_in_several_passages_counts_once() -> None:
    found = ["a", "a", "b"]
    assert recall(found, {"a", "b"}, 2) == 0.5
    assert gain(found, {"a", "b"}, 2) == pytest.approx(1 / (1 + 1 / log2(3)))


def test_all_sides_wants_something_of_each() -> None:
    sides = [frozenset("ab"), frozenset("c")]
    assert all_sides(["b", "x", "c"], sides, 3) == 1
    assert all_sides(["b", "a", "c"], sides, 2) == 0


@given(FOUND, EVIDENCE, K)
def test_every_metric_is_from_0_to_1_and_never_falls_with_more_results(
    found: list[str], evidence: frozenset[str], k: int
) -> None:
    for name, metric in METRICS.items():
        value = metric(found, evidence, k)
        assert 0 <= value <= 1 + 1e-9
        if name != "ndcg":  # its ideal grows with k as well
            assert metric(found, evidence, k + 1) >= value


@given(FOUND, EVIDENCE, K)
def test_the_metrics_agree_on_whether_anything_was_found(found: list[str], evidence: frozenset[str], k: int) -> None:
    assert len({metric(found, evidence, k) > 0 for metric in METRICS.values()}) == 1
    assert recall(found, evidence, k) <= hit(found, evidence, k)
    assert reciprocal_rank(found, evidence, k) <= hit(found, evidence, k)


@given(FOUND, EVIDENCE)
def test_all_evidence_in_front_is_worth_1(rest: list[str], evidence: frozenset[str]) -> None:
    found = [*sorted(evidence), *rest]
    assert recall(found, evidence, len(evidence)) == 1
    for k in CUTS:
        assert gain(found, evidence, k) == pytest.approx(1)
        assert reciprocal_rank(found, evidence, k) == 1


@given(FOUND, EVIDENCE, K)
def test_what_comes_after_the_cut_changes_nothing(found: list[str], evidence: frozenset[str], k: int) -> None:
    for metric in METRICS.values():
        assert metric(found, evidence, k) == metric(found[:k], evidence, k)
