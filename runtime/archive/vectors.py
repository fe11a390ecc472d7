"""The vectors of passages and messages in the journal's database."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sqlalchemy import Connection, delete, insert, select

from ..errors import EmbedderMismatch
from ..journal import tables
from .rows import Vector

SPACE = "archive.embedder"
"""The key in `meta` of the fingerprint of the embedder whose vectors are searched."""


def current_space(connection: Connection) -> str | None:
    """The fingerprint of the embedder whose vectors are searched; None before the first."""
    return connection.execute(select(tables.meta.c.value).where(tables.meta.c.key == SPACE)).scalar()


def claim(connection: Connection, space: str) -> None:
    """Say that vectors of `space` are to be stored. Raises EmbedderMismatch if the home has those of another."""
    known = current_space(connection)
    if known is None:
        connection.execute(insert(tables.meta), {"key": SPACE, "value": space})
    else:
        check(known, space)


def check(known: str | None, space: str) -> None:
    """Raise EmbedderMismatch if the home was embedded by another embedder than `space`."""
    if known is not None and known != space:
        raise EmbedderMismatch(
            f"This home was embedded by {known}, and the embedder that is set is {space}.",
            hint="Set the former again, or run `pagekeeper memory re-embed` to embed everything anew.",
        )


def dimension(connection: Connection, space: str) -> int | None:
    """The length of the vectors of a space; None where there are none yet."""
    found = connection.execute(select(tables.vectors.c.vector).where(tables.vectors.c.space == space).limit(1)).scalar()
    return len(found) // 4 if found is not None else None


def store(connection: Connection, space: str, vectors: Iterable[tuple[str, Vector]], *, new: bool = False) -> None:
    """Keep the vectors of items in the embedder's `space`, in place of older ones; `new` items have none."""
    rows = [{"item": item, "space": space, "vector": vector.astype(np.float32).tobytes()} for item, vector in vectors]
    if not rows:
        return
    table = tables.vectors
    for start in range(0, len(rows), 500):
        some = rows[start : start + 500]
        if not new:
            ids = [row["item"] for row in some]
            connection.execute(delete(table).where(table.c.space == space, table.c.item.in_(ids)))
        connection.execute(insert(table), some)


def unit(raw: Iterable[Iterable[float]]) -> list[Vector]:
    """Vectors of length one; one without a direction (of an empty text) becomes all zeros."""
    out = []
    for values in raw:
        vector = np.nan_to_num(np.asarray(values, np.float32))
        size = float(np.linalg.norm(vector))
        out.append(vector / size if size > 0 else np.zeros_like(vector))
    return out
