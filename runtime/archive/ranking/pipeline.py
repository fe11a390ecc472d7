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
from .scene import Candidate, Scene, spot
from .weights import DEFAULT, Weights


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate that made it."""

    row: Candidate
    total: float
    """The sum of what the steps gave."""
    score: float
    """From 0 to 1, falling along the results."""
    gate: Gate
    explain: dict[str, float]


def fused(
    question: Question,
    vector: Vector | None,
    candidates: Sequence[Candidate],
    statistics: Statistics,
    weights: Weights = DEFAULT,
    beside: Sequence[Candidate] = (),
) -> Scene:
    """The scene with the two arms fused. `vector` is that of the masked question, where there is one."""
    scene = Scene(question, vector, candidates, statistics, weights, beside)
    scene.parts = {step.__name__: step(scene) for step in steps.ARMS}
    scene.base = np.sum(list(scene.parts.values()), axis=0)
    return scene


def spots_beside(scene: Scene) -> list[str]:
    """The places beside the best candidates whose rows are not known: they lend to them, and may be answers."""
    weights = scene.weights
    reach = max(len(weights.before), len(weights.after))
    out: dict[str, None] = {}
    for i in np.argsort(-scene.base, kind="stable")[: weights.beside]:
        row = scene.candidates[int(i)]
        if row.thread:
            known = scene.threads[row.thread]
            places = [row.place + by for by in range(-reach, reach + 1) if row.place + by not in known]
            out.update((spot(row.thread, place), None) for place in places)
    return list(out)


def ranked(scene: Scene, limit: int, usual: float) -> list[Ranked]:
    """The best `limit` candidates, best first. `usual` is the embedder's cosine of strangers, for the gate."""
    if not len(scene):
        return []
    weights = scene.weights
    scale, cue_scale = steps.scale(scene, weights.full_scale), steps.scale(scene, weights.cue_scale)
    parts = scene.parts | {step.__name__: scale**2 * step(scene) for step in steps.CONTEXT}
    parts |= {step.__name__: scale * step(scene) for step in steps.BONUSES}
    parts |= {step.__name__: cue_scale * step(scene) for step in steps.CUES}
    parts["more"] = scale * steps.more(scene, np.sum(list(parts.values()), axis=0))
    total = np.sum(list(parts.values()), axis=0)
    chosen = [int(i) for i in np.argsort(-total, kind="stable")[:limit]]
    shares = gate.shares(scene)
    meant = scene.has_cosine if scene.question.meaning >= 0.5 else np.zeros(len(scene), bool)
    cosines = [round(float(scene.cosine[i]), 6) if meant[i] else None for i in chosen]
    gates = [Gate(cosine, float(shares[i]), usual) for i, cosine in zip(chosen, cosines, strict=True)]
    # A result's score is how sure it or anything after it is: so scores fall along the results.
    shown = np.maximum.accumulate([found.relevance() for found in gates][::-1])[::-1]
    return [
        Ranked(
            scene.candidates[i],
            float(total[i]),
            round(float(score), 4),
            found,
            {name: round(float(part[i]), 4) for name, part in parts.items()},
        )
        for i, score, found in zip(chosen, shown, gates, strict=True)
    ]
