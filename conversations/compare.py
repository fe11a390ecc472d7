"""The same conversations with several models or prompts, some times each: what passes, and what it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .batch import Manner, Tell, run
from .play import Outcome
from .script import Case

HEADS = ("model", "prompt", "passed", "of", "turns", "requests", "tokens", "seconds")


@dataclass(frozen=True, slots=True)
class Arm:
    """One model with one prompt, and what came of all its conversations."""

    model: str
    prompt: str
    """The file of its instructions; empty for those that the scripts give."""
    outcomes: list[Outcome]

    def row(self) -> dict[str, int | str]:
        """The arm in figures, without durations."""
        return {
            "model": self.model,
            "prompt": self.prompt or "-",
            "passed": sum(one.passed for one in self.outcomes),
            "of": len(self.outcomes),
            "turns": sum(one.turns for one in self.outcomes),
            "requests": sum(one.requests for one in self.outcomes),
            "tokens": sum(one.tokens for one in self.outcomes),
        }

    @property
    def seconds(self) -> float:
        """How long its conversations took, one after the other."""
        return sum(one.seconds for one in self.outcomes)


def compare(
    cases: Sequence[Case],
    manner: Manner,
    models: Sequence[str],
    prompts: Sequence[tuple[str, str]],
    times: int,
    tell: Tell,
) -> Iterator[Arm]:
    """Play the cases with each model and each prompt (its file and its text), so many `times` each."""
    for model in models:
        for file, text in prompts:
            chosen = replace(manner, model=model, instructions=text or None)
            yield Arm(model, file, [one for _ in range(times) for one in run(cases, chosen, tell)])
