"""`pagekeeper run`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import pagekeeper
from pagekeeper.cli import main
from pagekeeper.conversations import events
from pagekeeper.tests.conversations.playing import write
from pagekeeper.tests.support.processes import Shell

GOOD = """\
    title: A name is kept
    steps:
      - say: Hi, my name is Ada.
        expect: {reply: Ada, blocks: {human: Ada}}
      - restart: true
      - say: What is my name?
        expect: {reply: Ada}
    """
BAD = """\
    title: 一个城市
    parameters: [{city: Porto}, {city: 里斯本}]
    steps:
      - say: Hello, I live in ${city}.
        does: [{call: core_memory_append, with: {label: human, content: Lives in Porto.}}, Noted.]
        expect:
          blocks:
            human:
              contains: Lives in ${city}.
    """


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the scripts are, which is the current folder."""
    write(tmp_path, GOOD, "good.conversation.yaml")
    write(tmp_path, BAD, "bad.conversation.yaml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_failure_says_what_is_there_and_what_happened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "."]) == 1
    printed = capsys.readouterr()
    failed, summary = printed.out.split("\n\n")
    assert summary == "3 conversations: 2 passed, 1 failed\n"
    assert failed.split("\n") == [
        "FAILED bad.conversation.yaml: 一个城市 [里斯本]",
        "  bad.conversation.yaml:9: expected: block 'human' holds 'Lives in 里斯本.'",
        "    there is: 'What I know about the user:\\nLives in Porto.'",
        "    closest: Lives in Porto.",
        "  until then:",
        "    > Hello, I live in 里斯本.",
        '    [core_memory_append {"label": "human", "content": "Lives in Porto."}]',
        "    Changed block human from revision 1 to 2, 43 of 5,000 characters.",
        "    +Lives in Porto.",
        "    < Noted.",
    ]
    assert printed.err == ""


def test_reports_for_machines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "bad.conversation.yaml", "good.conversation.yaml", "--json", "--junit", "report.xml"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["passed"], said["failed"]) == (2, 1)
    [_, failed, passed] = said["conversations"]
    assert failed["failures"][0]["line"] == 9
    assert failed["transcript"][0] == "> Hello, I live in 里斯本."
    assert passed.keys() == {"file", "name", "passed", "turns", "requests", "tokens"}
    assert (passed["turns"], passed["passed"]) == (2, True)
    suite = ElementTree.parse("report.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [case.get("name") for case in suite] == ["一个城市 [Porto]", "一个城市 [里斯本]", "A name is kept"]
    assert "Lives in 里斯本" in (suite[1][0].text or "")


def test_the_readmes_own_conversations_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(pagekeeper.__file__ or "").parent / "README.md").read_text("utf-8")
    written = re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)
    paths = [str(write(tmp_path, text, f"{number}.conversation.yaml")) for number, text in enumerate(written)]
    assert main(["run", *paths]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == "4 conversations: 4 passed, 0 failed\n"


def test_the_readme_names_every_event() -> None:
    readme = " ".join((Path(pagekeeper.__file__ or "").parent / "README.md").read_text("utf-8").split())
    for head, names in (("prints them too: ", events.STREAM), ("one of the journal: ", events.JOURNAL)):
        listed = ", ".join(f"`{name}`" for name in names) + "."
        assert readme.split(head)[1].startswith(listed), f"README.md is to say, after {head!r}: {listed}"


def test_some_of_them_and_homes_that_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", ".", "-k", "NAME IS", "--keep-home", "kept"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "1 conversation: 1 passed, 0 failed\n"
    assert "The homes are in kept" in printed.err
    assert main(["memory", "show", "--home", "kept/001-A-name-is-kept"]) == 0
    assert "Ada" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.yaml"], "none.yaml cannot be read"),
        (["empty"], "There is no *.conversation.yaml in empty"),
        ([".", "-k", "weather"], "None of 3 conversations has 'weather'"),
        ([".", "--home", "h"], "--keep-home says where"),
        ([".", "--keep-home", "."], "not empty"),
        ([".", "--jobs", "0"], "not a number from 1 up"),
        ([], "required: SCRIPT"),
        ([".", "--jsn"], "--jsn. Did you mean --json?\n`pagekeeper run --help`"),
    ],
)
def test_usage_errors(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    (folder / "empty").mkdir()
    try:
        status = main(["run", *arguments])
    except SystemExit as exit:
        status = int(exit.code or 0)
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert words in printed.err


def test_mistakes_of_all_files_are_told_and_nothing_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "title: x\nsteps:\n- sya: hi\n", "c.conversation.yaml")
    write(folder, "title: x\nstep:\n- say: hi\n", "d.conversation.yaml")
    assert main(["run", "."]) == 2
    err = capsys.readouterr().err
    assert "c.conversation.yaml:3: there is no key `sya` in `steps`. Did you mean 'say'?" in err
    assert "d.conversation.yaml:2: there is no key `step` in the document. Did you mean 'steps'?" in err


def test_new_replies_are_accepted_and_nothing_else_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = """\
        # A comment that stays.
        title: old   # and this
        steps:
          - say: Hi, my name is Ada.
            expect:
              reply:
                equals: |
                  Something
                  old
              calls: [core_memory_append]   # this too
          - say: 我住在里斯本。
            expect: {reply: {equals: 'gone'}, blocks: {human: 里斯本}}
        """
    path = write(folder, script, "old.conversation.yaml")
    before = path.read_text("utf-8")
    assert main(["run", "old.conversation.yaml"]) == 1
    capsys.readouterr()
    assert main(["run", "old.conversation.yaml", "--update"]) == 0
    assert "old.conversation.yaml: 2 new replies accepted" in capsys.readouterr().err
    after = path.read_text("utf-8")
    assert main(["run", "old.conversation.yaml"]) == 0
    kept = [line for line in before.split("\n") if "equals" not in line and line.strip() not in ("Something", "old")]
    assert [line for line in after.split("\n") if "equals" not in line] == kept
    assert "里斯本" in after.split("equals: ")[2]


def test_what_is_not_accepted_says_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = """\
        title: rows
        parameters: [{who: Ada, held: Ada}, {who: Bo, held: Bo}]
        steps:
          - say: My name is ${who}.
            expect: {reply: {equals: Hello}}
          - say: What is my name?
            expect: {reply: {equals: "It is ${held}!"}}
        ---
        title: other rules
        steps:
          - say: My name is Ada.
          - say: What is my name?
            expect:
              reply:
                equals: nothing
                contains: Zoe
        """
    path = write(folder, script, "why.conversation.yaml")
    before = path.read_bytes()
    assert main(["run", "why.conversation.yaml", "--update"]) == 1
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        "why.conversation.yaml: 1 new reply accepted",
        "why.conversation.yaml:7: the reply is not accepted: what it equals is filled in from variables",
        "why.conversation.yaml:16: the reply is not accepted: "
        "only what stands in `equals` can be written anew, not `contains`",
        "why.conversation.yaml:5: the reply is not accepted: "
        "the reply is not the same each time that this step is played",
    ]
    assert "0 passed, 3 failed" in printed.out
    assert path.read_bytes() == before.replace(b"equals: nothing", after_equals(path))


def after_equals(path: Path) -> bytes:
    """What stands in the line of the reply that was accepted."""
    return path.read_bytes().splitlines()[14].strip()


def test_replies_in_included_files_are_accepted_with_their_line_ends(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    included = write(folder, "- say: What is my name?\n  expect:\n    reply: {equals: old}  # 旧\n", "steps.yaml")
    included.write_bytes(included.read_bytes().replace(b"\n", b"\r\n"))
    write(folder, "title: x\nsteps:\n- say: I'm Ada.\n- include: steps.yaml\n", "x.yaml")
    assert main(["run", "x.yaml", "--update"]) == 0, capsys.readouterr()
    assert "steps.yaml: 1 new reply accepted" in capsys.readouterr().err
    after = included.read_bytes()
    assert after.startswith(b'- say: What is my name?\r\n  expect:\r\n    reply: {equals: "')
    assert after.endswith("}  # 旧\r\n".encode())
    assert main(["run", "x.yaml"]) == 0


def test_an_answer_of_its_own_is_not_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, "title: x\nsteps:\n- say: hi\n  does: [ho]\n  expect: {reply: {equals: ha}}\n", "x.yaml")
    other = write(folder, "title: y\nsteps:\n- say: hi\n  expect: {reply: {equals: ha}}\n", "y.yaml")
    before = path.read_bytes(), other.read_bytes()
    assert main(["run", "y.yaml", "x.yaml", "--update"]) == 2
    assert "contains its own answer" in capsys.readouterr().err
    assert (path.read_bytes(), other.read_bytes()) == before


def test_equal_runs_print_equal_bytes_also_in_parallel_and_elsewhere(tmp_path: Path) -> None:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    write(scripts, GOOD, "good.conversation.yaml")
    write(scripts, BAD, "bad.conversation.yaml")
    told = []
    for environment, options in (
        ({"TZ": "Asia/Tokyo", "LC_ALL": "C"}, ()),
        ({"TZ": "America/Lima", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7"}, ("--jobs", "2")),
    ):
        done = Shell(tmp_path / "home", {**environment, "PYTHONUTF8": "1"}).run("run", str(scripts), "--json", *options)
        assert done.status == 1, done.err
        told.append(done.out)
    assert told[0] == told[1]
    assert not (tmp_path / "home").exists()
