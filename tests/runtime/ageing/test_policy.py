"""What is due: what has expired, what lay unused for too long, and what is too much."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.ageing.policy import Aged, Policy, due

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def test_without_settings_only_what_has_expired_goes() -> None:
    old = [Aged("old", ago(9999)), Aged("expired", ago(1), expires_at=NOW), Aged("not yet", ago(1), expires_at=ago(-1))]
    assert due(old, Policy(), NOW) == {"expired": ["expired"]}


def test_what_was_used_too_seldom_goes_after_its_days() -> None:
    known = [Aged("a", ago(30)), Aged("b", ago(29.9)), Aged("c", ago(99), uses=1), Aged("d", ago(99), uses=2)]
    assert due(known, Policy(unused_days=30), NOW) == {"unused": ["a"]}
    assert due(known, Policy(unused_days=30, fewest_uses=2), NOW) == {"unused": ["a", "c"]}


def test_over_the_cap_those_go_that_were_used_longest_ago() -> None:
    known = [
        Aged("new", ago(1)),
        Aged("old", ago(5)),
        Aged("older", ago(9), uses=7),
        Aged("same, used", ago(5), uses=1),
    ]
    assert due(known, Policy(most=2), NOW) == {"over the cap": ["older", "old"]}
    assert due(known, Policy(most=4), NOW) == {}


def test_what_lasts_goes_by_its_expiry_alone_and_counts_for_the_cap() -> None:
    known = [
        Aged("rule", ago(999), lasting=True),
        Aged("fact", ago(1)),
        Aged("x", ago(1), expires_at=NOW, lasting=True),
    ]
    assert due(known, Policy(unused_days=1, most=1), NOW) == {"expired": ["x"], "unused": ["fact"]}
    assert due(known[:2], Policy(most=1), NOW) == {"over the cap": ["fact"]}
    assert due(known[:1] * 3, Policy(most=1), NOW) == {}


def test_what_waits_for_a_decision_can_only_expire() -> None:
    waiting = [Aged("a", ago(999), active=False), Aged("b", ago(1), active=False, expires_at=NOW)]
    assert due(waiting, Policy(unused_days=1, most=1), NOW) == {"expired": ["b"]}


moments = st.integers(-50, 400).map(ago)
many = st.lists(
    st.builds(
        Aged,
        id=st.just(""),
        touched=moments,
        uses=st.integers(0, 3),
        expires_at=st.none() | moments,
        active=st.booleans(),
        lasting=st.booleans(),
    ),
    max_size=30,
).map(lambda found: [replace(one, id=f"p-{place}") for place, one in enumerate(found)])
policies = st.builds(
    Policy,
    unused_days=st.none() | st.floats(0.5, 300),
    fewest_uses=st.integers(1, 3),
    most=st.none() | st.integers(1, 20),
)


@given(many, policies)
def test_it_goes_no_further_than_it_must(known: list[Aged], policy: Policy) -> None:
    by_id = {one.id: one for one in known}
    found = due(known, policy, NOW)
    gone = [one for ids in found.values() for one in ids]
    assert len(gone) == len(set(gone))
    assert {it for it in gone if by_id[it].lasting or not by_id[it].active} <= set(found.get("expired", ()))
    left = [one for one in known if one.id not in gone]
    assert not any(one.expires_at is not None and one.expires_at <= NOW for one in left)
    active = [one for one in left if one.active]
    if policy.most is not None:
        # As many as may be, or none but what lasts; and never fewer than may be.
        assert len(active) <= policy.most or all(one.lasting for one in active)
        if "over the cap" in found:
            assert len(active) >= policy.most
            evictable = [one.touched for one in active if not one.lasting]
            assert all(by_id[it].touched <= other for it in found["over the cap"] for other in evictable)


@given(many, policies)
def test_a_second_sweep_at_the_same_moment_finds_nothing(known: list[Aged], policy: Policy) -> None:
    gone = {one for ids in due(known, policy, NOW).values() for one in ids}
    assert due([one for one in known if one.id not in gone], policy, NOW) == {}
