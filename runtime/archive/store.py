"""One generation of the archive's tables in LanceDB. Everything in it comes from the journal and can be made again.

This is the only module that imports LanceDB. It is imported late, since that takes over a second.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

# Lance warns on stderr about what is no trouble of ours; it reads this when it is imported.
os.environ.setdefault("LANCEDB_LOG", "error")

import lancedb
import pyarrow as pa
from lancedb.index import FTS, Bitmap, BTree, IvfSq, LabelList
from lancedb.query import MatchQuery

from ..errors import ArchiveBroken, HomeFull, HomeReadOnly
from .allocator import return_large_pieces
from .choices import TABLES, Kind
from .filters import literals
from .rows import ArchiveRow, Vector
from .view import REBUILD, ArchiveMissing, folder_of

return_large_pieces()

# LanceDB's types are only half declared, so its objects are untyped here.
_Table = Any
_Connection = Any

_NAMES = {"passage": "passages", "message": "messages"}

_PROBES = 20
"""Partitions of the vector index that are searched at least; more, where a filter leaves too few rows."""

_INDEX_CACHE = 64 * 2**20
"""Bytes of the indexes that are kept in memory: those of 100,000 rows take 40 MB. More are read again, from
the system's own cache of files mostly."""
_METADATA_CACHE = 32 * 2**20

_SEARCHED = [
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


@dataclass(frozen=True, slots=True)
class Shape:
    """How a table lies on the disk."""

    rows: int
    fresh: int
    """Rows that were written since the last optimize: they are in no index yet."""
    fragments: int
    indexes: int
    vector_parts: int | None
    """Parts of the vector index; None where there is no index."""


def matching(terms: Iterable[str]) -> Any:
    """A full-text query for rows that hold any of `terms`; nothing in them is syntax."""
    query: Any = MatchQuery
    return query(" ".join(terms), "terms")


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


class Generation:
    """The two tables in a folder of their own."""

    def __init__(
        self, folder: Path, number: int, connection: _Connection, opened: dict[Kind, _Table], dimension: int
    ) -> None:
        self.folder = folder
        self.number = number
        self.dimension = dimension
        self._connection = connection
        self._tables = opened

    @classmethod
    async def create(cls, archive: Path, number: int, dimension: int) -> Generation:
        """Make the tables, empty, with the indexes that must be there from the start."""
        folder = folder_of(archive, number)
        with guarded(folder):
            connection = await _connect(folder)
            made: dict[Kind, _Table] = {}
            for kind in TABLES:
                table = await connection.create_table(_NAMES[kind], schema=schema(dimension))
                await table.set_unenforced_primary_key("id")
                for column in ("id", "at", "spot"):
                    await table.create_index(column, config=BTree())
                for column in ("scope", "status", "embedded"):
                    await table.create_index(column, config=Bitmap())
                await table.create_index("tags", config=LabelList())
                # The terms are made by our own tokenizer, so LanceDB only has to part them.
                await table.create_index(
                    "terms",
                    config=FTS(
                        base_tokenizer="whitespace",
                        lower_case=False,
                        stem=False,
                        remove_stop_words=False,
                        ascii_folding=False,
                        with_position=False,
                    ),
                )
                made[kind] = table
            return cls(folder, number, connection, made, dimension)

    @classmethod
    async def open(cls, archive: Path, number: int) -> Generation:
        """Open the tables. Raises ArchiveMissing where there are none, and ArchiveBroken where they are damaged."""
        folder = folder_of(archive, number)
        if not all((folder / f"{name}.lance").is_dir() for name in _NAMES.values()):
            raise ArchiveMissing(f"There is no archive in {folder}.", hint=REBUILD)
        with guarded(folder):
            connection = await _connect(folder)
            opened: dict[Kind, _Table] = {kind: await connection.open_table(_NAMES[kind]) for kind in TABLES}
            found = await opened["passage"].schema()
            dimension = found.field("vector").type.list_size
            if not found.equals(schema(dimension)):
                raise ArchiveMissing(f"The archive in {folder} has the columns of another release.", hint=REBUILD)
            return cls(folder, number, connection, opened, dimension)

    def close(self) -> None:
        for table in self._tables.values():
            table.close()
        self._connection.close()

    def table(self, kind: Kind) -> _Table:
        return self._tables[kind]

    async def upsert(self, kind: Kind, rows: Sequence[ArchiveRow]) -> None:
        """Write rows, each in place of the one with its id."""
        if not rows:
            return
        with guarded(self.folder):
            merge = self._tables[kind].merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            await merge.execute(_arrow(rows, self.dimension), on_bad_vectors="null")

    async def append(self, kind: Kind, rows: Sequence[ArchiveRow]) -> None:
        """Write rows whose ids are known to be new: much faster."""
        if rows:
            with guarded(self.folder):
                await self._tables[kind].add(_arrow(rows, self.dimension))

    async def delete(self, kind: Kind, ids: Sequence[str]) -> None:
        """Take rows out."""
        if ids:
            with guarded(self.folder):
                await self._tables[kind].delete(f"id IN ({literals(ids)})")

    async def near(self, kind: Kind, where: str, vector: Vector, limit: int) -> list[Found]:
        """The rows that meet `where` and are nearest to `vector`."""
        with guarded(self.folder):
            query = self._tables[kind].query().nearest_to(vector).distance_type("cosine")
            # The index's vectors are rounded; that is near enough for a candidate, and ranking takes the exact ones.
            query = query.minimum_nprobes(_PROBES).maximum_nprobes(0).where(where)
            return _found(kind, await query.select([*_SEARCHED, "_distance"]).limit(limit).to_arrow())

    async def holding(self, kind: Kind, where: str, terms: Iterable[str], limit: int) -> list[Found]:
        """The rows that meet `where` and hold the most, and the rarest, of `terms`."""
        with guarded(self.folder):
            query = self._tables[kind].query().nearest_to_text(matching(terms)).where(where)
            return _found(kind, await query.select([*_SEARCHED, "_score"]).limit(limit).to_arrow())

    async def beside(self, kind: Kind, where: str, spots: Sequence[str]) -> list[Found]:
        """The rows that meet `where` and stand at these places in their threads."""
        return await self.sample(kind, f"{where} AND spot IN ({literals(spots)})", len(spots)) if spots else []

    async def sample(self, kind: Kind, where: str, limit: int) -> list[Found]:
        """Some rows that meet `where`."""
        with guarded(self.folder):
            query = self._tables[kind].query().where(where).select(_SEARCHED).limit(limit)
            return _found(kind, await query.to_arrow())

    async def count(self, kind: Kind, where: str | None = None) -> int:
        with guarded(self.folder):
            return int(await self._tables[kind].count_rows(where))

    async def shape(self, kind: Kind) -> Shape:
        """How a table lies on the disk. It takes about a millisecond."""
        with guarded(self.folder):
            table = self._tables[kind]
            indexes = {index.columns[0]: index for index in await table.list_indices()}
            stats = await table.stats()
            parts = None
            if "vector" in indexes:
                found = await table.index_stats(indexes["vector"].name)
                parts = int(found.num_indices or 1) if found else 1
            return Shape(
                rows=stats["num_rows"],
                fresh=indexes["id"].num_unindexed_rows if "id" in indexes else stats["num_rows"],
                fragments=stats["fragment_stats"]["num_fragments"],
                indexes=len(indexes),
                vector_parts=parts,
            )

    async def index_vectors(self, kind: Kind) -> None:
        """Index the vectors, or index them anew, in one part."""
        with guarded(self.folder):
            await self._tables[kind].create_index("vector", config=IvfSq(distance_type="cosine"), replace=True)

    async def unembedded(self, kind: Kind, limit: int) -> list[str]:
        """Ids of rows that have no vector."""
        with guarded(self.folder):
            query = self._tables[kind].query().where("embedded = false").select(["id"]).limit(limit)
            return [str(item) for item in (await query.to_arrow())["id"].to_pylist()]

    async def ids(self, kind: Kind) -> AsyncIterator[list[str]]:
        """All ids, in batches."""
        with guarded(self.folder):
            reader = await self._tables[kind].query().select(["id"]).to_batches()
            async for batch in reader:
                yield batch.column("id").to_pylist()


async def _connect(folder: Path) -> _Connection:
    # Left to itself LanceDB keeps up to 7 GB, of versions that are long gone as well: each write makes a new one.
    session = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
    # Each read sees what other processes have written; locally this costs nothing.
    return await lancedb.connect_async(folder, read_consistency_interval=timedelta(0), session=session)


class guarded(contextlib.AbstractContextManager[None]):
    """Turns LanceDB's errors into ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, RuntimeError | ValueError | OSError | pa.ArrowException):
            # Where in LanceDB's own source it happened says nothing to anyone here.
            words = " ".join(str(error).split(", /")[0].split())
            if "os error 28" in words:
                raise HomeFull(
                    f"The disk that holds {self._folder} is full.", hint="Free some space; nothing is lost."
                ) from error
            if "os error 30" in words:
                raise HomeReadOnly(f"{self._folder} cannot be written.", hint="Nothing is lost.") from error
            missing = not self._folder.is_dir()
            raise (ArchiveMissing if missing else ArchiveBroken)(
                f"The archive in {self._folder} failed: {words[:300]}",
                hint=REBUILD,
            ) from error


def _arrow(rows: Sequence[ArchiveRow], dimension: int) -> pa.Table:
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


def _found(kind: Kind, table: pa.Table) -> list[Found]:
    if not table.num_rows:
        return []
    columns = [table.column(name).to_pylist() for name in _SEARCHED[:-1]]
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
