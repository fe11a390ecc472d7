"""What became of an import."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not imported, or not to its end."""

    name: str
    reason: str


@dataclass(slots=True)
class Imported:
    """An import in numbers; while it runs, so far."""

    files: int = 0
    """Files that were read to their end."""
    added: int = 0
    """Passages."""
    present: int = 0
    """Passages that were there already."""
    tagged: int = 0
    """Of those, the ones that have tags now which they had not."""
    full: int = 0
    """Of those, the ones that have as many tags as a passage can have, and could not get others."""
    left_out: int = 0
    """Passages that were there once, and were forgotten, retired or replaced since."""
    unembedded: int = 0
    """Of those added, the ones that have no vector yet since the embedder failed."""
    empty: int = 0
    """Files without a word."""
    hidden: int = 0
    """Files and folders in the folders whose names start with a dot."""
    links: int = 0
    """Links in the folders, which are not followed."""
    others: int = 0
    """Files in the folders that are no documents by their names."""
    skipped: list[Skipped] = field(default_factory=list)
    """Files that could not be read, and why."""

    def skip(self, name: str, reason: str) -> None:
        """Say that a file could not be read."""
        self.skipped.append(Skipped(name, reason))
