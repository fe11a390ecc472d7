"""The columns of the archive's tables: how rows become Arrow's, and how what was found is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from .choices import Kind
from .rows import ArchiveRow, Vector

SEARCHED = [
    "id",
    "thread",
    "place",
    "speaker",
    "terms",
    "length",
    "words",
    "asks",
    "at",
    "importance",
    "fades_from",
    "trust",
    "vector",
]
"""What a search reads of a row."""


@dataclass(slots=True, eq=False)
class Found:
    """A row as a search reads it: what ranking needs, no more."""

    table: Kind
    id: str
    thread: str
    place: int
    speaker: str
    terms: str
    length: int
    words: int
    asks: bool
    at: int
    importance: float
    fades_from: int | None
    trust: float
    vector: Vector | None


def schema(dimension: int) -> pa.Schema:
    """The columns of both tables. Times are microseconds since 1970, UTC."""
    text, number, real = pa.string(), pa.int64(), pa.float32()
    return pa.schema(
        [
            pa.field("id", text, nullable=False),
            pa.field("scope", text),
            pa.field("agent", text),
            pa.field("user", text),
            pa.field("conversation", text),
            pa.field("thread", text),
            pa.field("place", number),
            pa.field("spot", text),
            pa.field("speaker", text),
            pa.field("role", text),
            pa.field("kind", text),
            pa.field("tags", pa.list_(text)),
            pa.field("text", text),
            pa.field("terms", text),
            pa.field("length", pa.int32()),
            pa.field("words", pa.int32()),
            pa.field("asks", pa.bool_()),
            pa.field("at", number),
            pa.field("valid_from", number),
            pa.field("valid_to", number),
            pa.field("expires_at", number),
            pa.field("importance", real),
            pa.field("fades_from", number),
            pa.field("trust", real),
            pa.field("status", text),
            pa.field("embedded", pa.bool_()),
            pa.field("vector", pa.list_(real, dimension)),
        ]
    )


def to_arrow(rows: Sequence[ArchiveRow], dimension: int) -> pa.Table:
    fits = [row.vector is not None and len(row.vector) == dimension for row in rows]
    flat = np.zeros((len(rows), dimension), np.float32)
    for place, row in enumerate(rows):
        if fits[place]:
            flat[place] = row.vector
    columns: dict[str, Any] = {
        name: [getattr(row, name) for row in rows]
        for name in schema(dimension).names
        if name not in ("vector", "embedded")
    }
    columns["embedded"] = fits
    columns["vector"] = pa.FixedSizeListArray.from_arrays(
        pa.array(flat.ravel()), dimension, mask=pa.array([not fit for fit in fits])
    )
    return pa.table(columns, schema=schema(dimension))


def read(kind: Kind, table: pa.Table) -> list[Found]:
    if not table.num_rows:
        return []
    columns = [table.column(name).to_pylist() for name in SEARCHED[:-1]]
    vectors = _vectors(table.column("vector"))
    return [Found(kind, *values) for values in zip(*columns, vectors, strict=True)]


def _vectors(column: pa.ChunkedArray) -> list[Vector | None]:
    out: list[Vector | None] = []
    for part in column.chunks:
        size = part.type.list_size
        # flatten() leaves out the missing ones.
        flat = iter(part.flatten().to_numpy(zero_copy_only=False).reshape(-1, size))
        out += [next(flat) if there else None for there in part.is_valid().to_pylist()]
    return out
