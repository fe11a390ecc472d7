"""Whether a result has to do with the question at all, whatever its rank: nothing is better than noise.

The curve was fitted on LoCoMo's five development conversations: the turns that answer a question, against the best
results for the same question in a conversation that holds no answer. At one half it keeps 82% of the answers and 9% of
the noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .scene import Scene, Scores

if TYPE_CHECKING:
    from ..query import Gate

import numpy as np

COSINE = 8.5
"""How much the cosine counts ..."""
TERMS = 8.3
"""... and the share of the question's terms that are held ..."""
OFFSET = -3.85
"""... against this, in the logistic curve that gives the relevance."""

WEAK = 0.5
"""Below this relevance a result is weak."""


def shares(scene: Scene) -> Scores:
    """For each candidate, the share of the question's terms that it holds, each by its rarity."""
    if not scene.question.terms:
        return np.zeros(len(scene))
    rarity = np.array([scene.statistics.rarity(term) for term in scene.question.terms])
    total = rarity.sum()
    return np.asarray((scene.counts > 0) @ rarity / total) if total > 0 else np.zeros(len(scene))


def relevance(gate: Gate) -> float:
    """From 0 to 1."""
    return 1 / (1 + math.exp(-(COSINE * gate.cosine + TERMS * gate.terms + OFFSET)))
