"""Whether a result has to do with the question at all, whatever its rank: nothing is better than noise.

The curve was fitted on LoCoMo's five development conversations: the turns that answer a question, against the best
results for the same question in a conversation that holds no answer. At one half it keeps 80% of the answers and 10% of
the noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..stopwords import PARTICLES
from ..terms import is_cjk
from .scene import Scene, Scores

if TYPE_CHECKING:
    from ..query import Gate

COSINE = 8.7
"""How much the cosine counts ..."""
TERMS = 7.0
"""... and the share of the question's terms that are held ..."""
OFFSET = -3.6
"""... against this, in the logistic curve that gives the relevance."""

ORDINARY = 50
"""Rows that are imagined beside those of the scope, ..."""
ORDINARY_SHARE = 0.01
"""... and how many of them hold any one word."""

UNKNOWN = 0.2
"""The cosine that is assumed where none is known, so that the words alone decide."""

WEAK = 0.5
"""Below this relevance a result is weak."""


def shares(scene: Scene) -> Scores:
    """For each candidate, the share of the question's subjects that it holds, each by its rarity.

    A subject is a word, or a Chinese character that is no particle: that is held where a pair of characters with it is.
    """
    terms = scene.question.terms
    subjects = [term for term in terms if not (is_cjk(term) and (len(term) == 2 or term in PARTICLES))]
    if not subjects:
        return np.zeros(len(scene))
    pairs = [term for term in terms if is_cjk(term) and len(term) == 2]
    shows = np.array([[_shows(term, subject, pairs) for subject in subjects] for term in terms], float)
    held = (scene.counts > 0) @ shows > 0
    rarity = np.array([_rarity(scene, subject) for subject in subjects])
    return np.asarray(held @ rarity / rarity.sum())


def _shows(term: str, subject: str, pairs: list[str]) -> bool:
    """Whether a row that holds `term` holds the subject."""
    if term == subject:
        return not any(subject in pair for pair in pairs)
    return term in pairs and is_cjk(subject) and subject in term


def _rarity(scene: Scene, term: str) -> float:
    """As in BM25, but as if a few hundred ordinary rows stood beside those of the scope.

    In a small scope every word of the question that it does not hold would count as very rare.
    """
    holding = scene.statistics.holding(term) + ORDINARY * ORDINARY_SHARE
    return math.log(1 + (scene.statistics.rows + ORDINARY - holding + 0.5) / (holding + 0.5))


def relevance(gate: Gate) -> float:
    """From 0 to 1."""
    # How far it is from strangers (0) to the same text (1). WordLlama's strangers, which the curve was fitted on, are
    # at 0 already.
    cosine = UNKNOWN if gate.cosine is None else (gate.cosine - gate.usual) / (1 - gate.usual)
    return 1 / (1 + math.exp(-(COSINE * cosine + TERMS * gate.terms + OFFSET)))
