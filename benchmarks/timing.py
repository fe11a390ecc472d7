"""What the benchmarks share: medians of times, figures with their goals, and a line about the machine."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Times:
    """Milliseconds of the runs of one thing."""

    name: str
    all: list[float] = field(default_factory=list)
    goal: float | None = None
    """The most that the median may be."""

    @property
    def p50(self) -> float:
        return statistics.median(self.all)

    @property
    def p95(self) -> float:
        return sorted(self.all)[int(len(self.all) * 0.95)]

    async def run(self, work: Callable[[], Awaitable[object]]) -> None:
        """Time one run."""
        start = time.perf_counter()
        await work()
        self.all.append((time.perf_counter() - start) * 1000)

    def line(self) -> str:
        return f"{self.name:<58}{self.p50:9.2f}{self.p95:9.2f}{_goal(self.p50, self.goal)}"


@dataclass(frozen=True, slots=True)
class Ratio:
    """How often one figure holds another one."""

    name: str
    value: float
    goal: float

    def line(self) -> str:
        return f"{self.name:<58}{self.value:9.2f} x{'':7}{_goal(self.value, self.goal)}"


@dataclass(frozen=True, slots=True)
class Figure:
    """Anything else that was counted."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    """The most that it may be."""

    def line(self) -> str:
        return f"{self.name:<58}{self.value:9,.1f} {self.unit:<8}{_goal(self.value, self.goal)}"


def _goal(value: float, goal: float | None) -> str:
    return "" if goal is None else f"   goal {goal:g}{'' if value <= goal else '  MISSED'}"


def machine() -> str:
    """Where this was measured, and how busy it was."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}, load {load:.1f}"


def resident() -> float:
    """MiB of this process that are in memory now; not a number where the system does not tell."""
    return _memory("VmRSS")


def peak() -> float:
    """MiB that this process had in memory at most; not a number where the system does not tell."""
    # Not getrusage: there a process that was started by a large one counts as large.
    return _memory("VmHWM")


def _memory(name: str) -> float:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return float("nan")
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024


def report(
    times: Sequence[Times], ratios: Sequence[Ratio], figures: Sequence[Figure] = (), *, as_json: bool = False
) -> None:
    """Print what was measured."""
    if as_json:
        shown = {each.name: {"p50": each.p50, "p95": each.p95, "goal": each.goal} for each in times}
        ratio = {each.name: {"ratio": each.value, "goal": each.goal} for each in ratios}
        more = {each.name: {"value": each.value, "unit": each.unit, "goal": each.goal} for each in figures}
        print(json.dumps({"machine": machine(), "milliseconds": shown, "ratios": ratio, "figures": more}, indent=2))
        return
    print(machine())
    print(f"{'milliseconds':<58}{'p50':>9}{'p95':>9}")
    for line in [each.line() for each in times] + [each.line() for each in ratios] + [each.line() for each in figures]:
        print(line)
