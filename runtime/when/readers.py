"""What the words of a date mean on a given day: one reader for each kind of pattern."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from .numbers import as_number

MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_COUNTS = {word: number for number, word in enumerate(_WORDS, 1)} | {"a": 1, "an": 1}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_STEPS = {
    "last": -1,
    "next": 1,
    "上": -1,
    "上上": -2,
    "下": 1,
    "下下": 2,
    "去": -1,
    "前": -2,
    "明": 1,
    "后": 2,
}
"""How many weeks, months or years from this one; what is not in it is this one."""
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
"""The first month of each, as the north has them."""


_HOLIDAYS = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "平安夜": (12, 24),
    "圣诞节": (12, 25),
    "圣诞": (12, 25),
    "元旦": (1, 1),
    "国庆节": (10, 1),
    "国庆": (10, 1),
    "劳动节": (5, 1),
    "五一": (5, 1),
    "儿童节": (6, 1),
    "情人节": (2, 14),
}
"""Those that are on the same day every year: month and day."""

Parts = dict[str, str | None]
"""What the groups of a pattern found."""
Days = tuple[date, date, date]
"""The first day, the day after the last, and the day that is meant if one is."""
Read = Callable[[Parts, date, bool], Days]


# ---- absolute


def absolute(parts: Parts, today: date, ahead: bool) -> Days:
    year, month, day = (parts.get(name) for name in ("year", "month", "day"))
    if month is None:
        return _span(date(int(year or 0), 1, 1), date(int(year or 0) + 1, 1, 1))
    number = _month_number(month)
    if day is not None:
        return _one_day(
            date(int(year), number, as_number(day)) if year else _dated(today, number, as_number(day), ahead)
        )
    first = date(int(year) if year else today.year, number, 1)
    if not year and ahead and _months_on(first, 1) <= today:
        first = date(today.year + 1, number, 1)
    elif not year and not ahead and number > today.month:
        first = date(today.year - 1, number, 1)
    return _span(first, _months_on(first, 1))


def _dated(today: date, month: int, day: int, ahead: bool) -> date:
    """The next such day, or the last one. The 29th of February may be years away."""
    for shift in range(9):
        try:
            found = date(today.year + (shift if ahead else -shift), month, day)
        except ValueError:
            continue
        if (found >= today) if ahead else (found <= today):
            return found
    raise ValueError("there is no such day")


def day_of_month(parts: Parts, today: date, ahead: bool) -> Days:
    """ "The 15th", "下个月5号": of the month that is named, or of the next or last that has it."""
    day, which = as_number(parts["day"] or ""), parts.get("which")
    if which:
        return _one_day(_months_on(today.replace(day=1), _from_this(which)).replace(day=day))
    for shift in range(4):
        try:
            found = _months_on(today.replace(day=1), shift if ahead else -shift).replace(day=day)
        except ValueError:
            continue
        if (found >= today) if ahead else (found <= today):
            return _one_day(found)
    raise ValueError("there is no such day")


# ---- relative


def on(unit: str, count: int) -> Read:
    return lambda parts, today, ahead: _units(today, unit, count)


def _units(today: date, unit: str, count: int) -> Days:
    """The day, week, month or year that is `count` of them from today."""
    if unit == "day":
        return _one_day(today + timedelta(days=count))
    if unit == "week":
        first = today - timedelta(days=today.weekday()) + timedelta(weeks=count)
        return _span(first, first + timedelta(weeks=1))
    if unit == "month":
        first = _months_on(today.replace(day=1), count)
        return _span(first, _months_on(first, 1))
    return _span(date(today.year + count, 1, 1), date(today.year + count + 1, 1, 1))


def counted(parts: Parts, today: date, ahead: bool) -> Days:
    """ "Three weeks ago", "in two months", "半年前"."""
    unit, said = (parts["unit"] or "").lower(), (parts["count"] or "").lower()
    unit = _UNITS.get(unit, unit)
    if said.startswith("half") or said == "半":
        unit, count = {"year": ("month", 6), "month": ("day", 15)}.get(unit, ("day", 3))
    else:
        count = 2 if "couple" in said else _COUNTS.get(said) or as_number(said)
    count = -count if parts.get("back") else count
    first, after, _ = _units(today, unit, count)
    return first, after, _day_from(today, unit, count)


def _day_from(today: date, unit: str, count: int) -> date:
    if unit in ("day", "week"):
        return today + timedelta(days=count * (7 if unit == "week" else 1))
    first = _months_on(today.replace(day=1), count * (12 if unit == "year" else 1))
    last = _months_on(first, 1) - timedelta(days=1)
    return first.replace(day=min(today.day, last.day))


def weekday(parts: Parts, today: date, ahead: bool) -> Days:
    """ "Last Friday" is the last one before today; "next Friday" and "下周五" are those of next week."""
    number, which = _weekday_number(parts["weekday"] or ""), (parts.get("which") or "coming").lower()
    if which == "last":
        return _one_day(today - timedelta(days=(today.weekday() - number - 1) % 7 + 1))
    if which == "coming":
        return _one_day(today + timedelta(days=(number - today.weekday() - 1) % 7 + 1))
    return weekday_of_week(parts, today, ahead)


def weekday_of_week(parts: Parts, today: date, ahead: bool) -> Days:
    """ "Tuesday next week", "上周三"."""
    number, count = _weekday_number(parts["weekday"] or ""), _from_this(parts["which"] or "")
    day = today - timedelta(days=today.weekday()) + timedelta(weeks=count, days=number)
    return _one_day(day + timedelta(weeks=1) if ahead and not count and day < today else day)


def bare_weekday(parts: Parts, today: date, ahead: bool) -> Days:
    back = (today.weekday() - _weekday_number(parts["weekday"] or "") - 1) % 7 + 1
    return _one_day(today + timedelta(days=(7 - back) or 7) if ahead else today - timedelta(days=back))


def weekend(parts: Parts, today: date, ahead: bool) -> Days:
    saturday = today - timedelta(days=today.weekday()) + timedelta(weeks=_from_this(parts["which"] or ""), days=5)
    return _span(saturday, saturday + timedelta(days=2))


def month_from_today(parts: Parts, today: date, ahead: bool) -> Days:
    """ "Next June", "last May": the next to begin, and the last that is over."""
    number, which = _month_number(parts["month"] or ""), (parts["which"] or "").lower()
    later = {"last": -(number >= today.month), "next": int(number <= today.month)}.get(which, 0)
    return _month_or_day(today.year + later, number, parts.get("day"))


def month_of_year(parts: Parts, today: date, ahead: bool) -> Days:
    """ "March of next year", "去年三月"."""
    year = today.year + _from_this(parts["which"] or "")
    return _month_or_day(year, _month_number(parts["month"] or ""), parts.get("day"))


def _month_or_day(year: int, month: int, day: str | None) -> Days:
    first = date(year, month, 1)
    return _one_day(first.replace(day=as_number(day))) if day else _span(first, _months_on(first, 1))


def holiday(parts: Parts, today: date, ahead: bool) -> Days:
    """ "Christmas", "元旦": the next to come, or the last one."""
    month, day = _HOLIDAYS[(parts["holiday"] or "").lower().replace("’", "'")]
    return _one_day(_dated(today, month, day, ahead))


def season(parts: Parts, today: date, ahead: bool) -> Days:
    month, which = _SEASONS[(parts["season"] or "").lower()], (parts["which"] or "").lower()
    first = date(today.year + (_from_this(which) if which.endswith("年") else 0), month, 1)
    if which == "last" and _months_on(first, 3) > today:
        first = first.replace(year=today.year - 1)
    elif which == "next" and first <= today:
        first = first.replace(year=today.year + 1)
    return _span(first, _months_on(first, 3))


def _from_this(word: str) -> int:
    """How many weeks, months or years from this one a word is: "last", "下个月", "明年"."""
    return _STEPS.get(word.lower().removesuffix("年").removesuffix("月").removesuffix("个"), 0)


# ---- small parts


def _one_day(day: date) -> Days:
    return day, day + timedelta(days=1), day


def _span(first: date, after: date) -> Days:
    return first, after, first


def _months_on(first: date, count: int) -> date:
    months = first.year * 12 + first.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _month_number(name: str) -> int:
    names = [place for place, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3])]
    return names[0] if names else as_number(name)


def _weekday_number(name: str) -> int:
    names = [place for place, day in enumerate(WEEKDAYS) if day.startswith(name.lower()[:3])]
    return names[0] if names else 6 if name in "日天" else as_number(name) - 1
