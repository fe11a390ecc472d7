"""The commands of `pagekeeper memory` that search and change memory."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from pagekeeper.tests.cli.conftest import Say
from pagekeeper.tests.support.erasing import holding


def test_every_kind_of_edit(say: Say) -> None:
    for arguments, value in (
        (["--append", "four"], "one\ntwo\n三\nfour"),
        (["--replace", "two", "2"], "one\n2\n三\nfour"),
        (["--set", "</block>\t\r\n"], "</block>\t\r\n"),
    ):
        said = say("memory", "edit", "notes", *arguments)
        assert (said.status, said.err) == (0, "")
        assert say("memory", "show", "notes", "--json").json["value"] == value
    assert say("memory", "edit", "new", "--create", "", "--description", "what for", "--limit", "9").status == 0
    block = say("memory", "show", "new", "--json").json
    assert (block["value"], block["description"], block["limit"]) == ("", "what for", 9)
    assert say("memory", "edit", "new", "--delete").status == 0
    assert say("memory", "show", "new").status == 2


def test_settings_of_a_block(say: Say) -> None:
    assert say("memory", "edit", "notes", "--pinned", "--read-only", "--limit", "20").status == 0
    block = say("memory", "show", "notes", "--json").json
    assert (block["pinned"], block["read_only"], block["limit"]) == (True, True, 20)
    assert say("memory", "edit", "notes", "--no-pinned", "--append", "4").status == 0
    block = say("memory", "show", "notes", "--json").json
    assert (block["pinned"], block["value"]) == (False, "one\ntwo\n三\n4")


def test_an_edit_that_breaks_a_rule_changes_nothing(say: Say) -> None:
    for arguments, words in (
        (["notes", "--replace", "", "x"], "old content is empty"),
        (["notes", "--replace", "nine", "x"], "does not occur"),
        (["notes", "--set", "x" * 5001], "5,000"),
        (["notes", "--append", "\udcff"], "lone surrogate"),
        (["nots", "--append", "x"], "no block 'nots'"),
        (["../x", "--create", ""], "label cannot be"),
        (["notes"], "Nothing says what to change"),
    ):
        said = say("memory", "edit", *arguments)
        assert said.status in (1, 2)
        assert said.out == ""
        assert words in said.err
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"


def test_an_edit_in_the_users_editor(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys; f = open(sys.argv[1], 'a'); f.write('four\\n')")
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(script)]))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert say("memory", "edit", "notes").out == "Block notes is at revision 3.\n"
    assert say("memory", "show", "notes").out == "one\ntwo\n三\nfour\n"


def test_an_editor_that_fails_is_said_to_have_failed(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "/nonexistent --wait")
    assert "there is no terminal" in say("memory", "edit", "notes").err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    for editor, words in (
        ("/nonexistent --wait", "The editor '/nonexistent --wait' cannot be run (No such file or directory)."),
        ("vi 'notes", "cannot be run (No closing quotation)"),
        (shlex.join([sys.executable, "-c", "exit(3)"]), "failed (status 3); nothing was changed."),
    ):
        monkeypatch.setenv("EDITOR", editor)
        said = say("memory", "edit", "notes")
        assert (said.status, said.out) == (1, "")
        assert words in said.err
        assert "fault of Pagekeeper" not in said.err
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"


def test_what_was_written_is_kept_where_it_is_refused(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    script = tmp_path / "editor.py"
    script.write_text("import sys; f = open(sys.argv[1], 'a'); f.write('x' * 5000)")
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(script)]))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    said = say("memory", "edit", "notes")
    assert said.status == 1
    (kept,) = tmp_path.glob("pagekeeper-*.md")
    assert str(kept) in said.err
    assert kept.read_text("utf-8").endswith("x" * 5000)


def test_a_limit_that_a_block_is_over_already_is_told_of(say: Say) -> None:
    said = say("memory", "edit", "notes", "--limit", "5")
    assert said.out == "Block notes is at revision 3.\n"
    assert said.err == "It has 9 characters, and its limit is 5: it can only get shorter.\n"
    assert say("memory", "edit", "notes", "--set", "one").err == ""


def test_undo_goes_back(say: Say) -> None:
    assert say("memory", "undo", "notes").out == "Block notes is at revision 3.\n"
    assert say("memory", "show", "notes").out == "one\ntwo\n"
    assert say("memory", "undo", "ev-none").status == 2


def test_undoing_the_making_of_a_block_says_what_brings_it_back(say: Say) -> None:
    say("memory", "undo", "notes")
    said = say("memory", "undo", "notes")
    assert said.out.startswith("Deleted block notes")
    assert say("memory", "undo", "notes").status == 1
    (command,) = re.findall("`pagekeeper (.*)`", said.out)
    assert say(*shlex.split(command), "--yes").status == 0
    assert say("memory", "show", "notes").out == "one\ntwo\n"


def test_an_option_that_cannot_be_read_is_refused_in_plain_words(say: Say) -> None:
    assert "'never' is no day; write it as 2026-01-31" in say("memory", "search", "one", "--start", "never").err
    for number in ("0", "-1", "x"):
        for arguments in (["search", "one"], ["history"]):
            said = say("memory", *arguments, "--limit", number)
            assert (said.status, said.out) == (2, "")
            assert f"'{number}' is not a number from 1 up" in said.err


def test_what_is_forgotten_is_gone_and_comes_back(say: Say) -> None:
    say("memory", "edit", "notes", "--set", "likes tea\nallergic to peanuts")
    (found,) = say("memory", "forget", "peanuts", "--json").json
    assert found["text"] == "allergic to peanuts"
    assert say("memory", "forget", "peanuts").status == 2
    done = say("memory", "forget", "peanuts", "--yes", "--json").json
    assert (done["passages"], done["lines"], done["messages"]) == (0, 1, 0)
    assert say("memory", "show", "notes").out == "likes tea\n"
    assert say("memory", "forget", "peanuts", "--yes").err == "Nothing carries that.\n"
    assert "allergic to peanuts" in say("memory", "history").out
    assert say("memory", "undo", "notes").status in (0, 1)
    assert "peanuts" not in say("memory", "show", "notes").out
    assert say("memory", "undo", done["event"]).out == "Restored 1 thing.\n"
    assert "allergic to peanuts" in say("memory", "show", "notes").out


def test_a_forgetting_is_undone_by_the_number_that_the_history_shows(say: Say) -> None:
    say("memory", "edit", "notes", "--set", "likes tea\nallergic to peanuts")
    say("memory", "forget", "peanuts", "--yes")
    forgot = next(one["seq"] for one in say("memory", "history", "--json").json if one["type"] == "memory.forgotten")
    say("memory", "edit", str(forgot), "--create", "a block that is labelled so")
    assert say("memory", "undo", str(forgot)).out.startswith(f"Deleted block {forgot}"), "a block comes first"
    say("memory", "edit", "notes", "--append", "likes jam")
    edit = say("memory", "history", "notes", "--json").json[-1]["seq"]
    for number, hint in ((edit, "the block 'notes'"), (9999, "memory history"), ("9" * 40, "memory history")):
        said = say("memory", "undo", str(number))
        assert said.status == 2
        assert hint in said.err


def test_the_number_brings_back_what_was_forgotten(say: Say) -> None:
    say("memory", "edit", "notes", "--set", "likes tea\nallergic to peanuts")
    say("memory", "forget", "peanuts", "--yes")
    number = re.search(r"^(\d+) .*\n  forgotten", say("memory", "history").out, re.MULTILINE)
    assert number is not None
    assert say("--user", "you", "memory", "undo", number[1]).status == 2, "it is another user's"
    assert say("memory", "undo", number[1]).out == "Restored 1 thing.\n"
    assert "allergic to peanuts" in say("memory", "show", "notes").out


def test_forgetting_needs_to_know_what(say: Say) -> None:
    assert say("memory", "forget").status == 2
    said = say("memory", "forget", "x", "--id", "p-1")
    assert said.status == 2
    assert "not both" in said.err
    said = say("memory", "forget", " ", "--yes")
    assert said.status == 2
    assert "empty" in said.err
    assert say("memory", "forget", "--id", "p-1' OR '1'='1").status == 2


def test_search_finds_passages(say: Say) -> None:
    assert say("memory", "search", "tea").err == "No results.\n"
    assert say("memory", "search", "tea", "--json").json == []
    refused = say("memory", "search", "")
    assert refused.status == 2
    assert "The query is empty." in refused.err
    assert "`list` shows all memories" in refused.err
    assert say("memory", "search", "tea", "--start", "yesterday").status == 2
    said = say("memory", "search", "tea", "--start", "2026-02-01", "--end", "2026-01-31")
    assert (said.status, said.out) == (2, "")
    assert "--start 2026-02-01 is after --end 2026-01-31" in said.err
    assert say("memory", "search", "tea", "--start", "2026-02-01", "--end", "2026-02-01").status == 0
    assert say("memory", "search", "tea", "--agent", "nobody").status == 2


def test_a_search_for_what_there_is_not_is_a_usage_error(say: Say) -> None:
    said = say("memory", "search", "one", "--kind", "facts")
    assert said.status == 2
    assert "'facts'" in said.err
    for kind in ("fact", "episode", "insight", "skill", "document"):
        assert kind in said.err
        assert say("memory", "search", "one", "--kind", kind).status == 0
    assert say("memory", "search", "one", "--in", "blocks").status == 2


def test_what_helps_is_something_that_a_person_can_do(say: Say) -> None:
    assert say("memory", "edit", "notes", "--limit", "12").status == 0
    for arguments in (["notes", "--append", "too much for it"], ["new", "--create", "too much", "--limit", "3"]):
        said = say("memory", "edit", *arguments)
        assert said.status == 1
        assert "Shorten the text, or give the block a larger limit." in said.err
        assert "core_memory" not in said.err


@pytest.mark.parametrize(
    "query",
    [
        "everything",
        "Forget everything.",
        "all of it",
        "everything you know about me",
        "忘掉一切",
        "关于我的一切",
        "把所有事情都忘了。",
    ],
)
def test_forgetting_everything_says_how_that_is_done(say: Say, query: str) -> None:
    assert say("memory", "edit", "notes", "--append", "Everything is fine. 一切都好。").status == 0
    said = say("memory", "forget", query, "--yes")
    assert said.status == 2
    assert "agents delete" in said.err
    assert "Everything is fine." in say("memory", "show", "notes").out


@pytest.mark.parametrize("query", ["Everything is fine", "一切都好"])
def test_a_fact_about_everything_is_forgotten_as_any_other(say: Say, query: str) -> None:
    assert say("memory", "edit", "notes", "--append", "Everything is fine. 一切都好。").status == 0
    assert say("memory", "forget", query, "--yes").status == 0
    assert query not in say("memory", "show", "notes").out


def test_erasing_shows_asks_and_leaves_nothing(say: Say, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "Ada's vault opens with zarquon7."
    both = "Bob repaired zarquon7, painted boats, grew dahlias and sailed off to Lisbon."
    for text in (said, both, "Cara plays the cello."):
        assert say("memory", "edit", "notes", "--append", text).status == 0
    before = say("memory", "forget", "zarquon7", "--erase", "--json").json
    assert [(find["text"], find["partial"]) for find in before["finds"]] == [(said, False), (both, True)]
    assert say("memory", "forget", "zarquon7", "--erase").status == 2  # nobody is there to ask
    refused = say("memory", "forget", "zarquon7", "--erase", "--yes")
    assert refused.status == 2
    assert "--partial erase or --partial keep" in refused.err
    answers = iter(["n\n", "y\n"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdin.readline", lambda: next(answers))
    done = say("memory", "forget", "zarquon7", "--erase")
    assert done.status == 0
    assert f"erase: {said}  (3 × block revision)" in done.out
    assert f"Erase this too? {both} [y/N]" in done.err
    assert "Erased from 3 revisions of blocks.\n" in done.out
    assert f"Kept: {both}" in done.err
    assert "Exports and backups" in done.err
    assert say("memory", "show", "notes").out == f"one\ntwo\n三\n{both}\nCara plays the cello.\n"
    done = say("memory", "forget", "zarquon7", "--erase", "--partial", "erase", "--yes", "--json")
    assert done.json["revisions"] >= 2
    assert holding(home, "zarquon7") == []
    assert "Cara plays the cello." in say("memory", "show", "notes").out
    assert say("memory", "forget", "zarquon7", "--erase", "--yes").err == "Nothing says that.\n"
    checked = say("doctor")
    assert "erasure" not in checked.out
    assert "journal: " in checked.out


def test_options_of_erasing_go_with_erasing(say: Say) -> None:
    assert say("memory", "forget", "tea", "--partial", "keep").status == 2
    assert say("memory", "forget", "tea", "--forks").status == 2
    assert "holds no words" in say("memory", "forget", "tea", "--erase", "--reason", "why").err
    assert say("memory", "forget", "everything", "--erase", "--yes").status == 2
