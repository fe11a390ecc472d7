"""Finds the stretches of time that a text names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from .patterns import PATTERNS
from .readers import bare_weekday


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time that a text names: from a day, and until before another."""

    first: date
    after: date
    day: date
    """The day that is meant where one is: "three weeks ago" is a week to a search, and a day to a diary."""
    start: int
    """Where in the text its words stand, from and until before."""
    end: int
    relative: bool
    """It is read from a day: "last Friday", or a date without a year."""


def days_in(text: str, now: datetime, zone: ZoneInfo) -> list[tuple[datetime, datetime]]:
    """The stretches of time that a question names, as it is read at `now` in `zone`: each from, and until before.

    A month or day without a year is the last one that has begun by now. A weekday alone ("on Monday") is none: what is
    asked for may be of any.
    """
    found = stretches(text, now.astimezone(zone).date(), bare_weekdays=False)
    return [days_of(one, zone) for one in found]


def days_of(one: Stretch, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When a stretch begins in `zone`, and when what follows it does."""
    return _start(one.first, zone), _start(one.after, zone)


def stretches(text: str, today: date, *, ahead: bool = False, bare_weekdays: bool = True) -> list[Stretch]:
    """The stretches of time that `text` names, in its order, as it is read on the day `today`.

    What names no year (or, of a weekday, no week) is the last one that has begun, or with `ahead` the next to come.
    """
    out: list[Stretch] = []
    rest = text
    for pattern, read, relative in PATTERNS:
        if read is bare_weekday and not bare_weekdays:
            continue
        for found in pattern.finditer(rest):
            parts = found.groupdict()
            try:
                first, after, day = read(parts, today, ahead)
            except (ValueError, OverflowError):
                continue  # the 31st of June, the year 0
            out.append(Stretch(first, after, day, found.start(), found.end(), relative or not parts.get("year")))
        # What was read as part of a longer date is not read again.
        rest = pattern.sub(lambda found: " " * len(found[0]), rest)
    return sorted(out, key=lambda one: one.start)


def _start(day: date, zone: ZoneInfo) -> datetime:
    try:
        return datetime.combine(day, time(), zone).astimezone(UTC)
    except OverflowError:
        return datetime.combine(day, time(), UTC)
