"""Homes and settings that are not as they should be: one clear line, what to do about it, and nothing lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from pagekeeper.tests.support.mounts import fill, make_read_only, make_writable, small_disk
from pagekeeper.tests.support.processes import Done, Shell

TOLD = "I'm allergic to peanuts."
ASKED = "What am I allergic to?"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A home that has been told something."""
    shell = Shell(tmp_path / "home")
    assert shell.run("ask", TOLD).status == 0
    return shell


def refused(done: Done, *words: str) -> None:
    """The command failed with a message and a hint, and without a traceback."""
    assert done.status in (1, 2), done
    assert done.err.startswith("pagekeeper: "), done.err
    assert "Traceback" not in done.err
    assert "fault of Pagekeeper" not in done.err
    for word in words:
        assert word in done.err


def knows(shell: Shell) -> None:
    """Nothing was lost."""
    assert "peanuts" in shell.run("ask", ASKED).out


def test_a_read_only_home(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "32m") as disk:
        shell = Shell(disk / "home")
        assert shell.run("ask", TOLD).status == 0
        make_read_only(disk)
        for command in (["ask", ASKED], ["memory", "edit", "human", "--append", "x"], ["agents", "create", "x"]):
            refused(shell.run(*command), "cannot be written", "--home")
        can_be_read(shell)
        assert shell.run("doctor").status == 1
        make_writable(disk)
        knows(shell)


def test_a_read_only_home_whose_last_words_are_in_the_log(tmp_path: Path) -> None:
    """As a process leaves it that dies: with a write-ahead log, and with or without the index of that."""
    shell = Shell(tmp_path / "home")
    assert shell.run("ask", "I live in Berlin.").status == 0
    keep = sqlite3.connect(shell.home / "journal.sqlite")  # while it is open, nothing is moved out of the log
    keep.execute("SELECT count(*) FROM events").fetchone()
    assert shell.run("ask", TOLD).status == 0
    assert b"peanuts" not in (shell.home / "journal.sqlite").read_bytes()
    with small_disk(tmp_path / "disk", "32m") as disk:
        for number, kept in enumerate([("-wal", "-shm"), ("-wal",)]):
            there = Shell(disk / f"home{number}")
            shutil.copytree(shell.home, there.home, ignore=shutil.ignore_patterns("*-shm", "*-wal"))
            for end in kept:
                shutil.copy(f"{shell.home}/journal.sqlite{end}", there.home)
        make_read_only(disk)
        for number in range(2):
            can_be_read(Shell(disk / f"home{number}"))
    keep.close()


def can_be_read(shell: Shell) -> None:
    """What needs only reading works, and writes nothing."""
    before = sorted(shell.home.rglob("*"))
    for command in (["show", "human"], ["history"], ["search", "peanuts"], ["export"]):
        done = shell.run("memory", *command)
        assert (done.status, "peanuts" in done.out) == (0, True), done
    assert "main" in shell.run("agents", "list").out
    checks = {check["name"]: check["state"] for check in json.loads(shell.run("doctor", "--json").out)["checks"]}
    assert [checks[name] for name in ("home", "journal", "archive", "embedder")] == ["failed", "ok", "ok", "ok"]
    assert sorted(shell.home.rglob("*")) == before


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "32m") as disk:
        shell = Shell(disk / "home")
        assert shell.run("ask", TOLD).status == 0
        filler = fill(disk)
        refused(shell.run("ask", "I live in Berlin."), "is full", "Free some space")
        filler.unlink()
        fill(disk, leave=64 * 1024)
        shell.run("ask", "I live in Rome. " * 3000)
        filler.unlink()
        knows(shell)
        assert shell.run("doctor").status == 0


def test_a_missing_archive_folder(shell: Shell) -> None:
    shutil.rmtree(shell.home / "archive", ignore_errors=True)
    knows(shell)
    assert "peanuts" in shell.run("memory", "search", "peanuts").out


def test_a_broken_archive_folder(shell: Shell) -> None:
    assert shell.run("doctor", "--rebuild").status == 0
    for file in (shell.home / "archive").rglob("*"):
        if file.is_file():
            file.write_bytes(b"broken")
    knows(shell)
    assert shell.run("doctor", "--rebuild").status == 0
    assert "peanuts" in shell.run("memory", "search", "peanuts").out


def test_a_broken_journal(shell: Shell) -> None:
    journal = shell.home / "journal.sqlite"
    whole = journal.read_bytes()
    for file in shell.home.glob("journal.sqlite-*"):
        file.unlink()
    journal.write_bytes(b"broken" * 1000)
    refused(shell.run("ask", ASKED), "damaged", "pagekeeper doctor", "keep a copy")
    assert shell.run("doctor").status == 1
    assert journal.read_bytes() == b"broken" * 1000
    journal.write_bytes(whole)
    knows(shell)


def test_another_embedder(shell: Shell) -> None:
    assert "[p-" in shell.run("ask", "We decided to use PostgreSQL because we need JSONB.").out
    shell.environment["PAGEKEEPER_EMBEDDER_NAME"] = "openai/text-embedding-3-small"
    shell.environment |= {"PAGEKEEPER_MODEL": "offline", "OPENAI_API_KEY": "sk-test"}
    refused(shell.run("ask", ASKED), "embedded", "pagekeeper memory re-embed")
    assert shell.run("doctor").status == 1
    del shell.environment["PAGEKEEPER_EMBEDDER_NAME"]
    knows(shell)


def test_an_unknown_model_and_a_missing_key(shell: Shell) -> None:
    refused(shell.run("ask", "--model", "nobody/knows-this", ASKED), "nobody/knows-this")
    shell.environment["OPENAI_API_KEY"] = ""
    refused(shell.run("ask", "--model", "openai/gpt-4o", ASKED), "OPENAI_API_KEY")
    knows(shell)


def test_broken_settings(shell: Shell) -> None:
    (shell.home / "config.toml").write_text("window = 'big'\n")
    refused(shell.run("ask", ASKED), "config.toml, line 1", "'window'")
    (shell.home / "config.toml").write_text("window = 1024\n")
    refused(shell.run("ask", ASKED), "window")
    (shell.home / "config.toml").unlink()
    knows(shell)
