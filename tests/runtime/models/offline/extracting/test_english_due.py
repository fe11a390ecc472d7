"""When something is due, told in passing, and moved to another day."""

from __future__ import annotations

import pytest

from pagekeeper.tests.runtime.models.offline.extracting.test_extracting import extract, memory, one


@pytest.mark.parametrize(
    ("said", "subject", "day"),
    [
        (
            "I need a new plan, since the deadline of the migration was extended to June 3.",
            "deadline of the migration",
            "June 3",
        ),
        ("My project's deadline, which has been moved to 28 May, is tight.", "project's deadline", "28 May"),
        ("Given the new deadline of 12 May, what should I do first?", "deadline", "12 May"),
        ("I'm reworking my schedule to reflect the new launch date of October 2.", "launch date", "October 2"),
        ("The client brought the delivery date forward to May 20.", "delivery date", "May 20"),
        ("The audit has been moved from March 25 to April 8.", "audit", "April 8"),
        ("The kickoff is postponed to Monday 6 April.", "kickoff", "Monday 6 April"),
        ("My supervisor extended the submission deadline to 30 April.", "submission deadline", "30 April"),
    ],
)
def test_the_day_is_kept_with_what_is_due(said: str, subject: str, day: str) -> None:
    kept = one(said)
    assert kept["attribute"] == "deadline"
    assert kept["subject"] == subject
    assert day in kept["value"]
    assert f"{day} 2026" in kept["text"]


@pytest.mark.parametrize(
    "said",
    [
        "Could you move the deadline to June 3?",
        "Should we push the launch to May 9?",
        "What if they moved the deadline of the beta to June 3?",
        "If the launch date was moved to June 3, we would be late.",
    ],
)
def test_a_day_that_is_only_thought_of_is_none(said: str) -> None:
    assert extract(said) == []


def test_a_thing_that_was_moved_on_a_day_is_not_due_there() -> None:
    assert all(one["attribute"] != "deadline" for one in extract("The launch page was moved to the new host on May 3."))


def test_another_day_takes_the_place_of_the_first() -> None:
    first = memory("The audit is on March 25 2026.", "deadline", "March 25", "audit")
    moved = one("We have more time, since the audit was moved to April 8.", memories=[first])
    assert (moved["op"], moved["id"]) == ("update", "p-1")
