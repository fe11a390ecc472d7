"""`pagekeeper memory work`: what it says, and its status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import main
from pagekeeper.runtime.errors import ModelUnavailable
from pagekeeper.tests.support.sleeping import answer, home, model_of


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = model_of("Hello.")
    monkeypatch.setattr("pagekeeper.assembly.make_model", lambda _settings: made)
    return made


def said(path: Path, *words: str) -> int:
    return main(["--home", str(path / "home"), *words])


def test_it_tells_what_became_of_it(tmp_path: Path, model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model.enqueue_for("extract", answer(home("Porto"), {"op": "add"}))
    assert said(tmp_path, "ask", "I live in Porto.") == 0
    capsys.readouterr()
    assert said(tmp_path, "memory", "work") == 0
    out, err = capsys.readouterr()
    assert "Went through 2 messages." in out
    assert "     1  added" in out
    assert "It took 1 model call." in out
    assert "Not used: an operation 'add' without text." in err
    assert said(tmp_path, "memory", "work", "--json") == 0
    assert json.loads(capsys.readouterr().out)["messages"] == 0


def test_it_tells_what_stopped_it(tmp_path: Path, model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model.enqueue_for("extract", ModelUnavailable("The model is down."))
    assert said(tmp_path, "ask", "I live in Porto.") == 0
    assert said(tmp_path, "memory", "work") == 1
    assert "The model is down." in capsys.readouterr().err
    assert said(tmp_path, "doctor") == 0
    assert "failed 1 time for user of agent main; the last time: The model is down." in capsys.readouterr().out


def test_asking_does_what_is_due_when_the_reply_is_there(
    tmp_path: Path, model: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGEKEEPER_SLEEPTIME_MESSAGES", "2")
    model.enqueue_for("extract", answer(home("Porto")))
    assert said(tmp_path, "ask", "I live in Porto.") == 0
    assert said(tmp_path, "memory", "search", "Porto", "--json") == 0
    assert "The user lives in Porto." in capsys.readouterr().out


def test_without_an_agent_there_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(tmp_path, "agents", "create", "ada") == 0
    assert said(tmp_path, "memory", "work") == 2
    assert "no agent" in capsys.readouterr().err


def test_a_search_tells_what_held_on_a_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ("I live in Porto.", "I moved to Berlin on 3 March 2026."):
        assert said(tmp_path, "ask", words) == 0
        assert said(tmp_path, "memory", "work") == 0
    for day, city in (("2026-01-31", "Porto"), ("2026-03-04", "Berlin")):
        capsys.readouterr()
        assert said(tmp_path, "memory", "search", "where does the user live", "--as-of", day, "--json") == 0
        (hit,) = json.loads(capsys.readouterr().out)
        assert city in hit["text"]
    assert said(tmp_path, "memory", "search", "home", "--as-of", "2026-01-31", "--in", "messages") == 2
    assert "--start and --end" in capsys.readouterr().err
