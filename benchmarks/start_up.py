"""How long `pagekeeper` takes to start: python benchmarks/start_up.py [RUNS]

Prints medians in milliseconds: the help, commands that only read, and the time until the app has painted in a terminal.
Nothing slow may be imported before the first paint, so it is measured with a model that would need litellm.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence

COMMAND = (sys.executable, "-m", "pagekeeper")
PAINTED = b"core memory"
"""The title of the panel of blocks; it comes with the first picture."""


def main(runs: int) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PAGEKEEPER_HOME": os.path.join(folder, "home"), "PAGEKEEPER_MODEL": "openai/x"}

        def run(*command: str) -> Callable[[], object]:
            return lambda: subprocess.run(command, env=environment, check=True, capture_output=True)

        run(*COMMAND, "agents", "create", "main")()
        measured: dict[str, Callable[[], object]] = {
            "python -c pass": run(sys.executable, "-c", "pass"),
            "pagekeeper --help": run(*COMMAND, "--help"),
            "pagekeeper memory --help": run(*COMMAND, "memory", "--help"),
            "pagekeeper agents list": run(*COMMAND, "agents", "list"),
            "pagekeeper memory show": run(*COMMAND, "memory", "show"),
            "pagekeeper, first paint": lambda: paint(COMMAND, environment),
        }
        for name, work in measured.items():
            times = [_timed(work) for _ in range(runs)]
            print(f"{name:<28}{statistics.median(times):7.0f} ms   (worst {max(times):.0f})", flush=True)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def paint(command: Sequence[str], environment: dict[str, str]) -> None:
    """Start the app in a terminal of 120x40, wait for its first picture, and end it."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**environment, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(follower)
    try:
        seen = b""
        while PAINTED not in seen:
            if not select.select([leader], [], [], 30)[0]:
                raise TimeoutError(f"nothing was painted: {seen[-500:]!r}")
            seen += os.read(leader, 65536)
    finally:
        process.kill()
        process.wait()
        os.close(leader)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
