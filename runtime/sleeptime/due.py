"""When memory work is due: by how much waits, by how long it waits, or by both."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from .delta import Waiting

Check = Callable[[Waiting, datetime], bool]
"""Whether work is due at a moment, given what waits."""

MESSAGES = 8
"""Messages that are worth a look, unless it is set otherwise."""
ELAPSED = timedelta(minutes=10)
"""And how long fewer of them wait."""
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)


def messages(count: int) -> Check:
    """As soon as so many messages wait."""
    return lambda waiting, now: waiting.messages >= count


def elapsed(time: timedelta) -> Check:
    """As soon as a message has waited so long."""
    return lambda waiting, now: waiting.oldest is not None and now - waiting.oldest >= time


def any_of(*checks: Check) -> Check:
    """As soon as one of them says so."""
    return lambda waiting, now: any(check(waiting, now) for check in checks)


def all_of(*checks: Check) -> Check:
    """As soon as all of them say so."""
    return lambda waiting, now: all(check(waiting, now) for check in checks)


def pause(failures: int) -> timedelta:
    """How long to wait after so many failures in a row."""
    return min(FIRST_PAUSE * 2 ** min(failures - 1, 10), LONGEST_PAUSE) if failures else timedelta()
