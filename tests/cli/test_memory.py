"""`pagekeeper memory`: what it prints, for people and as JSON."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekeeper.tests.cli.conftest import Say


def test_show_lists_the_blocks_of_this_user(say: Say) -> None:
    said = say("memory", "show")
    assert said.status == 0
    assert said.out == "notes (revision 2, 9 of 5,000 characters)\n  # what matters\n  one\n  two\n  三\n"
    assert "yours" in say("memory", "show", "--user", "you").out
    assert "yours" in say("--user", "you", "memory", "show").out


def test_show_prints_a_value_alone(say: Say) -> None:
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"
    assert say("memory", "show", "notes", "--as-of", "2").out == "one\ntwo\n"
    assert say("memory", "show", "--json", "notes").json["value"] == "one\ntwo\n三"
    assert [block["label"] for block in say("memory", "show", "--json").json] == ["notes"]


def test_what_is_not_there_is_a_usage_error(say: Say) -> None:
    said = say("memory", "show", "nots")
    assert (said.status, said.out) == (2, "")
    assert said.err.splitlines() == [
        "pagekeeper: There is no block 'nots'.",
        "`pagekeeper memory show` lists them.",
    ]
    said = say("memory", "show", "--agent", "mian")
    assert said.status == 2
    assert "Did you mean 'main'?" in said.err
    assert say("memory", "show", "secret").status == 2


def test_history_tells_what_happened_and_by_whom(say: Say) -> None:
    said = say("memory", "history")
    assert said.out.splitlines()[1:4] == ["  block notes created", "  @@ -0,0 +1,2 @@", "  +one"]
    assert "secret" not in said.out
    changes = say("memory", "history", "--json").json
    assert [(change["seq"], change["writer"], change["type"]) for change in changes] == [
        (2, "user", "block.created"),
        (3, "agent", "block.edited"),
    ]
    assert len(say("memory", "history", "--json", "--limit", "1").json) == 1


def test_history_of_a_block_has_its_versions(say: Say) -> None:
    versions = say("memory", "history", "notes", "--json").json
    assert [version["block"]["value"] for version in versions] == ["one\ntwo", "one\ntwo\n三"]
    assert "revision 2" in say("memory", "history", "notes").out


def test_diff_compares_revisions(say: Say) -> None:
    assert say("memory", "diff", "notes").out.splitlines()[-1] == "+三"
    assert say("memory", "diff", "notes", "0", "1").out.splitlines()[-2:] == ["+one", "+two"]
    assert say("memory", "diff", "notes", "2", "2").out == "No difference.\n"
    said = say("memory", "diff", "notes", "1", "9")
    assert said.status == 2
    assert "no revision 9" in said.err


def test_an_export_can_be_imported_elsewhere(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "main.jsonl"
    said = say("memory", "export", str(file))
    assert (said.status, said.err) == (0, "Exported 4 events.\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert say("memory", "export").out == file.read_text("utf-8")
    other = str(tmp_path / "other")
    said = say("--home", other, "memory", "import", str(file), "--as", "again")
    assert said.out == "Imported agent again with 4 events.\n"
    assert say("--home", other, "memory", "show", "notes", "--agent", "again").out == "one\ntwo\n三\n"


def test_what_cannot_be_imported_says_why(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "main.jsonl"
    say("memory", "export", str(file))
    assert "in this home already, as 'main'" in say("memory", "import", str(file)).err
    header = file.read_bytes().splitlines(keepends=True)[0]
    (tmp_path / "bad").write_bytes(header + b"\xff\xfe")
    for name, words in (("bad", "not UTF-8"), ("missing", "No such file"), ("x\0", "null byte")):
        said = say("memory", "import", str(tmp_path / name))
        assert said.status == 2
        assert words in said.err


def test_an_export_of_a_deleted_agent_says_where_it_can_go(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "main.jsonl"
    say("memory", "export", str(file))
    assert say("agents", "delete", "main", "--yes").status == 0
    said = say("memory", "import", str(file))
    assert said.status == 2
    assert "This agent was 'main' in this home, and deleted" in said.err
    assert "Import it into another home." in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["memory", "show", "--as-of", "soon"],
        ["memory", "diff", "notes", "1.5"],
        ["memory", "edit", "notes", "--limit", "soon"],
        ["agents", "fork", "main", "two", "--at", "soon"],
        ["agents", "rewind", "main", "--to", ""],
        ["agents", "rewind", "main", "--turns", "soon"],
        ["eval", "recall", "x", "--seed", "soon"],
    ],
)
def test_what_is_no_number_is_said_in_plain_words(say: Say, arguments: list[str]) -> None:
    said = say(*arguments)
    assert (said.status, said.out) == (2, "")
    assert f"{arguments[-1]!r} is not a whole number" in said.err


def test_a_missing_or_wrong_choice_is_called_as_the_help_calls_it(say: Say) -> None:
    assert "required: ID, new|old|both" in say("memory", "settle").err
    assert "argument new|old|both: invalid choice: 'perhaps'" in say("memory", "settle", "x", "perhaps").err
    assert "argument accept|reject|drop: invalid choice: 'list'" in say("memory", "rules", "list").err


@pytest.mark.parametrize(
    ("arguments", "wrong", "near"),
    [
        (["--homme", "x"], "--homme.", "--home"),
        (["--user", "me", "--homme", "x", "doctor"], "--homme.", "--home"),
        (["memory", "--agnet", "x", "list"], "--agnet.", ""),
        (["memory", "list", "--agnet", "x"], "--agnet.", "--agent"),
        (["ask", "--modle=x", "hi"], "--modle=x.", "--model"),
        (["memroy", "list"], "'memroy'", "memory"),
        (["memory", "serch", "x"], "'serch'", "search"),
        (["memory", "list", "--kind", "fakt"], "'fakt'", "fact"),
        (["memory", "zzzz"], "'zzzz'", ""),
    ],
)
def test_what_is_mistyped_is_named_with_what_is_nearest(say: Say, arguments: list[str], wrong: str, near: str) -> None:
    said = say(*arguments)
    assert (said.status, said.out) == (2, "")
    first = said.err.splitlines()[0]
    assert (wrong if near else wrong.rstrip(".")) in first
    assert first.endswith(f"Did you mean {near}?") if near else "Did you mean" not in first


def test_a_text_and_a_value_that_look_like_options_are_taken(say: Say) -> None:
    assert say("memory", "search", "--", "--homme").status == 0
    assert say("memory", "search", "--what is this").status == 0
    assert say("memory", "list", "--tag=--homme").status == 0
    assert say("memory", "list", "--help", "--homme").status == 0


def test_an_id_that_is_none_leads_to_the_list_that_has_it(say: Say) -> None:
    for wrong in ("x", "p-0fk3a2"):
        said = say("memory", "settle", wrong, "new")
        assert said.status == 2
        assert f"There is no dispute '{wrong}'." in said.err
        assert "`pagekeeper memory disputes` lists" in said.err
        for decision in ("accept", "reject", "drop"):
            said = say("memory", "rules", decision, wrong)
            assert said.status == 2
            assert f"There is no rule '{wrong}'." in said.err
            assert "`pagekeeper memory rules` lists" in said.err


@pytest.mark.parametrize("event", ["-1", "0", "999999"])
def test_a_moment_that_never_was_is_refused(say: Say, event: str) -> None:
    said = say("memory", "show", "--as-of", event)
    assert (said.status, said.out) == (2, "")
    assert f"There is no event {event}: this agent's events run from 1 to 4." in said.err


def test_an_export_takes_the_place_of_a_file_only_if_it_is_to(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("precious")
    said = say("memory", "export", str(file))
    assert said.status == 2
    assert "--force" in said.err
    assert file.read_text() == "precious"
    assert say("memory", "export", "--force", str(file)).status == 0
    assert file.read_text("utf-8") == say("memory", "export").out
    assert file.stat().st_mode & 0o077 == 0


def test_an_export_that_fails_leaves_the_file_as_it_was(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "kept").write_text("precious")

    def failing(connection: object, agent: str) -> Iterator[str]:
        yield "the first line"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pagekeeper.runtime.journal.transfer.export", failing)
    said = say("memory", "export", "--force", str(folder / "kept"))
    assert said.status == 1
    assert f"{folder / 'kept'} cannot be written (No space left on device)." in said.err
    assert say("memory", "export", str(folder / "new")).status == 1
    assert [one.name for one in folder.iterdir()] == ["kept"]
    assert (folder / "kept").read_text() == "precious"
