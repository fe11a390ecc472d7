"""The ranking as a whole: keep the best of each arm, score, cut. Near-duplicates go after it, where texts are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..query import Gate
from ..rows import Vector
from ..statistics import Statistics
from . import gate, steps
from .question import Question
from .scene import Candidate, Scene, Scores
from .weights import DEFAULT, Weights


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate that made it."""

    row: Candidate
    score: float
    """From 0 to 1, falling along the results."""
    gate: Gate
    explain: dict[str, float]


def rank(
    question: Question,
    vector: Vector | None,
    candidates: Sequence[Candidate],
    statistics: Statistics,
    limit: int,
    weights: Weights = DEFAULT,
) -> list[Ranked]:
    """The best `limit` of `candidates`, best first. `vector` is that of the masked question, where there is one."""
    # Equal scores keep one order, wherever the candidates came from.
    scene = Scene(question, vector, sorted(candidates, key=lambda row: row.id), statistics, weights)
    if not len(scene):
        return []
    parts: dict[str, Scores] = {step.__name__: step(scene) for step in steps.ARMS}
    scene.base = np.sum(list(parts.values()), axis=0)
    parts |= {step.__name__: step(scene) for step in steps.CONTEXT}
    total = np.sum(list(parts.values()), axis=0)
    chosen = [int(i) for i in np.argsort(-total, kind="stable")[:limit]]
    shares = gate.shares(scene)
    gates = [Gate(float(max(scene.cosine[i], 0.0)), float(shares[i])) for i in chosen]
    # A result's score is how sure it or anything after it is: so scores fall along the results.
    shown = np.maximum.accumulate([found.relevance() for found in gates][::-1])[::-1]
    return [
        Ranked(
            scene.candidates[i],
            round(float(score), 4),
            found,
            {name: round(float(part[i]), 4) for name, part in parts.items()},
        )
        for i, score, found in zip(chosen, shown, gates, strict=True)
    ]
