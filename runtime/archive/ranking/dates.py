"""The days, months and years that a question speaks of, in English and Chinese, absolute and relative."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = "(?P<month>" + "|".join(f"{name}|{name[:3]}" for name in _MONTHS) + r")\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"

_ABSOLUTE = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
        r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月",
        r"(?<!\d)(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
        r"(?<![\d个])(?P<month>\d{1,2})\s*月(?!\d)",
        rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?\b",
        rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?\b(?!\d)",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",
        # "may" and "march" alone are more often verbs.
        rf"\b(?:in|of|during|since|by|last|this|until|early|late|mid)\s+{_MONTH}\b",
        rf"\b(?!may\b|march\b|mar\b|jan\b|sun\b){_MONTH}\b",
        r"(?P<year>\d{4})\s*年",
        rf"\b{_YEAR}\b",
    )
]

_RELATIVE: list[tuple[re.Pattern[str], str, int, int]] = [
    # pattern, unit, first and last unit counted from now
    (re.compile(pattern, re.IGNORECASE), unit, first, last)
    for pattern, unit, first, last in (
        (r"\bday before yesterday\b|前天", "day", -2, -2),
        (r"\b(?<!before )yesterday\b|昨天|昨日|昨晚|\blast night\b", "day", -1, -1),
        (r"\btoday\b|今天|今日|\btonight\b|今晚", "day", 0, 0),
        (r"\btomorrow\b|明天|明日", "day", 1, 1),
        (r"\blast week\b|上周|上星期|上个星期|上礼拜", "week", -1, -1),
        (r"\bthis week\b|这周|本周|这星期|这个星期", "week", 0, 0),
        (r"\bnext week\b|下周|下星期|下个星期", "week", 1, 1),
        (r"\blast month\b|上个月|上月", "month", -1, -1),
        (r"\bthis month\b|这个月|本月", "month", 0, 0),
        (r"\blast year\b|去年", "year", -1, -1),
        (r"\bthis year\b|今年", "year", 0, 0),
    )
]
_AGO = re.compile(
    r"\b(?P<count>\d{1,3}|an?|one|two|three|four|five|six) (?P<unit>day|week|month|year)s? ago\b", re.IGNORECASE
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def days_in(text: str, now: datetime, zone: ZoneInfo) -> list[tuple[datetime, datetime]]:
    """The stretches of time that `text` names, as it is read at `now` in `zone`: each from, and until before.

    A month or day without a year is the last one that has begun by now.
    """
    today = now.astimezone(zone).date()
    out: list[tuple[date, date]] = []
    rest = text
    for pattern in _ABSOLUTE:
        for found in pattern.finditer(rest):
            span = _absolute(found.groupdict(), today)
            if span is not None:
                out.append(span)
        # What was read as part of a longer date is not read again.
        rest = pattern.sub(lambda found: " " * len(found[0]), rest)
    out += _relative(text, today)
    return [(_start(first, zone), _start(after, zone)) for first, after in out]


def _absolute(parts: dict[str, str | None], today: date) -> tuple[date, date] | None:
    year, month, day = (parts.get(name) for name in ("year", "month", "day"))
    try:
        if month is None:
            return date(int(year or 0), 1, 1), date(int(year or 0) + 1, 1, 1)
        number = int(month) if month.isdecimal() else _month_number(month)
        if day is None:
            of = int(year) if year else today.year - (number > today.month)
            return date(of, number, 1), _months_on(date(of, number, 1), 1)
        if year is None:
            first = date(today.year, number, int(day))
            first = first if first <= today else date(today.year - 1, number, int(day))
        else:
            first = date(int(year), number, int(day))
        return first, first + timedelta(days=1)
    except (ValueError, OverflowError):
        return None  # the 31st of June, the year 0


def _relative(text: str, today: date) -> Iterator[tuple[date, date]]:
    for pattern, unit, first, last in _RELATIVE:
        if pattern.search(text):
            yield _units(today, unit, first)[0], _units(today, unit, last)[1]
    for found in _AGO.finditer(text):
        count = _COUNTS.get(found["count"].lower()) or int(found["count"])
        try:
            yield _units(today, found["unit"].lower(), -count)
        except (ValueError, OverflowError):
            continue


def _units(today: date, unit: str, count: int) -> tuple[date, date]:
    """The day, week, month or year that is `count` of them from today."""
    if unit == "day":
        first = today + timedelta(days=count)
        return first, first + timedelta(days=1)
    if unit == "week":
        first = today - timedelta(days=today.weekday()) + timedelta(weeks=count)
        return first, first + timedelta(weeks=1)
    if unit == "month":
        first = _months_on(today.replace(day=1), count)
        return first, _months_on(first, 1)
    return date(today.year + count, 1, 1), date(today.year + count + 1, 1, 1)


def _months_on(first: date, count: int) -> date:
    months = first.year * 12 + first.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _month_number(name: str) -> int:
    return next(place for place, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _start(day: date, zone: ZoneInfo) -> datetime:
    try:
        return datetime.combine(day, time(), zone).astimezone(UTC)
    except OverflowError:
        return datetime.combine(day, time(), UTC)
