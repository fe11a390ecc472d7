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
    assert run("--replay", "elsewhere") == 1
    assert "cannot be read as a cassette" in capsys.readouterr().out
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
    assert run("--compare", "offline", "--repeat", "3") == 0
    heads, row = capsys.readouterr().out.splitlines()
    assert heads.split() == ["model", "prompt", "passed", "of", "turns", "requests", "tokens", "seconds"]
    assert row.split()[:5] == ["offline", "-", "3", "3", "6"]
    for wrong in (("--repeat", "2"), ("--prompt", "none.md"), ("--compare", "offline", "--update")):
        assert run(*wrong) == 2
