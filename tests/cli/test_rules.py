"""`pagekeeper memory rules`: what it lists, and what its decisions do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import main
from pagekeeper.tests.support.sleeping import answer, model_of, operation, reflected

RULE = "Look at the weather at sea before proposing a trip."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = model_of("Hello.")
    monkeypatch.setattr("pagekeeper.assembly.make_model", lambda _settings: made)
    return made


def said(path: Path, *words: str) -> int:
    return main(["--home", str(path / "home"), *words])


def test_rules_are_listed_and_decided_on(tmp_path: Path, model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    trips = [operation(f"The user sailed to {port}.", kind="episode") for port in ("Faro", "Brest", "Cork")]
    model.enqueue_for("extract", answer(*trips))
    model.enqueue_for("reflect", reflected(rules=(RULE,)))
    assert said(tmp_path, "ask", "I sailed to Faro, Brest and Cork.") == 0
    assert said(tmp_path, "memory", "work") == 0
    assert "1  rules proposed" in capsys.readouterr().out
    assert said(tmp_path, "memory", "rules") == 0
    out, err = capsys.readouterr()
    assert f"  proposed, sure by 80%: {RULE}" in out
    assert "    since The user sailed to Cork." in out
    assert "accept|reject ID" in err
    assert said(tmp_path, "memory", "rules", "--json") == 0
    [rule] = json.loads(capsys.readouterr().out)
    assert out.startswith(f"{rule['short']}  ")
    assert (rule["text"], rule["accepted"], len(rule["evidence"])) == (RULE, False, 3)

    assert said(tmp_path, "memory", "rules", "accept") == 2
    assert "Say which rule to accept" in capsys.readouterr().err
    assert said(tmp_path, "memory", "rules", "drop", rule["id"]) == 2
    assert f"`pagekeeper memory rules reject {rule['id']}`" in capsys.readouterr().err
    assert said(tmp_path, "memory", "rules", "accept", rule["id"]) == 0
    assert capsys.readouterr().out == f"It holds: {RULE}\n"
    assert said(tmp_path, "memory", "show", "rules") == 0
    assert RULE in capsys.readouterr().out
    assert said(tmp_path, "memory", "rules", "drop", rule["id"], "--json") == 0
    assert json.loads(capsys.readouterr().out)["text"] == RULE
    assert said(tmp_path, "memory", "rules") == 0
    assert "There are none." in capsys.readouterr().err
