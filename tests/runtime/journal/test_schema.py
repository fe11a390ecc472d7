"""A journal that an older build made is carried forward; what cannot be read is refused, and stays as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.blocks import visible_blocks
from pagekeeper.runtime.core.edit import Author
from pagekeeper.runtime.errors import HomeTooNew, JournalBroken
from pagekeeper.runtime.forgetting.force import forgettings
from pagekeeper.runtime.forgetting.restore import restore
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal import steps, tables
from pagekeeper.runtime.journal.journal import Journal
from pagekeeper.runtime.journal.refold import check, differences
from pagekeeper.runtime.scope import DEFAULT_USER, Scope
from pagekeeper.runtime.timeline import changes

SCHEMA_1 = Path(__file__).with_name("schema_1.sql")
"""A home of a development build: two turns, of which what the second noted was forgotten."""
AGENT = "ag-3nc7cv9jhwd9a1bf"


def opened(home: Path) -> Journal:
    return Journal.open(home, clock=ManualClock(), ids=CountingIds())


def raw(home: Path, *statements: str) -> list[tuple[object, ...]]:
    """Run statements past the journal; gives the rows of the last."""
    connection = sqlite3.connect(home / "journal.sqlite", isolation_level=None)
    try:
        return [connection.execute(statement).fetchall() for statement in statements][-1]
    finally:
        connection.close()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A home of schema 1."""
    home = tmp_path / "old"
    home.mkdir()
    connection = sqlite3.connect(home / "journal.sqlite")
    connection.executescript(SCHEMA_1.read_text(encoding="utf-8"))
    connection.close()
    return home


def shape(home: Path) -> tuple[object, object]:
    """The columns of all tables, and all indexes."""
    columns = raw(
        home,
        'SELECT t.name, c.name, c.type, c."notnull" FROM sqlite_master t, pragma_table_info(t.name) c '
        "WHERE t.type = 'table' ORDER BY t.name, c.name",
    )
    found = raw(home, "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    indexes = [
        (name, " ".join(str(sql).replace('"', "").replace("(", "").replace(")", "").split())) for name, sql in found
    ]
    return columns, indexes


def test_each_number_has_a_step() -> None:
    assert list(steps.STEPS) == list(range(2, tables.SCHEMA_VERSION + 1))


def test_an_old_home_gets_the_tables_of_a_new_one_and_keeps_what_it_holds(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    opened(new).close()
    for _ in range(2):  # the second time there is nothing left to do
        journal = opened(old)
        try:
            assert journal.read_now(check) == []
            assert journal.read_now(differences) == {}
            human = journal.read_now(lambda it: visible_blocks(it, AGENT, "user"))[0]
            assert human.value == "What I know about the user:\nThe user is allergic to peanuts."
            told = [change.text for change in journal.read_now(lambda it: changes(it, AGENT, "user"))]
            assert "forgotten" in told[-2]
        finally:
            journal.close()
        assert shape(old) == shape(new)
        assert raw(old, "SELECT value FROM meta WHERE key = 'schema'") == [(str(tables.SCHEMA_VERSION),)]


def test_a_step_that_fails_leaves_the_home_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shape(old)

    def fail(connection: object) -> None:
        steps._to_2(connection)  # type: ignore[arg-type]
        raise ZeroDivisionError

    monkeypatch.setitem(steps.STEPS, 2, fail)
    with pytest.raises(ZeroDivisionError):
        opened(old)
    assert shape(old) == before
    assert raw(old, "SELECT value FROM meta WHERE key = 'schema'") == [("1",)]


def test_a_newer_home_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    raw(tmp_path, "UPDATE meta SET value = '999' WHERE key = 'schema'")
    with pytest.raises(HomeTooNew, match=f"schema 999; this one reads up to {tables.SCHEMA_VERSION}"):
        opened(tmp_path)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE meta",
        "DELETE FROM meta WHERE key = 'schema'",
        "UPDATE meta SET value = 'new' WHERE key = 'schema'",
        "UPDATE meta SET value = '0' WHERE key = 'schema'",
    ],
)
def test_a_database_that_is_no_journal_is_refused(tmp_path: Path, statement: str) -> None:
    opened(tmp_path).close()
    raw(tmp_path, statement)
    before = raw(tmp_path, "SELECT name, sql FROM sqlite_master ORDER BY name")
    with pytest.raises(JournalBroken, match="no journal of Pagekeeper"):
        opened(tmp_path)
    assert raw(tmp_path, "SELECT name, sql FROM sqlite_master ORDER BY name") == before


# -- a journal that is lost ------------------------------------------------------------------------


def _archive(home: Path) -> None:
    (home / "archive" / "g000001").mkdir(parents=True)


def _locks(home: Path) -> None:
    (home / "locks").mkdir()
    (home / "locks" / "cv-1.lock").touch()


def _log(home: Path) -> None:
    (home / "journal.sqlite-wal").write_bytes(b"what was committed last")


@pytest.mark.parametrize(("leave", "name"), [(_archive, "archive"), (_locks, "locks"), (_log, "journal.sqlite-wal")])
@pytest.mark.parametrize("there", [True, False])
def test_an_empty_journal_beside_what_it_made_is_no_new_home(
    tmp_path: Path, leave: Callable[[Path], None], name: str, there: bool
) -> None:
    leave(tmp_path)
    if there:
        (tmp_path / "journal.sqlite").touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(JournalBroken, match=f"{name} in that folder") as caught:
        opened(tmp_path)
    assert "from a copy" in caught.value.hint
    assert sorted(tmp_path.rglob("*")) == before
    assert there is False or (tmp_path / "journal.sqlite").stat().st_size == 0


def test_a_journal_without_tables_beside_an_archive_is_no_new_home(tmp_path: Path) -> None:
    raw(tmp_path, "PRAGMA journal_mode=WAL")
    _archive(tmp_path)
    with pytest.raises(JournalBroken, match="without any table, but archive"):
        opened(tmp_path)


def test_a_folder_of_other_things_can_become_a_home(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "2019.zip").touch()
    (tmp_path / "locks").mkdir()
    (tmp_path / "owners").mkdir()
    (tmp_path / "journal.sqlite").touch()  # as it is for an instant while another process makes the home
    journal = opened(tmp_path)
    assert journal.read_now(check) == []
    journal.close()


def test_what_an_older_build_forgot_can_be_restored_and_stays_forgotten_in_a_fork(old: Path) -> None:
    journal = opened(old)
    try:
        fork_id = journal.write_now(lambda tx: fork(tx, AGENT, "twin"))
        scope = Scope(AGENT, "main", DEFAULT_USER, "", "", ZoneInfo("UTC"))
        event = next(it for it in journal.read_now(partial(forgettings, agent=AGENT)))

        def human(agent: str) -> str:
            shown = journal.read_now(partial(visible_blocks, agent=agent, user=DEFAULT_USER))
            return next(block.value for block in shown if block.label == "human")

        assert "Berlin" not in human(fork_id)
        count = journal.write_now(lambda tx: restore(tx, scope, event.id, Author("user")))
        assert count == 3  # a line and two messages; what the model called, and its result, are back too, uncounted
        assert "Berlin" in human(AGENT)
        assert "Berlin" not in human(fork_id)
        assert len(journal.read_now(partial(forgettings, agent=fork_id))) == 1
        assert journal.read_now(differences) == {}
    finally:
        journal.close()
