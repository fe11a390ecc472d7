"""Where ids come from. They are injected, never derive from content, and say their kind in a prefix."""

from __future__ import annotations

import itertools
import secrets
from typing import Protocol

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

PREFIXES = {
    "agent": "ag-",
    "conversation": "cv-",
    "event": "ev-",
    "input": "in-",
    "turn": "tn-",
    "message": "m-",
    "passage": "p-",
    "epoch": "ep-",
    "owner": "ow-",
    # Mistral accepts only call ids of exactly nine letters and digits, so ours are that everywhere.
    "call": "c",
}


class Ids(Protocol):
    """Makes ids that are new in their home."""

    def new(self, kind: str) -> str: ...


def _digits(number: int, count: int) -> str:
    out = []
    for _ in range(count):
        number, rest = divmod(number, 32)
        out.append(_ALPHABET[rest])
    return "".join(reversed(out))


class RandomIds:
    """80 random bits (40 for a call, which must be short) behind the kind's prefix."""

    def new(self, kind: str) -> str:
        if kind == "call":
            return PREFIXES[kind] + _digits(secrets.randbits(40), 8)
        return PREFIXES[kind] + _digits(secrets.randbits(80), 16)


class CountingIds:
    """Counts up from `start` for each kind, for tests and scripted conversations."""

    def __init__(self, start: int = 1) -> None:
        self._start = start
        self._counters: dict[str, itertools.count[int]] = {}

    def new(self, kind: str) -> str:
        number = next(self._counters.setdefault(kind, itertools.count(self._start)))
        return PREFIXES[kind] + (f"{number:08d}" if kind == "call" else f"{number:06d}")
