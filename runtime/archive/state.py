"""The state of the archive, for `doctor` and for people."""

from __future__ import annotations

from dataclasses import dataclass


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
