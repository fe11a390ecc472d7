"""SQLite as the journal uses it: how a connection is set up, and what its errors mean."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from ..errors import HomeError, HomeFull, HomeReadOnly, InvalidText, JournalBroken
from ..home import ANOTHER

BUSY_SECONDS = 30
"""How long a commit waits for another process's commit before it fails."""


def raw_of(connection: Connection) -> sqlite3.Connection:
    """SQLite's own connection."""
    raw = connection.connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


def roll_back(connection: Connection) -> None:
    """End the transaction that was begun on it, if one was, without its changes."""
    raw = raw_of(connection)
    if raw.in_transaction:
        raw.execute("ROLLBACK")
    connection.rollback()


def configure(connection: sqlite3.Connection, _record: object) -> None:
    """Durable, private and concurrent: WAL, an fsync for each commit, and deleted content overwritten."""
    connection.isolation_level = None  # transactions are begun by hand: writers need BEGIN IMMEDIATE
    _use_wal(connection)
    for pragma in ("synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _use_wal(connection: sqlite3.Connection) -> None:
    """SQLite waits for other processes everywhere but here, where several that open a new home at once meet."""
    last = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > last:
                raise
            time.sleep(0.002)


def dump(value: Any) -> str:
    """JSON as it is stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class translated:
    """Turns the database's errors into ours."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, UnicodeEncodeError):
            raise InvalidText("A text holds a lone surrogate, which cannot be stored.") from error
        if not isinstance(error, DBAPIError | sqlite3.Error):
            return
        words = str(error.orig if isinstance(error, DBAPIError) else error)
        raise _home_error(self._home, words) from error


def _home_error(home: Path, words: str) -> HomeError:
    if "readonly" in words or "read-only" in words:
        return HomeReadOnly(f"{home} cannot be written ({words}).", hint=ANOTHER)
    if "disk is full" in words:
        return HomeFull(f"The disk that holds {home} is full.", hint="Free some space; nothing that was told is lost.")
    if "unable to open" in words:
        return HomeError(f"The journal in {home} cannot be opened ({words}).", hint="Check that the folder is yours.")
    if "locked" in words:
        return HomeError(f"The journal in {home} has been locked for {BUSY_SECONDS} s.", hint="Try again.")
    if "malformed" in words or "not a database" in words or "disk I/O" in words or "no such" in words:
        return JournalBroken(
            f"The journal in {home} is damaged ({words}).",
            hint="Run `pagekeeper doctor`; keep a copy of the folder before you try to mend it.",
        )
    return JournalBroken(f"The journal in {home} failed ({words}).", hint="Run `pagekeeper doctor`.")
