"""What the cosine of two texts that have nothing to do with each other usually is, with an embedder.

With some it is nearly 0, with others .7 or more whatever the texts are about, so that the same cosine tells of an
answer or of nothing. It is measured once for each embedder, on sentences of everyday life about different things, and
kept with the home. An embedder that knows its own says so in `usual_cosine`, and is not asked.
"""

from __future__ import annotations

import contextlib
import json

import numpy as np
from sqlalchemy import Connection, select

from ..errors import HomeError
from ..journal import tables
from ..journal.journal import Journal, Transaction
from . import vectors
from .embedders.base import Embedder
from .view import write_meta

QUESTIONS = (
    "Where did my brother go to school?",
    "How long should rice be boiled?",
    "Which bus goes to the airport?",
    "What did the doctor say about my knee?",
    "When is the rent due?",
    "Who won the chess game on Sunday?",
    "Why does the printer make that noise?",
    "What shall we plant along the fence?",
)
PASSAGES = (
    "The orchestra played two symphonies by Haydn.",
    "She sold her old bicycle to a neighbour.",
    "Interest rates went up in March.",
    "Beat three eggs with some butter.",
    "A storm blew down the oak behind the church.",
    "He writes his reports in the evening.",
    "The museum bought a painting of a harbour.",
    "Our cat sleeps on the radiator all winter.",
)

MOST = 0.95
"""Above this an embedder tells nothing apart."""

_KEY = "archive.usual_cosine"


async def usual_cosine(journal: Journal, embedder: Embedder) -> float:
    """From 0 to `MOST`. Raises EmbedderFailed where it must be measured and cannot."""
    known = getattr(embedder, "usual_cosine", None)
    if known is None:
        known = await journal.read(lambda connection: _stored(connection, embedder.fingerprint))
    if known is None:
        known = await measured(embedder)
        kept = json.dumps({"embedder": embedder.fingerprint, "cosine": known})

        def keep(tx: Transaction) -> None:
            write_meta(tx.connection, _KEY, kept)

        # A home that cannot be written has it measured by each process.
        with contextlib.suppress(HomeError):
            await journal.write(keep)
    return float(known)


async def measured(embedder: Embedder) -> float:
    """The mean over all pairs of a question and a passage; all are pairs of strangers. Raises EmbedderFailed."""
    asked = np.stack(vectors.unit(await embedder.embed_queries(QUESTIONS)))
    said = np.stack(vectors.unit(await embedder.embed_passages(PASSAGES)))
    return min(max(float((asked @ said.T).mean()), 0.0), MOST)


def _stored(connection: Connection, fingerprint: str) -> float | None:
    meta = tables.meta
    found = connection.execute(select(meta.c.value).where(meta.c.key == _KEY)).scalar()
    kept = json.loads(found) if found else {}
    return float(kept["cosine"]) if kept.get("embedder") == fingerprint else None
