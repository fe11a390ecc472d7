"""Numbers beyond their range in what a model writes: the end of the range is taken, and what they belong to is kept.

Models count from 0, or to 100, and what they found is no less true for it. What is no number at all is left as it is,
and refused with what it belongs to.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

log = logging.getLogger(__name__)

_LARGE = 10**15
"""From here on it does not matter how much it is."""


def clamped(data: Mapping[str, Any], rule: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """`data` with the numbers that `rule`, the JSON Schema of an object, sets bounds to within those; and what that
    changed, which is logged, too. A number that is to be whole is rounded."""
    within, told = dict(data), []
    for name, bounds in rule["properties"].items():
        number = data.get(name)
        if "maximum" not in bounds or isinstance(number, bool) or not isinstance(number, int | float):
            continue
        least, most = bounds["minimum"], bounds["maximum"]
        kept = min(max(round(number) if bounds["type"] == "integer" else number, least), most)
        if kept != number:
            within[name] = kept
            told.append(f"{name} {_shown(number)} is not one from {least} to {most}, so {kept} was taken")
            log.info("Memory work: %s.", told[-1])
    return within, told


def _shown(number: float) -> str:
    """A number as it is told of; a whole one may be larger than any float."""
    return f"{number:.6g}" if abs(number) < _LARGE else "beyond all bounds"
