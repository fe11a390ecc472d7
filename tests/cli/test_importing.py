"""`pagekeeper memory import`: agents, documents and notes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from pagekeeper.cli.importing import _ABOUT
from pagekeeper.runtime.archive.documents.jsonl import KEYS
from pagekeeper.tests.cli.conftest import Say
from pagekeeper.tests.support.importing import guide, write
from pagekeeper.tests.support.processes import Shell


def test_documents_are_imported_once_and_found(say: Say, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", guide__md="# Guide\n## Tea\nSteep it.", notes__jsonl='"Ada likes tea."', x__png="x")
    said = say("memory", "import", str(docs), "--tag", "tea", "--kind", "insight")
    assert (said.status, said.err) == (0, "")
    assert said.out == "Added 2 passages of 2 files; 0 were there already.\nNot imported: 1 of other kinds.\n"
    again = say("memory", "import", str(docs / "notes.jsonl"), "--kind", "insight")
    assert again.out == "Added 0 passages of 1 file; 1 was there already.\n"
    tagged = say("memory", "import", str(docs / "notes.jsonl"), "--kind", "insight", "--tag", "hers", "--tag", "tea")
    assert tagged.out == "Added 0 passages of 1 file; 1 was there already, 1 of them tagged now.\n"
    (found,) = say("memory", "search", "What does Ada like?", "--tag", "hers", "--json").json
    assert set(found["tags"]) == {"tea", "file:notes.jsonl", "hers"}
    done = say("memory", "import", "--json", str(docs / "guide.md")).json
    assert (done["added"], done["present"], done["files"]) == (1, 0, 1)
    found = say("memory", "search", "How is tea made?", "--tag", "file:guide.md", "--kind", "insight", "--tag", "tea")
    assert "insight from guide.md, imported: Guide > Tea Steep it." in found.out


def test_a_fault_is_told_and_the_rest_is_imported(say: Say, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a__txt="a", b__jsonl='"x"\n{"text": "y", "tag": []}', c__txt=b"\xff\xfea\0")
    said = say("memory", "import", str(docs))
    assert said.status == 1
    assert said.out == "Added 1 passage of 1 file; 0 were there already.\n"
    assert f"{docs}/b.jsonl was left out: line 2: there is no key 'tag'. Did you mean 'tags'?" in said.err
    assert f"{docs}/c.txt was left out: it is not UTF-8" in said.err
    said = say("memory", "import", str(docs / "b.jsonl"), "--json")
    assert said.status == 1, "alone as among others"
    assert said.json["skipped"][0]["name"] == str(docs / "b.jsonl")


def test_help_lists_every_key_of_a_note() -> None:
    assert [key for key in KEYS if key not in re.findall(r"\w+", _ABOUT)] == []


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    done = Shell(tmp_path / "home").run("memory", "import", str(tmp_path / "pipe.txt"))
    assert (done.status, done.out) == (2, "")
    assert "is neither a file nor a folder" in done.err


def test_one_link_is_told_in_the_singular(say: Say, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a__txt="a")
    (docs / "b.txt").symlink_to(docs / "a.txt")
    assert say("memory", "import", str(docs)).out.endswith("Not imported: 1 link.\n")
    (docs / "c.txt").symlink_to(docs / "a.txt")
    assert say("memory", "import", str(docs)).out.endswith("Not imported: 2 links.\n")


def test_what_cannot_be_taken_is_a_usage_error(say: Say, tmp_path: Path) -> None:
    say("memory", "export", str(tmp_path / "export.jsonl"))
    write(tmp_path, a__txt="a", data__bin="a")
    for arguments, words in (
        (["data.bin"], "What"),
        (["none"], "No such file"),
        (["a.txt", "none"], "No such file"),
        (["a.txt", "--as", "x"], "--as names an exported agent"),
        (["a.txt", "--kind", "poem"], "invalid choice: 'poem'"),
        (["a.txt", "--tag", ""], "A tag is empty"),
        (["a.txt", "--agent", "nobody"], "no agent 'nobody'"),
        (["export.jsonl", "--tag", "x"], "This is an agent's export, and --tag is for documents"),
    ):
        paths = [str(tmp_path / it) if "." in it or it == "none" else it for it in arguments]
        said = say("memory", "import", *paths)
        assert (said.status, said.out) == (2, ""), arguments
        assert words in said.err
    said = say("memory", "import", str(tmp_path / "export.jsonl"), str(tmp_path / "a.txt"))
    assert (said.status, said.out) == (1, "Added 1 passage of 1 file; 0 were there already.\n")
    assert "the head of an agent's export. Import that file alone." in said.err
    assert say("memory", "import", str(tmp_path / "data.bin"), "--format", "text").out.startswith("Added 0 passages")


def test_standard_input_in_a_new_home(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    done = shell.run("memory", "import", "-", stdin="# Tee\r\n## 做法\r\n泡三分钟。\r\n")
    assert (done.status, done.out, done.err) == (0, "Added 1 passage of 1 file; 0 were there already.\n", "")
    done = shell.run("memory", "import", "-", "--json", stdin='{"text": "Ada likes tea.", "kind": "fact"}\n"Bo too."')
    assert done.lines[0]["added"] == 2
    found = json.loads(shell.run("memory", "search", "--json", "做法").out)
    assert found[0]["text"] == "Tee > 做法\n泡三分钟。"
    exported = shell.run("memory", "export").out
    other = Shell(tmp_path / "other")
    assert other.run("memory", "import", "-", "--as", "again", stdin=exported).out.startswith("Imported agent again")
    assert json.loads(other.run("memory", "search", "tea", "--agent", "again", "--json").out)
    assert shell.run("memory", "import", "-", stdin="").out.endswith("Not imported: 1 empty.\n")


def test_what_was_imported_is_in_order_when_the_command_ends(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    assert shell.run("memory", "import", "-", stdin=guide(300)).status == 0
    assert "300 passages and 0 messages in generation 1, 0 pending" in shell.run("doctor").out
    # A few are not worth it.
    shell.run("memory", "import", "-", stdin="one more")
    assert "300 passages and 0 messages in generation 1, 1 pending" in shell.run("doctor").out


def test_what_cannot_be_imported_is_named_with_what_helps(say: Say, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("a = 1")
    for path, words in (
        (str(tmp_path / "x.toml"), "--format jsonl|markdown|text"),
        ("", "blank"),
        ("/dev/null", "Name `-` to read standard input."),
    ):
        said = say("memory", "import", path)
        assert said.status == 2
        assert words in said.err
