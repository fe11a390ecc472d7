"""How importance fades while a memory lies unused.

Always reckoned from the importance that is stored, and never stored back: so however often it is looked at, swept or
started anew, it does not compound.
"""

from __future__ import annotations

import math

RATE = 0.1
"""A day: what lies for ten days keeps a little more than a third of its importance."""
FLOOR = 0.1
"""Where it stops: an old memory is ranked lower, and never lost by it. What was less from the start stays as it was."""


def decayed(importance: float, days: float) -> float:
    """What is left of `importance` after so many days since it was last used, or made where it never was used."""
    return max(importance * math.exp(-RATE * max(days, 0.0)), min(importance, FLOOR))
