"""Tests of reading dates out of questions."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pagekeeper.runtime.archive.ranking.dates import days_in

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("What happened on 2023-05-08?", ["2023-05-08 2023-05-09"]),
        ("on 8 May, 2023", ["2023-05-08 2023-05-09"]),
        ("on May 8th 2023", ["2023-05-08 2023-05-09"]),
        ("in July 2023", ["2023-07-01 2023-08-01"]),
        ("What did I do in July?", ["2025-07-01 2025-08-01"]),
        ("on March 3rd", ["2026-03-03 2026-03-04"]),
        ("back in 2022", ["2022-01-01 2023-01-01"]),
        ("2023年5月8日", ["2023-05-08 2023-05-09"]),
        ("5月做了什么", ["2025-05-01 2025-06-01"]),
        ("yesterday", ["2026-03-17 2026-03-18"]),
        ("the day before yesterday", ["2026-03-16 2026-03-17"]),
        ("last week", ["2026-03-09 2026-03-16"]),
        ("上个月", ["2026-02-01 2026-03-01"]),
        ("two years ago", ["2024-01-01 2025-01-01"]),
        ("You may march on", []),
    ],
)
def test_dates_are_found(text: str, spans: list[str]) -> None:
    found = [f"{start:%Y-%m-%d} {end:%Y-%m-%d}" for start, end in days_in(text, NOW, ZoneInfo("UTC"))]
    assert found == spans


def test_days_are_those_of_the_time_zone() -> None:
    assert days_in("2023-05-08", NOW, ZoneInfo("Asia/Shanghai")) == [
        (datetime(2023, 5, 7, 16, tzinfo=UTC), datetime(2023, 5, 8, 16, tzinfo=UTC))
    ]


@pytest.mark.parametrize(
    "text", ["9999-12-31", "1000 years ago, 999 years ago", "0000-01-01", "9999年", "0月 13月 99日", "June 31st 2023"]
)
def test_impossible_dates_are_passed_over(text: str) -> None:
    days_in(text, NOW, ZoneInfo("America/New_York"))
