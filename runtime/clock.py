"""Where the time comes from. It is injected, so that tests and scripts decide what time it is."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Protocol


class Clock(Protocol):
    """Tells the time as an aware UTC datetime."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved, for tests and scripted conversations."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = (start or datetime(2026, 1, 1, 9, 0, tzinfo=UTC)).astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, step: timedelta) -> None:
        """Move forward by `step`."""
        self._now += step


def stamp(moment: datetime) -> str:
    """A stored time: ISO 8601 in UTC with microseconds, so that its text sorts as the time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def parse_stamp(text: str) -> datetime:
    """The aware UTC datetime of a stored time."""
    return datetime.fromisoformat(text).astimezone(UTC)


def parse_known(text: str | None) -> datetime | None:
    """`parse_stamp` of a time that may be unknown."""
    return parse_stamp(text) if text else None


def moment(text: str) -> datetime | date:
    """The day or the time that people and models write in ISO 8601: `2026-01-31` is a day. Raises ValueError."""
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)


def in_zone(when: datetime | date, zone: tzinfo) -> datetime:
    """A day, or a time of day, as a moment: a day begins at midnight, and what names no zone is of this one."""
    if not isinstance(when, datetime):
        when = datetime.combine(when, time())
    return when if when.tzinfo else when.replace(tzinfo=zone)


Times = tuple[datetime | date | None, datetime | date | None]


def interval(starts: datetime | date | None, ends: datetime | date | None, zone: tzinfo) -> Times:
    """The bounds of an interval; where it ends on the day on which it begins, that day is part of it. Raises ValueError
    for one that ends before it begins, or at that moment."""
    if starts is None or ends is None:
        return starts, ends
    begins = in_zone(starts, zone)
    if not isinstance(ends, datetime) and begins.astimezone(zone).date() == ends:
        return starts, ends + timedelta(days=1)
    if in_zone(ends, zone) <= begins:
        raise ValueError(f"holds until {ends} and only from {starts} on")
    return starts, ends
