"""Reading a journal where nothing can be written: on a read-only mount, or in a folder of another owner.

A database that is read beside its write-ahead log needs an index in memory that processes share, in a file that may
not be there and cannot be made. There are three ways, and each is taken only where it is safe:

- as any reader, by the index that a living or a dead process left there. SQLite's own locks hold.
- on a read-only mount, where there is a log but no index: with an index of one's own, and without locks.
- on a read-only mount, where there is no log: as a file that does not change.

The last two do not see that somebody writes meanwhile. On a read-only mount nobody can, but through another mount of
the same files; and then there is an index, so that the first way is taken.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote


def connect(path: Path, wait: float) -> sqlite3.Connection:
    """A connection that cannot write. `wait` is in seconds, for locks. Raises sqlite3.Error."""
    for way, last in _ways(path):
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode=ro{way}",
            uri=True,
            timeout=wait,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            if "vfs" in way:
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # the index is this connection's own
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            if last:
                raise
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise AssertionError("the last way raises what it meets")


def _ways(path: Path) -> Iterator[tuple[str, bool]]:
    """The ways to open it, as options of a URI, and whether each is the last one."""
    if not _mounted_read_only(path):
        yield "", True
        return
    yield "", False
    log = path.with_name(f"{path.name}-wal")
    yield ("&vfs=unix-none" if log.exists() and log.stat().st_size else "&immutable=1"), True


def _mounted_read_only(path: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
