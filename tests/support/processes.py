"""Running `pagekeeper` as people do: in processes of its own, on one home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TIMEOUT = 120
"""Seconds after which a process hangs, and the test fails."""


@dataclass(frozen=True)
class Done:
    """What a process printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Its output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Shell:
    """Runs `pagekeeper` on one home, with an environment of its own."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a process, and return at once."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAGEKEEPER_")}
        return subprocess.Popen(
            [sys.executable, "-m", "pagekeeper", *arguments],
            env={**kept, "PAGEKEEPER_HOME": str(self.home), **self.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, stdin: str = "") -> Done:
        """Run a process to its end."""
        return finish(self.start(*arguments), stdin)


def finish(process: subprocess.Popen[str], stdin: str = "") -> Done:
    """Wait for a process to end."""
    try:
        out, err = process.communicate(stdin, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, out, err)
