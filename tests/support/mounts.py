"""A small file system of its own, to be filled or made read-only: root ignores mode bits, so nothing less will do."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system in memory at `folder`, of `size` (`64k`, `8m`). The test is skipped where it cannot be made."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if made.returncode:
        pytest.skip(f"cannot mount here: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def make_read_only(folder: Path) -> None:
    """Mount it read-only from now on."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)


def make_writable(folder: Path) -> None:
    """Mount it for reading and writing again."""
    subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)


def fill(folder: Path, leave: int = 0) -> Path:
    """Fill it up, but for `leave` bytes; the file that fills it is returned."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    if leave:
        with filler.open("r+b") as file:
            file.truncate(max(0, filler.stat().st_size - leave))
    return filler
