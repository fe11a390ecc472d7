"""The parent's side of child.py: starting such processes, telling them what to do, and reading what they say."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Child:
    """A process that talks to the agent `ada` of a home."""

    def __init__(
        self,
        home: Path,
        conversation: str = "main",
        *,
        window: int = 128_000,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.effects = home.parent / "effects"
        self.effects.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAGEKEEPER_")}
        program = [sys.executable, "-m", "pagekeeper.tests.support.child"]
        self.process = subprocess.Popen(
            [*program, str(home), conversation, str(window), str(self.effects)],
            env={**kept, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.seen: list[dict[str, Any]] = []
        """Every line that was read."""

    def tell(self, **command: Any) -> None:
        """Give one command. Nothing is said of it where the process has died."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it writes, until it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.seen.append(json.loads(line))
                yield self.seen[-1]

    def until(self, key: str, value: Any = None) -> dict[str, Any]:
        """The next line that has `key`, and there `value` if one is given."""
        for line in self.lines():
            if key in line and (value is None or line[key] == value):
                return line
        raise AssertionError(f"the process ended without {key} {value}; it wrote {self.seen}")

    def kill(self) -> None:
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Say that there will be no more commands: it finishes what it does, and ends."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def end(self) -> int:
        """Let it finish, read the rest of what it writes, and return its exit status."""
        self.close()
        for _line in self.lines():
            pass
        return self.process.wait()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
