"""Every number of the ranking, in one place.

The values were fitted on five conversations of LoCoMo (one passage a turn, no language model), where the parts are
worth, in points of recall@10: neighbours and session 7, speaker 3, masking 2, stemming and stop words 2, looking up the
neighbours that no arm brought 2, length .7, dates .6, question mark .3. `character`, `cue_scale` and `twin` come from
the Chinese messages of MemDaily, `voice` and `asks_words` from two long chats of BEAM, `more` from those archived in
chunks; they change next to nothing on LoCoMo. All are a start, not a law: `pagekeeper eval recall --arms` shows what
each is worth on which set.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..terms import is_cjk

DAY = 86_400_000_000
"""Microseconds."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each step; scores are in deviations from what is usual in the scope."""

    arm: int = 100
    """Candidates that each arm, vector and full text, brings from each place."""
    lexical: float = 0.5
    dense: float = 0.5
    k1: float = 0.9
    """BM25: how soon a term's repetitions stop counting."""
    b: float = 0.4
    """BM25: how much a long text is discounted."""
    character: float = 0.3
    """BM25: what one character of Chinese counts. A pair is nearer to a word, and whoever holds it holds both again."""
    before: tuple[float, ...] = (0.35, 0.2)
    """What the one before, and the one before that, lend to a row of the same thread."""
    after: tuple[float, ...] = (0.2,)
    beside: int = 25
    """The best candidates whose neighbours are looked up where no arm has brought them."""
    session: float = 0.6
    """For the mean of the two best of the same thread."""
    speaker: float = 3.0
    """For words of the one person that the question names."""
    voice: float = 3.0
    """For words of the user where the question says "I", of the assistant where it says "you": as good as a name."""
    time: float = 3.0
    """For a date that fits a date in the question ..."""
    time_before: int = DAY
    """... or lies this much before it ..."""
    time_after: int = 10 * DAY
    """... or after it: people speak of things afterwards."""
    length: float = 0.9
    """For the logarithm of the number of words, ..."""
    length_most: int = 100
    """... up to this many."""
    asks: float = -0.9
    """For ending with a question mark: questions hold few answers. Of a text of more than ..."""
    asks_words: int = 20
    """... so many words, their share of it counts: who says much before asking has told something."""
    recency: float = 0.2
    """For being new; halved with every `half_life`."""
    half_life: int = 30 * DAY
    importance: float = 1.0
    """For importance above the usual one half, and less for one below."""
    trust: float = 1.0
    """For trust above the usual one half, and less for one below."""
    full_scale: float = 12.0
    """The root of the number of rows from which on the context and the bonuses count in full, ..."""
    cue_scale: float = 5.0
    """... and from which on the speaker and the time do, which the question itself names."""
    passage: float = 0.3
    """For an archived passage beside messages: someone thought it worth keeping."""
    more: float = -2.0
    """For each better chunk of the same text."""
    twin: float = -1.0
    """For saying again what a better result says."""
    mask_share: float = 0.15
    """A word of the question that more rows than this hold is left out of its vector, ..."""
    mask_rows: int = 50
    """... where there are at least so many rows."""

    def term(self, term: str) -> float:
        """How much a term counts beside its rarity."""
        return self.character if len(term) == 1 and is_cjk(term) else 1.0

    def length_norm(self, length: float, mean: float) -> float:
        """BM25's discount for the length of a text, against the mean length."""
        return self.k1 * (1 - self.b + self.b * length / max(mean, 1.0))


DEFAULT = Weights()
