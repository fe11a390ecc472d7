"""Trust: up with use, down with correction, never out of bounds."""

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.ageing import trust
from pagekeeper.runtime.archive.drafts import Draft

STEPS = {"used": trust.used, "corrected": trust.corrected}


def after(*steps: str, start: float = trust.START) -> float:
    for step in steps:
        start = STEPS[step](start)
    return start


def test_it_starts_in_the_middle_as_passages_do() -> None:
    assert Draft("x").trust == trust.START == 0.5


def test_a_use_raises_it_by_a_twentieth_and_a_correction_lowers_it_by_a_tenth() -> None:
    assert after("used") == 0.55
    assert after("corrected") == 0.4


def test_two_corrections_leave_a_memory_found_and_a_third_does_not() -> None:
    assert after("corrected", "corrected") == trust.LEAST
    assert after("corrected", "corrected", "corrected") < trust.LEAST


def test_uses_and_corrections_add_up_exactly() -> None:
    assert after("used", "used", "corrected") == 0.5
    assert after(*["corrected"] * 2, *["used"] * 4) == 0.5


@given(st.floats(0, 1), st.lists(st.sampled_from(sorted(STEPS)), max_size=60))
def test_it_stays_from_0_to_1_whatever_happens(start: float, steps: list[str]) -> None:
    for step in steps:
        before, start = start, after(step, start=start)
        assert 0 <= start <= 1
        assert start >= before - 1e-4 if step == "used" else start <= before + 1e-4
