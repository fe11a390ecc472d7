"""The state of the archive, for `doctor` and for people."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, select

from ..clock import parse_known
from ..errors import ArchiveError
from ..journal import tables
from .choices import TABLES
from .keeper import Keeper
from .view import MAINTAINED, View


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """How the archive is. Nothing in it is lost even where it is `broken`: the journal has all of it."""

    generation: int
    """0 while nothing has been written to LanceDB yet."""
    embedder: str
    """The fingerprint of the embedder whose vectors are searched."""
    passages: int
    """Rows in LanceDB."""
    messages: int
    pending: int
    """Changes that are not in LanceDB yet; they are found all the same."""
    unembedded: int
    """Rows without a vector: they are found by their words alone."""
    fragments: int
    """Of both tables; each flush leaves one, until the tables are put in order."""
    indexes: int
    unindexed: int
    """Rows that are in no index yet; they are found all the same."""
    vector_parts: int | None
    """Parts of the larger vector index; None where there is no index yet."""
    maintained: datetime | None
    """When the tables were last put in order; None before the first time."""
    bytes: int
    """On disk."""
    keeper: bool
    """Whether this process is the one that writes to LanceDB."""
    embedder_failure: str | None = None
    """Why the embedder failed the last time, until it works again."""
    broken: str | None = None
    """Why the tables cannot be read."""


async def read_state(view: View, keeper: Keeper) -> ArchiveState:
    """How the archive is, as `view` sees it."""
    position = await view.catch_up()
    unembedded = len(await view.run(view.memory.unembedded))
    state = ArchiveState(
        generation=position.generation,
        embedder=view.space,
        passages=0,
        messages=0,
        pending=keeper.pending(),
        unembedded=unembedded,
        fragments=0,
        indexes=0,
        unindexed=0,
        vector_parts=None,
        maintained=await view.journal.read(_maintained),
        bytes=await asyncio.to_thread(_size, view.folder),
        keeper=keeper.holds,
        embedder_failure=keeper.embedding.failure,
    )
    if not position.generation:
        return state
    try:
        generation = await view.generation()
        assert generation is not None
        shapes = {kind: await generation.shape(kind) for kind in TABLES}
        missing = sum([await generation.count(kind, "embedded = false") for kind in TABLES])
        return replace(
            state,
            passages=shapes["passage"].rows,
            messages=shapes["message"].rows,
            unembedded=max(unembedded, missing) if view.stored else unembedded,
            fragments=sum(shape.fragments for shape in shapes.values()),
            indexes=sum(shape.indexes for shape in shapes.values()),
            unindexed=sum(shape.fresh for shape in shapes.values()),
            vector_parts=max([shape.vector_parts or 0 for shape in shapes.values()]) or None,
        )
    except ArchiveError as error:
        return replace(state, broken=error.message)


def _maintained(connection: Connection) -> datetime | None:
    meta = tables.meta
    found = connection.execute(select(meta.c.value).where(meta.c.key == MAINTAINED)).scalar()
    return parse_known(found)


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # whoever writes meanwhile removes files of his own
            size += path.stat().st_size if path.is_file() else 0
    return size
