"""Recording what a model answers, playing it back without the model, and comparing models and prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekeeper.cli import main
from pagekeeper.tests.conversations.playing import write
from pagekeeper.tests.support.openai_server import OpenAIServer, called

SCRIPT = """\
    title: It notes and answers
    steps:
      - say: I'm Ada.
        expect: {calls: [core_memory_append], blocks: {human: Ada}}
      - restart: true
      - say: What is my name?
        expect: {reply: Ada}
    """
KEY = "sk-secret-4711"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, openai_server: OpenAIServer) -> Path:
    """A folder with the script, beside a provider that answers it once."""
    write(tmp_path, SCRIPT)
    noted = ("core_memory_append", json.dumps({"label": "human", "content": "Name: Ada"}))
    openai_server.enqueue(called(noted), "Hello, Ada.", "You are Ada.")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("PAGEKEEPER_API_BASE", openai_server.url)
    return tmp_path


def run(*arguments: str) -> int:
    return main(["run", "a.conversation.yaml", *arguments])


def test_a_replay_gives_the_same_events_without_the_model(
    folder: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--model", "openai/test", "--record", "tapes", "--keep-home", "first", "--json") == 0
    recorded = capsys.readouterr().out
    [tape] = (folder / "tapes").iterdir()
    assert tape.name == "a-It-notes-and-answers.jsonl"
    assert KEY not in tape.read_text("utf-8")
    asked = len(openai_server.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("PAGEKEEPER_API_BASE")
    assert run("--replay", "tapes", "--keep-home", "second", "--json") == 0
    assert capsys.readouterr().out == recorded
    assert len(openai_server.requests) == asked == 3
    events = []
    for home in ("first", "second"):
        assert main(["memory", "export", "--home", f"{home}/001-It-notes-and-answers"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        # The owner of an input is a process, so it is another one each time.
        events.append([{**line, "payload": {**line.get("payload", {}), "owner": ""}} for line in lines])
    assert [line.get("type") for line in events[0]].count("turn.ended") == 2
    assert events[0] == events[1]


def test_a_changed_request_says_what_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--model", "openai/test", "--record", "tapes") == 0
    write(folder, SCRIPT.replace("What is my name?", "What was my name?"))
    capsys.readouterr()
    assert run("--replay", "tapes") == 1
    out = capsys.readouterr().out
    assert "the request is not the recorded one" in out
    assert "What was my name?" in out
    write(folder, SCRIPT.split("      - restart")[0])
    assert run("--replay", "tapes") == 1
    assert "expected: all that was recorded is asked for" in capsys.readouterr().out
    (folder / "empty").mkdir()
    assert run("--replay", "empty") == 1
    assert "There is no cassette empty/a-It-notes-and-answers.jsonl." in capsys.readouterr().out
    (folder / "empty" / "a-It-notes-and-answers.jsonl").write_text("?\n", encoding="utf-8")
    assert run("--replay", "empty") == 1
    assert "cannot be read as a cassette" in capsys.readouterr().out
    assert run("--replay", "elsewhere") == 2
    assert "There is no folder elsewhere to play back from." in capsys.readouterr().err
    assert main(["run", "a.conversation.yaml", "--replay", "tapes", "--compare", "offline"]) == 2


def test_models_and_prompts_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "brief.md").write_text("Be brief.", encoding="utf-8")
    arguments = ("--compare", "openai/test", "--compare", "offline", "--prompt", "brief.md")
    assert run(*arguments, "--json") == 1
    rows = json.loads(capsys.readouterr().out)
    # The provider answers as it should once; after that it says "ok".
    assert [(it["model"], it["prompt"], it["passed"], it["of"]) for it in rows] == [
        ("openai/test", "-", 1, 1),
        ("openai/test", "brief.md", 0, 1),
        ("offline", "-", 1, 1),
        ("offline", "brief.md", 1, 1),
    ]
    assert rows[0]["requests"] == 3
    assert rows[3]["tokens"] > rows[2]["tokens"] > 0
    assert rows[1]["failures"][0]["line"] == 4
    assert run("--compare", "offline", "--repeat", "3") == 0
    heads, row = capsys.readouterr().out.splitlines()
    names = ["model", "prompt", "passed", "of", "turns", "requests", "tokens", "seconds"]
    assert heads.split() == [*names, "passed", "each", "time", "tokens", "each", "time"]
    assert row.split()[:5] == ["offline", "-", "3", "3", "6"]
    assert row.split()[-2] == "1"
    for wrong in (("--repeat", "2"), ("--prompt", "none.md"), ("--compare", "offline", "--update")):
        assert run(*wrong) == 2


def test_a_comparison_tells_what_failed_and_how_it_varies(
    folder: Path, openai_server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    # The provider answers as it should the first time alone, and the script's own model is not asked.
    write(folder, SCRIPT.replace("steps:", "agent: {model: offline}\n    steps:"))
    assert run("--compare", "openai/test", "--repeat", "3") == 1
    assert len(openai_server.requests) == 5
    _, row, _, failed, *told = capsys.readouterr().out.splitlines()
    assert row.split()[:4] == ["openai/test", "-", "1", "3"]
    spread = [cell for cell in row.split("  ") if cell][-2:]
    assert spread[0] == "0 to 1"
    least, most = (int(figure.replace(",", "")) for figure in spread[1].split(" to "))
    assert 0 < least < most
    assert failed == "FAILED with openai/test (2 of 3 times): a.conversation.yaml: It notes and answers"
    assert told[0].startswith("  a.conversation.yaml:5: expected: there is, in this order, the call core_memory_append")
    assert told[1] == "    there is: no calls"


def test_a_process_that_is_killed_has_a_cassette_of_its_own(
    folder: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = """\
        title: It notes and answers
        steps:
          - say: I'm Ada.
            fault: {crash: after model.replied}
          - say: What is my name?
            expect: {reply: Ada, blocks: {human: Ada}}
        """
    write(folder, script)
    assert run("--model", "openai/test", "--record", "tapes", "--json") == 0
    recorded = capsys.readouterr().out
    names = sorted(tape.name for tape in (folder / "tapes").iterdir())
    assert names == ["a-It-notes-and-answers.1.jsonl", "a-It-notes-and-answers.jsonl"]
    assert [len((folder / "tapes" / name).read_text("utf-8").splitlines()) for name in names] == [2, 2]
    asked = len(openai_server.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("PAGEKEEPER_API_BASE")
    assert run("--replay", "tapes", "--json") == 0
    assert capsys.readouterr().out == recorded
    assert len(openai_server.requests) == asked == 2


def test_two_conversations_do_not_share_a_cassette(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "title: a-b\nsteps:\n- say: hi\n---\ntitle: a b\nsteps:\n- say: hi\n")
    assert run("--record", "tapes") == 2
    assert "would share the cassette a-a-b.jsonl" in capsys.readouterr().err
    assert not (folder / "tapes").exists()
