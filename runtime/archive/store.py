"""One generation of the archive's tables in LanceDB. Everything in it comes from the journal and can be made again.

This is the only module that imports LanceDB. It is imported late, as is `columns`, since that takes over a second.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

# Lance warns on stderr about what is no trouble of ours; it reads this when it is imported.
os.environ.setdefault("LANCEDB_LOG", "error")

import lancedb
import pyarrow as pa
from lancedb.index import FTS, Bitmap, BTree, IvfSq, LabelList
from lancedb.query import MatchQuery

from ..errors import ArchiveBroken, HomeFull, HomeReadOnly
from . import columns
from .allocator import return_large_pieces
from .choices import TABLES, Kind
from .columns import SEARCHED, Found, read, to_arrow
from .filters import literals
from .rows import ArchiveRow, Vector
from .view import REBUILD, ArchiveMissing, folder_of

return_large_pieces()

# LanceDB's types are only half declared, so its objects are untyped here.
_Table = Any
_Connection = Any

_NAMES = {"passage": "passages", "message": "messages"}

_PROBES = 2**16
"""Partitions of the vector index that are searched: all of them, so that no filter hides a match. That is what LanceDB
.40 also does where it is told to begin with a few and to go on without a limit."""

_INDEX_CACHE = 64 * 2**20, 1024 * 2**20
"""Bytes of the indexes that are kept in memory, at least and at most: all of them, if they fit. What does not is read
again by each search, mostly from what the system keeps of files: three times as long with a million rows."""
_INDEX_OF_A_ROW = 128
"""Bytes that the indexes take of a row, beside one for each number of its vector."""
_METADATA_CACHE = 32 * 2**20


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
            connection = await _connect(folder, _INDEX_CACHE[0])
            made: dict[Kind, _Table] = {}
            for kind in TABLES:
                table = await connection.create_table(_NAMES[kind], schema=columns.schema(dimension))
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
            connection, opened = await _open(folder, _INDEX_CACHE[0])
            found = await opened["passage"].schema()
            dimension = found.field("vector").type.list_size
            if not found.equals(columns.schema(dimension)):
                raise ArchiveMissing(f"The archive in {folder} has the columns of another release.", hint=REBUILD)
            rows = sum([await table.count_rows() for table in opened.values()])
            indexes = min(rows * (dimension + _INDEX_OF_A_ROW), _INDEX_CACHE[1])
            if indexes > _INDEX_CACHE[0]:  # how much is kept is for the connection to say, once for all
                connection, opened = await _open(folder, indexes)
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
            await merge.execute(to_arrow(rows, self.dimension), on_bad_vectors="null")

    async def append(self, kind: Kind, rows: Sequence[ArchiveRow]) -> None:
        """Write rows whose ids are known to be new: much faster."""
        if rows:
            with guarded(self.folder):
                await self._tables[kind].add(to_arrow(rows, self.dimension))

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
            query = query.nprobes(_PROBES).where(where)
            return read(kind, await query.select([*SEARCHED, "_distance"]).limit(limit).to_arrow())

    async def holding(self, kind: Kind, where: str, terms: Iterable[str], limit: int) -> list[Found]:
        """The rows that meet `where` and hold the most, and the rarest, of `terms`."""
        with guarded(self.folder):
            query = self._tables[kind].query().nearest_to_text(matching(terms)).where(where)
            return read(kind, await query.select([*SEARCHED, "_score"]).limit(limit).to_arrow())

    async def beside(self, kind: Kind, where: str, spots: Sequence[str]) -> list[Found]:
        """The rows that meet `where` and stand at these places in their threads."""
        return await self.sample(kind, f"{where} AND spot IN ({literals(spots)})", len(spots)) if spots else []

    async def sample(self, kind: Kind, where: str, limit: int) -> list[Found]:
        """Some rows that meet `where`."""
        with guarded(self.folder):
            query = self._tables[kind].query().where(where).select(SEARCHED).limit(limit)
            return read(kind, await query.to_arrow())

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


async def _open(folder: Path, index_cache: int) -> tuple[_Connection, dict[Kind, _Table]]:
    connection = await _connect(folder, index_cache)
    return connection, {kind: await connection.open_table(_NAMES[kind]) for kind in TABLES}


async def _connect(folder: Path, index_cache: int) -> _Connection:
    # Left to itself LanceDB keeps up to 7 GB, of versions that are long gone as well: each write makes a new one.
    session = lancedb.Session(index_cache_size_bytes=index_cache, metadata_cache_size_bytes=_METADATA_CACHE)
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
