"""The same conversations with several models or prompts, some times each: what passes, and what it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import report
from .batch import Manner, Tell, run
from .play import Outcome
from .script import Case

HEADS = ("model", "prompt", "passed", "of", "turns", "requests", "tokens")
EACH = ("passed each time", "tokens each time")


@dataclass(frozen=True, slots=True)
class Arm:
    """One model with one prompt, and what came of all its conversations."""

    model: str
    prompt: str
    """The file of its instructions; empty for those that the scripts give."""
    times: list[list[Outcome]]
    """What came of the conversations, each time that they were played."""

    @property
    def outcomes(self) -> list[Outcome]:
        """What came of all of them."""
        return [one for once in self.times for one in once]

    def row(self) -> dict[str, int | str]:
        """The arm in figures, without durations."""
        return {
            "model": self.model,
            "prompt": self.prompt or "-",
            "passed": _passed(self.outcomes),
            "of": len(self.outcomes),
            "turns": sum(one.turns for one in self.outcomes),
            "requests": sum(one.requests for one in self.outcomes),
            "tokens": _tokens(self.outcomes),
        }

    def spread(self) -> tuple[str, str]:
        """From the least to the most that passed in one of the times, and the tokens that one took."""
        return _span([_passed(once) for once in self.times]), _span([_tokens(once) for once in self.times])

    def as_data(self) -> dict[str, Any]:
        """The arm as JSON, without durations."""
        times = [{"passed": _passed(once), "tokens": _tokens(once)} for once in self.times]
        failures = [
            {"name": one.name, "times": count, **report.failure_data(one.failures[0])} for one, count in self.failed()
        ]
        return {**self.row(), "times": times, "failures": failures}

    def failed(self) -> list[tuple[Outcome, int]]:
        """The conversations that failed, as they did for the first time, each with how often it failed."""
        failed = [one for one in self.outcomes if not one.passed]
        names = [(one.file, one.name) for one in failed]
        return [
            (one, names.count(name))
            for at, (one, name) in enumerate(zip(failed, names, strict=True))
            if name not in names[:at]
        ]

    @property
    def seconds(self) -> float:
        """How long its conversations took, one after the other."""
        return sum(one.seconds for one in self.outcomes)


def _passed(outcomes: Sequence[Outcome]) -> int:
    return sum(one.passed for one in outcomes)


def _tokens(outcomes: Sequence[Outcome]) -> int:
    return sum(one.tokens for one in outcomes)


def _span(figures: Sequence[int]) -> str:
    least, most = min(figures), max(figures)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def told(arm: Arm) -> str:
    """What failed with this arm, each conversation with its first failure; empty where all passed."""
    name = f"{arm.model}, {arm.prompt}" if arm.prompt else arm.model
    lines = []
    for outcome, count in arm.failed():
        often = f" ({count} of {len(arm.times)} times)" if len(arm.times) > 1 else ""
        lines += [f"FAILED with {name}{often}: {outcome.file}: {outcome.name}", report.first_failure(outcome)]
    return "\n".join(lines)


def compare(
    cases: Sequence[Case],
    manner: Manner,
    models: Sequence[str],
    prompts: Sequence[tuple[str, str]],
    times: int,
    tell: Tell,
) -> Iterator[Arm]:
    """Play the cases with each model and each prompt (its file and its text), so many `times` each.

    The model that is compared answers also where a script names another one.
    """
    for model in models:
        for file, text in prompts:
            chosen = replace(manner, model=model, everywhere=True, instructions=text or None)
            yield Arm(model, file, [run(cases, chosen, tell) for _ in range(times)])
