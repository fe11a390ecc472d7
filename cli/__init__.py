"""The command line. `main` is the entry point; nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 failed, 2 usage."""
    from .parser import build

    build().parse_args(sys.argv[1:] if arguments is None else list(arguments))
    return 0
