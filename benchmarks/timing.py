"""What the benchmarks share: medians of times, a line about the machine, and a home in a temporary folder."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


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
        goal = f"   goal {self.goal:g}" if self.goal is not None else ""
        return f"{self.name:<58}{self.p50:9.2f}{self.p95:9.2f}{goal}"


@dataclass(frozen=True, slots=True)
class Ratio:
    """How often one figure holds another one."""

    name: str
    value: float
    goal: float

    def line(self) -> str:
        return f"{self.name:<58}{self.value:9.2f} x{'':8}goal {self.goal:g}"


def machine() -> str:
    """Where this was measured, and how busy it was."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}, load {load:.1f}"


def report(times: list[Times], ratios: list[Ratio], *, as_json: bool) -> None:
    """Print what was measured."""
    if as_json:
        shown = {each.name: {"p50": each.p50, "p95": each.p95, "goal": each.goal} for each in times}
        ratio = {each.name: {"ratio": each.value, "goal": each.goal} for each in ratios}
        print(json.dumps({"machine": machine(), "milliseconds": shown, "ratios": ratio}, indent=2))
        return
    print(machine())
    print(f"{'milliseconds':<58}{'p50':>9}{'p95':>9}")
    for line in [each.line() for each in times] + [each.line() for each in ratios]:
        print(line)
