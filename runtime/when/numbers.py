"""Reads small numbers, in digits of either kind."""

from __future__ import annotations

_DIGITS = dict(zip("一二三四五六七八九", range(1, 10), strict=True)) | {"两": 2}


def as_number(text: str) -> int:
    """A number below a hundred, in digits of either kind. Raises ValueError where it is none."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.partition("十")
    try:
        if ten:
            return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
        return _DIGITS[text]
    except KeyError:
        raise ValueError(f"no number: {text!r}") from None
