"""Keeping the C library from holding on to the large pieces of memory that LanceDB reads and lets go of."""

from __future__ import annotations

import ctypes
import os
import sys

LARGE = 512 * 1024
"""Bytes from which on a piece of memory is taken from the system by itself, and goes back to it as a whole."""

_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD, from malloc.h."""
_SETTINGS = ("MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
"""Where a user may have decided it (mallopt(3))."""


def return_large_pieces() -> bool:
    """Have large pieces go back to the system; returns whether that could be set.

    glibc raises this bound, to 32 MB, as soon as a larger piece is let go of. From then on the parts of indexes, which
    are read anew with each version of a table, lie between small pieces that stay, and keep what is around them: a
    process that searched through 12 rounds of upkeep held 480 MiB rather than 360. Elsewhere there is no such rule.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _SETTINGS):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_MMAP_THRESHOLD, LARGE))
