"""The steps of the ranking. Each gives every candidate its part of the score; the sum decides the order.

`lexical` and `dense` are the two arms, fused as scores (ranks would throw away how sure an arm is); the others build
on their sum, `scene.base`.
"""

from __future__ import annotations

import math

import numpy as np

from ...ageing.decay import decayed
from .scene import Candidate, Scene, Scores, is_document
from .weights import DAY


def lexical(scene: Scene) -> Scores:
    """BM25, in deviations from the mean over the scope: the rows that are no candidates hold no term, near enough."""
    rows = max(scene.statistics.rows, len(scene), 1)
    mean = scene.bm25.sum() / rows
    spread = math.sqrt(max((scene.bm25**2).sum() / rows - mean**2, 0.0))
    # Where the vector means little, the words must decide.
    weight = scene.weights.lexical + scene.weights.dense * (1 - scene.question.meaning)
    return weight * (scene.bm25 - mean) / spread if spread > 1e-9 else np.zeros(len(scene))


def dense(scene: Scene) -> Scores:
    """Cosine with the masked question, in deviations from the mean over the scope; the mean where there is none."""
    if scene.vector is None or not scene.has_cosine.any():
        return np.zeros(len(scene))
    mean, spread = scene.statistics.usual_cosine(scene.vector)
    if spread <= 1e-6:
        return np.zeros(len(scene))
    weight = scene.weights.dense * scene.question.meaning
    return np.where(scene.has_cosine, weight * (scene.cosine - mean) / spread, 0.0)


def neighbours(scene: Scene) -> Scores:
    """What the rows before and after lend. An answer often stands beside the words that ask for it."""
    out = np.zeros(len(scene))
    offsets = [(-1 - i, weight) for i, weight in enumerate(scene.weights.before)]
    offsets += [(1 + i, weight) for i, weight in enumerate(scene.weights.after)]
    for i, row in enumerate(scene.candidates):
        if row.thread:
            places = scene.threads[row.thread]
            out[i] = sum(
                weight * scene.base[places[row.place + by]] for by, weight in offsets if row.place + by in places
            )
    return out


def session(scene: Scene) -> Scores:
    """What the two best of the same session or document lend: it is about the question as a whole."""
    out = np.zeros(len(scene))
    for places in scene.threads.values():
        members = list(places.values())
        out[members] = scene.weights.session * sum(sorted(scene.base[members])[-2:]) / 2
    for i, row in enumerate(scene.candidates):
        if not row.thread:
            out[i] = scene.weights.session * scene.base[i] / 2
    return out


def speaker(scene: Scene) -> Scores:
    """For the words of the one person that the question names."""
    if len(scene.question.named) != 1:
        return np.zeros(len(scene))
    return np.array([scene.weights.speaker * (row.speaker in scene.question.named) for row in scene.candidates])


def voice(scene: Scene) -> Scores:
    """For the words of the one of user and assistant whom the question is about: "my" work is told by the user.

    What has no speaker was noted down, mostly about the user.
    """
    if len(scene.question.about) != 1:
        return np.zeros(len(scene))
    wanted = scene.question.about | ({""} if "user" in scene.question.about else set())
    return np.array([scene.weights.voice * (row.speaker in wanted) for row in scene.candidates])


def time(scene: Scene) -> Scores:
    """For a date that fits one in the question."""
    if not scene.question.spans:
        return np.zeros(len(scene))
    weights = scene.weights
    spans = [(start - weights.time_before, end + weights.time_after) for start, end in scene.question.spans]
    return np.array([weights.time * any(a <= row.at < b for a, b in spans) for row in scene.candidates])


def length(scene: Scene) -> Scores:
    """For saying more."""
    weights = scene.weights
    return np.array([weights.length * math.log1p(min(row.words, weights.length_most)) for row in scene.candidates])


def asks(scene: Scene) -> Scores:
    """For being a question, the less the more is said before it."""
    weights = scene.weights
    return np.array(
        [weights.asks * min(1.0, weights.asks_words / max(row.words, 1)) * row.asks for row in scene.candidates]
    )


def recency(scene: Scene) -> Scores:
    """For being new."""
    weights, now = scene.weights, scene.question.now
    ages = np.array([max(now - row.at, 0) / weights.half_life for row in scene.candidates])
    return np.asarray(weights.recency * 0.5 ** np.minimum(ages, 60.0))


def worth(scene: Scene) -> Scores:
    """For what is left of its importance, for trust, and for having been archived."""
    weights = scene.weights
    return np.array(
        [
            weights.importance * (_importance(row, scene.question.now) - 0.5)
            + weights.trust * (row.trust - 0.5)
            + weights.passage * (row.table == "passage")
            for row in scene.candidates
        ]
    )


def _importance(row: Candidate, now: int) -> float:
    return row.importance if row.fades_from is None else decayed(row.importance, (now - row.fades_from) / DAY)


def more(scene: Scene, total: Scores) -> Scores:
    """For coming from a text of which so many better chunks are there already: else one long text is all results."""
    out = np.zeros(len(scene))
    for thread, places in scene.threads.items():
        if is_document(thread):
            members = sorted(places.values(), key=lambda i: -total[i])
            out[members] = scene.weights.more * np.arange(len(members))
    return out


def scale(scene: Scene, full: float) -> float:
    """What the steps beside the arms are multiplied by; `full` is the root of the number of rows where it reaches 1.

    Among n rows no score is more than the root of n deviations above the mean. So in a small scope, where the arms can
    tell little apart, a bonus of fixed size would drown them.
    """
    return min(1.0, math.sqrt(scene.statistics.rows) / full)


ARMS = (lexical, dense)
CONTEXT = (neighbours, session)
"""They tell the less, the fewer rows there are to be beside, so they shrink with their number, not with its root."""
CUES = (speaker, voice, time)
"""The question itself asks for them."""
BONUSES = (length, asks, recency, worth)
"""They know nothing of the question."""
