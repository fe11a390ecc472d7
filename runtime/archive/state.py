"""The state of the archive, for `doctor` and for people."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import ArchiveError
from .keeper import Keeper
from .view import KINDS, View


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
    vector_parts: int | None
    """Parts of the larger vector index; None where there is no index yet."""
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
        vector_parts=None,
        bytes=await asyncio.to_thread(_size, view.folder),
        keeper=keeper.holds,
        embedder_failure=keeper.failure,
    )
    if not position.generation:
        return state
    try:
        generation = await view.generation()
        assert generation is not None
        from .upkeep import vector_parts

        missing = sum([await generation.count(kind, "embedded = false") for kind in KINDS])
        return replace(
            state,
            passages=await generation.count("passage"),
            messages=await generation.count("message"),
            unembedded=max(unembedded, missing) if view.stored else unembedded,
            vector_parts=max([await vector_parts(generation, kind) or 0 for kind in KINDS]) or None,
        )
    except ArchiveError as error:
        return replace(state, broken=error.message)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
