"""Places where a test may kill the process, to see that nothing is lost there.

A failpoint does nothing unless PAGEKEEPER_FAILPOINT names it, as NAME or as NAME@3 for the third time it is reached;
then the process kills itself as `kill -9` would.
"""

from __future__ import annotations

import os
import signal

_wanted, _, _count = os.environ.get("PAGEKEEPER_FAILPOINT", "").partition("@")
_left = int(_count or 1)


def reach(name: str) -> None:
    """Say that the failpoint `name` is reached."""
    global _left
    if name != _wanted:
        return
    _left -= 1
    if _left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
