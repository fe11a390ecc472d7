"""Reads the time of day."""

from __future__ import annotations

import re
from datetime import time

from .numbers import as_number

_LATE = frozenset(("p", "afternoon", "evening", "下午", "晚上", "傍晚", "中午", "今晚", "明晚"))

_CLOCKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<hour>[01]?\d|2[0-3])(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b",
        r"\b(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)\b",
        r"(?P<half>上午|早上|下午|晚上|傍晚|中午|今晚|明晚|凌晨)?(?P<hour>\d{1,2}|十[一二]?|[一二两三四五六七八九])[点时]"
        r"(?P<minute>半|[0-5]?\d(?=分)|[0-5]\d)?(?!半?个?小)",
        r"\b(?P<noon>noon|midnight)\b",
        r"\bat (?P<hour>[1-9]|1[0-2]) (?:in the (?P<half>morning|afternoon|evening)|o'clock)",
    )
)


def clock_in(text: str) -> time | None:
    """The time of day that `text` names: "3pm", "at 15:30", "noon", "下午三点半"."""
    for pattern in _CLOCKS:
        found = pattern.search(text)
        if found is None:
            continue
        parts = found.groupdict()
        if parts.get("noon"):
            return time(0 if parts["noon"].lower() == "midnight" else 12)
        hour, half = as_number(parts["hour"]), (parts.get("half") or "").lower()
        minute = parts.get("minute") or "0"
        if half in _LATE and hour < 12 and not (half == "中午" and hour > 10):
            hour += 12
        elif half == "a" and hour == 12:
            hour = 0
        if hour < 24:
            return time(hour, 30 if minute == "半" else int(minute))
    return None
