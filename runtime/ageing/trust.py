"""Trust: how far a memory has proven itself, from 0 to 1.

It starts at .5, grows slowly with each use that nobody corrects, and falls twice as fast with each correction: an error
that is believed costs more than a truth that is doubted. The figures are those of the issue that asked for them.
"""

from __future__ import annotations

START = 0.5
USED = 0.05
"""Gained by being used and not corrected."""
CORRECTED = 0.10
"""Lost by being corrected."""
LEAST = 0.3
"""What is trusted less is not returned unless it is asked for."""

_DIGITS = 4
"""So that steps up and down add up: .35 - .05 is .3, and not a little less."""


def used(trust: float) -> float:
    """The trust of a memory that had `trust`, after a use that was not corrected."""
    return _within(trust + USED)


def corrected(trust: float) -> float:
    """The trust of a memory that had `trust`, after a correction."""
    return _within(trust - CORRECTED)


def _within(trust: float) -> float:
    return round(min(1.0, max(0.0, trust)), _DIGITS)
