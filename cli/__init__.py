"""The command line. `main` is the entry point of `pagekeeper` and of `python -m pagekeeper`.

A module per group of commands: each adds its grammar (`add`) and runs it (`run`, by `set_defaults`). The grammar is
built at every start, so these modules import nothing heavy at their top; what a command needs it imports when it runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

DONE, FAILED, USAGE = 0, 1, 2
"""The exit statuses."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 failed, 2 usage."""
    from .output import complain, forgiving, printing

    forgiving(sys.stdout)
    try:
        status = _run(sys.argv[1:] if arguments is None else list(arguments))
        with printing():
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader has left (`| head`). Python would complain again when it flushes at exit.
        _silence()
        return FAILED
    except KeyboardInterrupt:
        complain("interrupted")
        return FAILED
    except Exception as error:
        return _failed(error)


def _run(arguments: list[str]) -> int:
    from .parser import parse

    try:
        options = parse(arguments)
        return int(options.run(options))
    except SystemExit as exit:  # argparse has said its help, or what is wrong
        return int(exit.code or DONE)


def _silence() -> None:
    """Let what is still to be written on standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: Exception) -> int:
    """Say in one line what went wrong, and what helps. The traceback is for those who ask for it."""
    from ..runtime.errors import ConfigError, OutputFailed, PagekeeperError, UsageError
    from .output import complain

    if os.environ.get("PAGEKEEPER_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OutputFailed) and sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError:
            _silence()
    if isinstance(error, PagekeeperError):
        complain(error.message, error.hint)
        return USAGE if isinstance(error, UsageError | ConfigError) else FAILED
    complain(f"{type(error).__name__}: {error}", "This is a fault of Pagekeeper; PAGEKEEPER_DEBUG=1 shows where.")
    return FAILED
