"""Bringing the journal's database to the tables of this release: made new, carried forward, or refused.

It all happens in the one transaction in which a journal is opened, so of several processes that open a home at once
one does it, and what fails leaves the database as it was.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, insert, inspect, select, update

from ..errors import HomeReadOnly, HomeTooNew, JournalBroken
from ..home import ANOTHER, ARCHIVE, JOURNAL, LOCKS, errors_of
from . import tables
from .steps import STEPS

_meta = tables.meta


def look_first(home: Path) -> None:
    """Refuse a home whose journal is missing or empty beside what only a journal leads to. Raises JournalBroken.

    To be called before SQLite is let near: it deletes a write-ahead log that it finds beside an empty database. Other
    processes may be making the home meanwhile; the journal comes first in a home, so it is looked at last.
    """
    with errors_of(home):
        journal, log = home / JOURNAL, home / f"{JOURNAL}-wal"
        left = _left(home)
        if log.exists() and log.stat().st_size:
            left.append(log.name)
        if left and not (journal.exists() and journal.stat().st_size):
            raise _lost(home, "empty" if journal.exists() else "missing", left)


def prepare(connection: Connection, home: Path) -> None:
    """Make the tables of a new journal, or carry an older one forward. Raises HomeTooNew or JournalBroken."""
    there = set(inspect(connection).get_table_names())
    if not there:
        with errors_of(home):
            left = _left(home)
        if left:
            raise _lost(home, "without any table", left)
        tables.metadata.create_all(connection)
        connection.execute(insert(_meta), {"key": "schema", "value": str(tables.SCHEMA_VERSION)})
        return
    version = check(connection, home, there)
    for number in range(version + 1, tables.SCHEMA_VERSION + 1):
        STEPS[number](connection)
    if version < tables.SCHEMA_VERSION:
        connection.execute(update(_meta).where(_meta.c.key == "schema"), {"value": str(tables.SCHEMA_VERSION)})


def check_current(connection: Connection, home: Path) -> None:
    """Refuse a journal that cannot be read as it is. Raises HomeReadOnly, HomeTooNew or JournalBroken."""
    version = check(connection, home, set(inspect(connection).get_table_names()))
    if version < tables.SCHEMA_VERSION:
        raise HomeReadOnly(
            f"{home} is of an older Pagekeeper (schema {version}), and cannot be written to bring it forward.",
            hint="Make it writable, or copy it to where it is.",
        )


def check(connection: Connection, home: Path, there: set[str]) -> int:
    """The schema number of a database that holds the tables `there`. Raises HomeTooNew or JournalBroken."""
    version = None
    if _meta.name in there:
        version = connection.execute(select(_meta.c.value).where(_meta.c.key == "schema")).scalar()
    if version is None or not version.isdecimal() or int(version) < 1:
        raise JournalBroken(
            f"{home / JOURNAL} is a database, and no journal of Pagekeeper.",
            hint=f"Put the journal back from a copy of the home. {ANOTHER}",
        )
    if int(version) > tables.SCHEMA_VERSION:
        raise HomeTooNew(
            f"{home} was written by a newer Pagekeeper (schema {version}; this one reads "
            f"up to {tables.SCHEMA_VERSION}).",
            hint=f"Upgrade Pagekeeper. {ANOTHER}",
        )
    return int(version)


def _left(home: Path) -> list[str]:
    """What a home holds that is made only after its journal: the archive, and the locks of conversations.

    By their own names, since a home may be a folder that has an `archive` of something else.
    """
    return [name for name, pattern in ((ARCHIVE, "g??????"), (LOCKS, "cv-*.lock")) if any((home / name).glob(pattern))]


def _lost(home: Path, state: str, left: list[str]) -> JournalBroken:
    names = " and ".join(left)
    return JournalBroken(
        f"{home / JOURNAL} is {state}, but {names} in that folder show that there was a journal.",
        hint=f"Put {JOURNAL} back from a copy. To begin anew, move the rest ({', '.join(left)}) out of the folder.",
    )
