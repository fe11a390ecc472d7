"""`pagekeeper eval diary`: a short diary lived and asked about, and what counts as answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import main
from pagekeeper.evaluation.diary import Answered, Lived, load, summary
from pagekeeper.runtime.errors import DatasetError

DIARY = """
zone: Europe/Madrid
asked: 2026-04-20T10:00
days:
  - date: '2026-04-01'
    turns:
      - {at: '08:00', says: "Hello!"}
      - {at: '08:01', says: "I live in Valencia."}
      - {at: '08:02', says: "My sister Marit lives in Lisbon."}
      - {at: '08:03', says: "My locker code is 7731."}
  - date: '2026-04-02'
    turns:
      - {at: '08:00', says: "Forget my locker code."}
  - date: '2026-04-10'
    turns:
      - {at: '08:00', says: "I live in Girona now."}
questions:
  - {kind: current, about: home, ask: 'Where do I live?', expect: [[Girona]], not: [Valencia]}
  - {kind: current, about: pet, ask: 'What is my dog called?', expect: [[Rex]]}
  - {kind: as_of, about: home, as_of: '2026-04-05', ask: 'Where did I live on 5 April?', expect: [[Valencia]],
     not: [Girona]}
  - {kind: forgotten, about: code, ask: 'What is my locker code?', not: ['7731']}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "diary"
    made.mkdir()
    (made / "diary.yaml").write_text(DIARY, encoding="utf-8")
    return made


def test_a_diary_is_lived_and_asked_about(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "each.jsonl"
    at = ["--home", str(tmp_path / "unused"), "eval", "diary", str(folder)]
    assert main([*at, "--json", "--save", str(saved)]) == 0
    told = json.loads(capsys.readouterr().out)
    kinds = told["kinds"]
    assert {kind: one["questions"] for kind, one in kinds.items()} == {"current": 2, "as of": 1, "forgotten": 1}
    assert kinds["current"]["answered"] == 1
    assert kinds["as of"] == {"questions": 1, "answered": 1, "found": 1, "either": 1}
    assert kinds["forgotten"]["answered"] == 1
    assert told["duplicates"] == 0
    assert told["errors"] == []
    assert told["work"]["calls"] == 2, "of a day whose only words are withheld nothing is asked"
    each = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    assert [one["about"] for one in each if not one["answered"]] == ["pet"]
    assert "Valencia" in next(one["reply"] for one in each if one["as_of"])
    assert main(at) == 0
    assert "as of" in capsys.readouterr().out


def test_what_counts(folder: Path) -> None:
    [current, _, as_of, forgotten] = load(folder).questions
    answers = [
        Answered(current, "", "", True, False),
        Answered(as_of, "", "", False, True),
        Answered(forgotten, "", "", False, True),
    ]
    kinds: dict[str, Any] = summary(Lived("m", answers))["kinds"]
    assert kinds["current"] == {"questions": 1, "answered": 1, "found": 0, "either": 1}
    assert kinds["as of"]["either"] == 1
    assert kinds["forgotten"]["either"] == 0, "a secret in the reply is one, wherever else there is none"


@pytest.mark.parametrize("text", ["- no diary", "zone: Nowhere/At-all", "{"])
def test_what_is_no_diary_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "diary.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match="this is no diary"):
        load(tmp_path)
    with pytest.raises(DatasetError, match="cannot be read"):
        load(tmp_path / "nowhere")
