"""Homes and settings that are not as they should be: one clear line, what to do about it, and nothing lost."""

from __future__ import annotations

import shutil
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
        for command in (["ask", ASKED], ["memory", "show"], ["agents", "list"]):
            refused(shell.run(*command), "cannot be written", "--home")
        assert shell.run("doctor").status == 1
        make_writable(disk)
        knows(shell)


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
