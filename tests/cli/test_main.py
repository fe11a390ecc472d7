"""The command as a user meets it: help, version, exit status, and errors in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pagekeeper
from pagekeeper.cli import main
from pagekeeper.cli.output import safe, show_table


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pagekeeper", *arguments], capture_output=True, text=True)


def test_help_and_version() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "global options" in done.stdout
    assert done.stderr == ""
    assert run("--version").stdout == f"pagekeeper {pagekeeper.__version__}\n"


def test_an_unknown_option_is_a_usage_error_in_two_lines() -> None:
    done = run("--hoem=x")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[0].startswith("pagekeeper: unrecognized arguments: --hoem")
    assert len(done.stderr.splitlines()) == 2


def test_control_characters_do_not_reach_a_terminal() -> None:
    assert safe("a\x1b[31mb\x9bc\u202ed\te\nf\r") == "a\\x1b[31mb\\x9bc\\u202ed\te\nf\\r"


def test_a_table_keeps_each_row_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["name", "n"], [["a\nb", 1], ["c", 20]])
    assert capsys.readouterr().out == "name  n\na b   1\nc     20\n"


def test_the_entry_point_takes_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "pagekeeper" in capsys.readouterr().out
