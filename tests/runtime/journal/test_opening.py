"""Opening a journal that other processes are opening, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HOMES = 40

OPENS = """
import sys
from pathlib import Path
from pagekeeper.runtime.clock import SystemClock
from pagekeeper.runtime.ids import RandomIds
from pagekeeper.runtime.journal.journal import Journal

for home in sys.stdin:
    Journal.open(Path(home.strip()), clock=SystemClock(), ids=RandomIds()).close()
    print("opened", flush=True)
"""


def test_several_processes_make_a_home_at_once(tmp_path: Path) -> None:
    opening = [
        subprocess.Popen([sys.executable, "-c", OPENS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for number in range(HOMES):
        home = tmp_path / str(number)
        home.mkdir()
        for process in opening:
            assert process.stdin is not None
            process.stdin.write(f"{home}\n")
            process.stdin.flush()
        for process in opening:
            assert process.stdout is not None
            assert process.stdout.readline() == "opened\n"
    for process in opening:
        process.communicate()
        assert process.returncode == 0
