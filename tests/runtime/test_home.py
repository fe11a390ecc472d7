"""The home: which folder it is, who can read it, and what is said where it cannot be used."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pagekeeper.runtime.errors import HomeError, HomeFull, HomeReadOnly, UsageError
from pagekeeper.runtime.home import prepare, resolve, subfolder
from pagekeeper.tests.support.mounts import fill, make_read_only, small_disk


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_option_comes_before_the_environment(tmp_path: Path) -> None:
    assert resolve(tmp_path / "a", {"PAGEKEEPER_HOME": "/b"}) == tmp_path / "a"
    assert resolve(None, {"PAGEKEEPER_HOME": str(tmp_path / "b")}) == tmp_path / "b"


def test_an_empty_variable_is_not_set() -> None:
    assert resolve(None, {"PAGEKEEPER_HOME": ""}) == resolve(None, {})
    assert resolve(None, {}).name == "pagekeeper"


def test_a_relative_home_stands_where_the_user_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve("here") == tmp_path / "here"


@pytest.mark.parametrize("bad", ["", "  ", "a\0b"])
def test_a_path_that_no_folder_can_have_is_refused(bad: str) -> None:
    with pytest.raises(UsageError, match="home cannot be"):
        resolve(bad)


def test_a_new_home_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        home = prepare(tmp_path / "deep" / "home")
        assert mode(home) == 0o700
        assert mode(subfolder(home, "locks")) == 0o700
    finally:
        os.umask(old)
    assert sorted(entry.name for entry in home.iterdir()) == ["locks"]


def test_a_home_that_was_open_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "journal.sqlite-wal").touch()
    prepare(tmp_path)
    assert mode(tmp_path) == 0o700


def test_a_folder_that_holds_other_things_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "thesis.tex").touch()
    prepare(tmp_path)
    assert mode(tmp_path) == 0o755


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeError, match="not a folder") as caught:
        prepare(tmp_path / "file")
    for way in ("--home", "`home` of `open`", "PAGEKEEPER_HOME"):
        assert way in caught.value.hint, "a command and a program name it in their own ways"
    with pytest.raises(HomeError, match="cannot be used"):
        prepare(tmp_path / "file" / "below")


def test_a_read_only_mount_is_told_from_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        prepare(disk)
        make_read_only(disk)
        with pytest.raises(HomeReadOnly, match="cannot be written") as caught:
            prepare(disk)
        assert "--home" in caught.value.hint
        with pytest.raises(HomeReadOnly):
            prepare(disk / "new")


def test_a_full_disk_is_said_to_be_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        fill(disk)
        with pytest.raises(HomeFull, match="is full") as caught:
            prepare(disk)
        assert "Free some space" in caught.value.hint
