"""Tests of reading dates out of questions and statements."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from pagekeeper.runtime.when import clock_in, days_in, stretches

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
        ("last Friday", ["2026-03-13 2026-03-14"]),
        ("上周三", ["2026-03-11 2026-03-12"]),
        ("last summer", ["2025-06-01 2025-09-01"]),
        ("去年三月", ["2025-03-01 2025-04-01"]),
        ("You may march on", []),
        ("on Mondays, every Friday, or on Tuesday", []),
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


@pytest.mark.parametrize(
    ("text", "past", "ahead"),
    [
        ("yesterday", "2026-03-17", "2026-03-17"),
        ("three weeks ago", "2026-02-25", "2026-02-25"),
        ("half a year ago", "2025-09-18", "2025-09-18"),
        ("in two months", "2026-05-18", "2026-05-18"),
        ("10 days from now", "2026-03-28", "2026-03-28"),
        ("last Wednesday", "2026-03-11", "2026-03-11"),
        ("next Tuesday", "2026-03-24", "2026-03-24"),
        ("Friday next week", "2026-03-27", "2026-03-27"),
        ("this Monday", "2026-03-16", "2026-03-23"),
        ("on Monday", "2026-03-16", "2026-03-23"),
        ("on Wednesday", "2026-03-11", "2026-03-25"),
        ("next weekend", "2026-03-28", "2026-03-28"),
        ("in May", "2025-05-01", "2026-05-01"),
        ("in March", "2026-03-01", "2026-03-01"),
        ("on May 5", "2025-05-05", "2026-05-05"),
        ("next June", "2026-06-01", "2026-06-01"),
        ("last May", "2025-05-01", "2025-05-01"),
        ("March next year", "2027-03-01", "2027-03-01"),
        ("on the 20th", "2026-02-20", "2026-03-20"),
        ("next summer", "2026-06-01", "2026-06-01"),
        ("昨天", "2026-03-17", "2026-03-17"),
        ("大后天", "2026-03-21", "2026-03-21"),
        ("下周五", "2026-03-27", "2026-03-27"),
        ("上上周日", "2026-03-08", "2026-03-08"),
        ("周三", "2026-03-11", "2026-03-25"),
        ("明年三月", "2027-03-01", "2027-03-01"),
        ("去年10月2号", "2025-10-02", "2025-10-02"),
        ("截止是九月二十五", "2025-09-25", "2026-09-25"),
        ("十月十几号", "2025-10-01", "2026-10-01"),
        ("下个月五号", "2026-04-05", "2026-04-05"),
        ("两周后", "2026-04-01", "2026-04-01"),
        ("三个月前", "2025-12-18", "2025-12-18"),
        ("半年前", "2025-09-18", "2025-09-18"),
        ("十二月", "2025-12-01", "2026-12-01"),
        ("四月二十号", "2025-04-20", "2026-04-20"),
        ("去年夏天", "2025-06-01", "2025-06-01"),
        ("for Christmas", "2025-12-25", "2026-12-25"),
        ("New Year's Day", "2026-01-01", "2027-01-01"),
        ("国庆", "2025-10-01", "2026-10-01"),
    ],
)
def test_what_is_told_is_dated(text: str, past: str, ahead: str) -> None:
    for which, day in ((False, past), (True, ahead)):
        (found,) = stretches(text, NOW.date(), ahead=which)
        assert found.day.isoformat() == day
        assert found.first <= found.day < found.after


def test_the_words_of_a_date_are_found_where_they_stand() -> None:
    text = "We met last Friday and will meet in May again."
    assert [text[one.start : one.end] for one in stretches(text, NOW.date())] == ["last Friday", "in May"]


def test_a_day_that_not_every_year_has_is_still_found() -> None:
    (found,) = stretches("on February 29th", date(2026, 3, 1))
    assert found.day == date(2024, 2, 29)


@pytest.mark.parametrize(
    "text", ["一周三次", "每周三", "三个月大", "every Monday", "on Mondays", "the sun and the moon"]
)
def test_what_comes_again_and_again_is_no_date(text: str) -> None:
    assert stretches(text, NOW.date()) == []


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("at 3pm", time(15)),
        ("12:30 a.m.", time(0, 30)),
        ("at 15:45 sharp", time(15, 45)),
        ("at noon", time(12)),
        ("8 o'clock", None),
        ("at 8 in the evening", time(20)),
        ("下午三点半", time(15, 30)),
        ("晚上8点", time(20)),
        ("上午十点15分", time(10, 15)),
        ("中午12点", time(12)),
        ("in 3 pieces", None),
    ],
)
def test_the_time_of_day(text: str, at: time | None) -> None:
    assert clock_in(text) == at
