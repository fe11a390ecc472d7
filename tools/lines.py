"""How one memory stands in a result: an id to cite, a day, what it is, and its text."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from ..runtime.clock import moment
from ..runtime.errors import ToolError


def memory_line(item: str, at: datetime, zone: ZoneInfo, label: str, text: str, marks: str = "") -> str:
    """One memory. Further lines of its text are indented, so that none of them looks like another memory."""
    body = text.replace("\r\n", "\n").replace("\n", "\n  ")
    return f"- [{item}] {at.astimezone(zone):%Y-%m-%d}{marks} {label}: {body}"


def read_day(text: str | None, name: str) -> date | None:
    """A day as a model writes it. Raises ToolError."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise ToolError(f"{name} is no date: {text[:40]!r}.", hint="Write it as 2026-01-31.") from None


def read_time(text: str | None, name: str) -> datetime | date | None:
    """A day or a time as a model writes it. Raises ToolError."""
    if not text:
        return None
    try:
        return moment(text)
    except ValueError:
        raise ToolError(
            f"{name} is no date: {text[:40]!r}.", hint="Write it as 2026-01-31 or 2026-01-31T09:30."
        ) from None
