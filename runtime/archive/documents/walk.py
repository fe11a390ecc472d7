"""Finding the files that are to be imported."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from ...errors import UsageError
from ..choices import FORMATS
from .report import Imported
from .source import Source

Given = str | os.PathLike[str] | Source


def find(given: Sequence[Given], format: str | None, report: Imported) -> list[Source]:
    """The files that are `given`, and those in the folders that are, in order.

    `format` is what a file holds whose name does not say so. What a folder holds beside them is counted in `report`.
    Raises UsageError for a path that cannot be taken.
    """
    out: list[Source] = []
    for one in given:
        if isinstance(one, Source):
            out.append(one)
            continue
        if not str(one).strip():
            raise UsageError("A name of a file is blank.", hint="Name a file or a folder.")
        path = Path(one)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise UsageError(f"{path} cannot be opened ({getattr(error, 'strerror', None) or error}).") from None
        if stat.S_ISDIR(mode):
            _walk(path, report, out)
            continue
        if not stat.S_ISREG(mode):
            raise UsageError(f"{path} is neither a file nor a folder.", hint="Name `-` to read standard input.")
        found = FORMATS.get(path.suffix.lower(), format)
        if found is None:
            raise UsageError(
                f"What {path} holds is not known: its name ends in none of {', '.join(FORMATS)}.",
                hint=f"Say what it is: --format {'|'.join(sorted(set(FORMATS.values())))}, or `format` in a program.",
            )
        out.append(Source(str(path), found, path))
    return out


def _walk(folder: Path, report: Imported, out: list[Source]) -> None:
    """Add a folder's documents, in the order of their names. Links are not followed: they may lead anywhere."""

    def unreadable(error: OSError) -> None:
        report.skip(str(error.filename), f"it cannot be opened ({error.strerror}).")

    for at, folders, files in os.walk(folder, onerror=unreadable):
        links = [name for name in folders if (Path(at) / name).is_symlink()]
        report.links += len(links)
        report.hidden += sum(name.startswith(".") for name in folders)
        folders[:] = sorted(name for name in folders if name not in links and not name.startswith("."))
        for name in sorted(files):
            path = Path(at) / name
            found = FORMATS.get(path.suffix.lower())
            if name.startswith("."):
                report.hidden += 1
            elif path.is_symlink():
                report.links += 1
            elif found is None or not path.is_file():
                report.others += 1
            else:
                out.append(Source(str(path), found, path))
