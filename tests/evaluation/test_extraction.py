"""`pagekeeper eval extraction`: what counts as found, missed and wrong, with any model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.evaluation import extraction
from pagekeeper.evaluation.extraction import Outcome
from pagekeeper.evaluation.labelled import Case, load
from pagekeeper.runtime.errors import DatasetError
from pagekeeper.runtime.models.scripted import ScriptedModel

SET = """
- id: moved
  language: en
  now: 2026-03-18T10:00
  memories:
    - {id: m1, subject: user, attribute: home, value: Ghent, text: The user lives in Ghent.}
    - {id: m2, subject: user, attribute: pet, value: Rex, text: The user has a dog named Rex.}
  dialogue:
    - user: I moved to Porto yesterday.
    - assistant: Nice. Lisbon is close.
  store:
    - {subject: user, attribute: home, says: [[Porto], [live, moved]], ends: m1, valid_from: '2026-03-17'}
  may:
    - [[yesterday]]
  not: [Lisbon]
- id: tired
  language: zh
  now: 2026-03-18T10:00
  dialogue:
    - user: 好困。
  store: []
"""


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    file = tmp_path / "own.yaml"
    file.write_text(SET, "utf-8")
    return load(file)


def add(text: str, **more: Any) -> dict[str, Any]:
    return {"op": "add", "text": text, "subject": "user", "attribute": "home", "value": "Porto", **more}


MOVED = add("The user lives in Porto.", op="update", id="m1", valid_from="2026-03-17")


@pytest.mark.parametrize(
    ("operations", "found", "right", "wrong"),
    [
        ([MOVED], 1, 1, 0),
        ([add("The user lives in Porto.", single=True)], 1, 1, 0),  # reconciling ends what held before it
        ([add("The user lives in Porto.")], 0, 1, 0),
        ([MOVED, add("The user likes boxes.")], 1, 1, 1),
        ([MOVED, add("It was yesterday.")], 1, 1, 0),
        ([add("The user lives in Porto, near Lisbon.", op="update", id="m1")], 0, 0, 1),
        ([MOVED, {"op": "clear", "id": "m2", "text": "The user has no dog."}], 1, 1, 1),
        ([{"op": "delete", "id": "m1"}], 0, 0, 0),
        ([add("The user ported a game.", op="update", id="m1")], 0, 0, 1),
        ([], 0, 0, 0),
    ],
)
def test_what_is_found_and_what_is_wrong(
    cases: list[Case], operations: list[dict[str, Any]], found: int, right: int, wrong: int
) -> None:
    outcome = Outcome(cases[0], operations)
    assert (len(outcome.found), outcome.right, len(outcome.wrong)) == (found, right, wrong)


def test_details_are_looked_at_beside_the_text(cases: list[Case]) -> None:
    right = Outcome(cases[0], [MOVED])
    assert right.details == {"subject": (1, 1), "attribute": (1, 1), "time": (1, 1)}
    dated = Outcome(cases[0], [{**MOVED, "valid_from": "2026-03-18", "attribute": "habit"}])
    assert dated.details == {"subject": (1, 1), "attribute": (0, 1), "time": (0, 1)}


async def test_the_figures_are_told_by_language_and_by_what_the_labels_tell_of(cases: list[Case]) -> None:
    model = ScriptedModel()
    model.enqueue_for("extract", json.dumps({"operations": [MOVED]}))
    model.enqueue_for("extract", json.dumps({"operations": [add("用户很困。", attribute="health")]}))
    told: list[tuple[int, int]] = []
    outcomes = await extraction.run(cases, model, lambda done, of: told.append((done, of)))
    summary = extraction.summary(outcomes)
    assert told == [(1, 2), (2, 2)]
    assert summary["all"] == {
        "right": 1,
        "wrong": 1,
        "found": 1,
        "missed": 0,
        "precision": 0.5,
        "recall": 1.0,
        "f1": 0.6667,
    }
    assert summary["languages"]["zh"]["recall"] is None
    assert summary["categories"]["home"]["recall"] == 1.0
    assert summary["categories"]["nothing to keep"]["wrong"] == 1


async def test_a_model_is_asked_as_memory_work_asks_it(cases: list[Case]) -> None:
    model = ScriptedModel()
    model.enqueue_for("extract", '{"operations": []}')
    await extraction.run(cases[:1], model)
    (request,) = model.requests
    assert request.schema is not None
    given = json.loads(request.messages[1]["content"])
    assert given["dialogue"][1] == {
        "n": 2,
        "speaker": "assistant",
        "at": "2026-03-18T10:00",
        "text": "Nice. Lisbon is close.",
    }
    assert given["memories"][0]["id"] == "m1"


async def test_a_reply_that_cannot_be_read_counts_as_no_operations(cases: list[Case]) -> None:
    model = ScriptedModel()
    for text in ("Sure! Here you go.", '{"operations": [{"op": "explode"}]}'):
        model.enqueue_for("extract", text)
    outcomes = await extraction.run([cases[0], cases[0]], model)
    assert [bool(one.unreadable) for one in outcomes] == [True, True]
    assert extraction.summary(outcomes)["unreadable"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1", "must be a list"),
        ("- {id: x, language: en, now: 2026-03-18T10:00, store: []}", "dialogue x lacks the key 'dialogue'"),
        ("- {id: x, language: en, now: soon, dialogue: [], store: []}", "dialogue x is not as it should be"),
        ("- [", "not YAML"),
    ],
)
def test_a_bad_set_is_named_with_the_dialogue(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(DatasetError, match=message):
        load(file)


def test_a_set_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        load(tmp_path / "none.yaml")
    with pytest.raises(DatasetError, match=r"has no \*\.yaml"):
        load(tmp_path)


def test_the_command_from_the_file_to_the_figures(tmp_path: Path) -> None:
    file, saved = tmp_path / "own.yaml", tmp_path / "each.jsonl"
    file.write_text(SET, "utf-8")

    def run(*more: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "pagekeeper", "eval", "extraction", str(file), *more],
            capture_output=True,
            text=True,
            env={**os.environ, "PAGEKEEPER_HOME": str(tmp_path / "home")},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    summary = json.loads(run("--json", "--save", str(saved)))
    assert (summary["model"], summary["all"]["precision"], summary["all"]["recall"]) == ("offline", 1.0, 1.0)
    each = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    assert [one["id"] for one in each] == ["moved", "tired"]
    assert "tells of" in run()
    assert not (tmp_path / "home").exists()
