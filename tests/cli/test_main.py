"""The command as a user meets it: help, version, exit status, and errors in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pagekeeper
from pagekeeper.cli.opening import suggestion
from pagekeeper.cli.output import safe, show_table
from pagekeeper.cli.parser import parse
from pagekeeper.runtime.config import Settings
from pagekeeper.runtime.text import counted


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


def test_a_table_gives_wide_characters_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["name", "n"], [["小明", 1], ["e\u0301", 2], ["longer", 3]])
    assert capsys.readouterr().out == "name    n\n小明    1\ne\u0301       2\nlonger  3\n"


def test_one_is_counted_in_the_singular() -> None:
    assert [counted(number, "message") for number in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]
    assert [counted(number, "memory", "memories") for number in (1, 2)] == ["1 memory", "2 memories"]


def test_chat_needs_a_terminal(tmp_path: Path) -> None:
    for arguments in ([], ["chat"], ["--agent", "ada"], ["chat", "--conversation", "x"]):
        done = run("--home", str(tmp_path / "home"), *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "pagekeeper: Chat needs a terminal.\n`pagekeeper ask TEXT` does without.\n"
    assert not (tmp_path / "home").exists()


def test_an_option_before_the_command_holds_for_it() -> None:
    options = parse(["--agent", "ada", "--home", "/h", "ask", "hi"])
    assert (options.agent, options.home, options.text) == ("ada", "/h", "hi")
    options = parse(["--agent", "ada", "--home", "/h", "ask", "hi", "--agent", "lin", "--home", "/k"])
    assert (options.agent, options.home) == ("lin", "/k")


def test_a_key_without_a_model_is_answered_with_the_command() -> None:
    assert suggestion(Settings(), {}) is None
    said = suggestion(Settings(), {"ANTHROPIC_API_KEY": "sk-secret"})
    assert said is not None
    assert "pagekeeper --model anthropic/" in said
    assert "sk-secret" not in said
    assert suggestion(Settings(model="offline"), {"ANTHROPIC_API_KEY": "sk-secret"}) is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["ask", "hi"], ["agents", "list", "--json"], ["memory", "export"]])
def test_output_that_cannot_be_written_is_said(tmp_path: Path, arguments: list[str]) -> None:
    home = ["--home", str(tmp_path / "home")]
    assert run(*home, "ask", "hello").returncode == 0
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "pagekeeper", *home, *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert "pagekeeper: Standard output cannot be written (No space left on device).\n" in done.stderr
    assert "fault" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_reader_that_leaves_is_no_matter(tmp_path: Path) -> None:
    home = ["--home", str(tmp_path / "home")]
    assert run(*home, "ask", "hello").returncode == 0
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "pagekeeper", *home, "memory", "show"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.stderr == ""
