"""The search with parts of its ranking off, to see what each is worth."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..runtime.archive.ranking.weights import DEFAULT, Weights


@dataclass(frozen=True, slots=True)
class Arm:
    """A ranking other than the one that comes."""

    name: str
    weights: Weights


_NO_CONTEXT = replace(
    DEFAULT,
    before=(),
    after=(),
    beside=0,
    session=0,
    speaker=0,
    voice=0,
    time=0,
    length=0,
    asks=0,
    recency=0,
    more=0,
)

ARMS = (
    Arm("without neighbours", replace(DEFAULT, before=(), after=(), beside=0)),
    Arm("without looking neighbours up", replace(DEFAULT, beside=0)),
    Arm("without session", replace(DEFAULT, session=0)),
    Arm("without speaker", replace(DEFAULT, speaker=0)),
    Arm("without voice", replace(DEFAULT, voice=0)),
    Arm("without time", replace(DEFAULT, time=0)),
    Arm("without length", replace(DEFAULT, length=0)),
    Arm("without asks", replace(DEFAULT, asks=0)),
    Arm("without recency", replace(DEFAULT, recency=0)),
    Arm("without more", replace(DEFAULT, more=0)),
    Arm("without twin", replace(DEFAULT, twin=0)),
    Arm("with single characters in full", replace(DEFAULT, character=1.0)),
    Arm("without masking", replace(DEFAULT, mask_share=1.0)),
    Arm("without scale", replace(DEFAULT, full_scale=1e-9, cue_scale=1e-9)),
    Arm("without the vector's score", replace(DEFAULT, dense=0)),
    Arm("without the words' score", replace(DEFAULT, lexical=0)),
    Arm("full text alone", replace(_NO_CONTEXT, dense=0)),
    Arm("vector alone", replace(_NO_CONTEXT, lexical=0)),
    Arm("both, and nothing else", _NO_CONTEXT),
)
"""Each step off in turn, then what is left of two and of one."""
