"""How long `pagekeeper` takes to start.

    python benchmarks/start_up.py [--runs 10] [--json]

Prints milliseconds, each of a process of its own: the help, commands that only read, `ask` with the offline model from
end to end, the import of the app, and the time until it has painted in a terminal. Nothing slow may be imported before
the first paint, so it is measured with a model that would need litellm.
"""

from __future__ import annotations

import argparse
import fcntl
import itertools
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence

from pagekeeper.benchmarks.timing import Times, report

COMMAND = (sys.executable, "-m", "pagekeeper")
PAINTED = b"core memory"
"""The title of the panel of blocks; it comes with the first picture."""


def measure(runs: int) -> list[Times]:
    """Run each command so often, turn and turn about."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PAGEKEEPER_HOME": os.path.join(folder, "home"), "PAGEKEEPER_MODEL": "openai/x"}
        number = itertools.count()

        def run(*command: str) -> Callable[[], object]:
            return lambda: subprocess.run(command, env=environment, check=True, capture_output=True)

        def ask() -> None:
            run(*COMMAND, "--model", "offline", "ask", f"Remember that my locker has the number {next(number)}.")()

        run(*COMMAND, "agents", "create", "main")()
        work: list[tuple[Times, Callable[[], object]]] = [
            (Times("python -c pass"), run(sys.executable, "-c", "pass")),
            (Times("pagekeeper --help", goal=300), run(*COMMAND, "--help")),
            (Times("pagekeeper memory --help"), run(*COMMAND, "memory", "--help")),
            (Times("pagekeeper agents list"), run(*COMMAND, "agents", "list")),
            (Times("pagekeeper memory show"), run(*COMMAND, "memory", "show")),
            (Times("pagekeeper ask (offline, it keeps a fact)"), ask),
            (Times("python -c 'import pagekeeper.tui.app'"), run(sys.executable, "-c", "import pagekeeper.tui.app")),
            (Times("pagekeeper, first paint"), lambda: paint(COMMAND, environment)),
        ]
        for _ in range(runs):
            for times, command in work:
                start = time.perf_counter()
                command()
                times.all.append((time.perf_counter() - start) * 1000)
        return [times for times, _ in work]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report(measure(given.runs), [], as_json=given.json)


if __name__ == "__main__":
    main()
