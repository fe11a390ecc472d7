"""`pagekeeper eval updates`: when the newer of two sides is told to count, by memory or by its figure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import main
from pagekeeper.evaluation.dataset import Dataset
from pagekeeper.evaluation.find import find
from pagekeeper.evaluation.updates import Outcome, about_updates, each_question, run, summary
from pagekeeper.runtime.config import Settings
from pagekeeper.runtime.errors import DatasetError, ModelUnavailable
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.evaluation import sets

DATA = Path(os.environ.get("PAGEKEEPER_EVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))

ASKED = "How many mails may the mailer send each day?"
OLD, NEW = "Each day the mailer may send 500 mails.", "Each day the mailer may send 900 mails."


def chat(folder: Path, old: str = OLD, new: str = NEW, question: str = ASKED) -> Path:
    """A chat of BEAM's shape with a question about an update."""
    told = [(old, "Noted."), ("I painted the shed green.", "Nice."), (new, "Good to know.")]
    turns = [
        [
            {"role": "user", "id": 2 * n, "content": said} | ({"time_anchor": f"March-{10 + n}-2024"}),
            {"role": "assistant", "id": 2 * n + 1, "content": reply},
        ]
        for n, (said, reply) in enumerate(told)
    ]
    sets.write(folder / "chat.json", [{"batch_number": 1, "turns": turns}])
    sides = {"original_info": [0], "updated_info": [4]}
    asked = {"question": question, "rubric": ["900"], "source_chat_ids": sides}
    sets.write(folder / "probing_questions.json", {"knowledge_update": [asked]})
    return folder


def says(number: int, text: str, **more: Any) -> dict[str, Any]:
    """An operation that rests on a message of the chat: 1 is the older side, 5 the newer one."""
    value = {1: "500", 5: "900"}[number]
    about = {"subject": "mailer", "attribute": "quota", "value": value, "single": True}
    return {"op": "add", "text": text, "kind": "fact", **about, "explicit": True, "from": [number], **more}


async def outcome(monkeypatch: pytest.MonkeyPatch, folder: Path, *replies: Any) -> Outcome:
    """What comes of the chat with a model that extracts this."""
    model = ScriptedModel()
    for reply in replies:
        model.enqueue_for("extract", reply if isinstance(reply, Exception) else json.dumps({"operations": reply}))
    monkeypatch.setattr("pagekeeper.evaluation.updates.make_model", lambda settings: model)
    return await run(about_updates(find(chat(folder / "1"))), folder / "home", Settings(), lambda what, done, of: None)


async def test_a_memory_that_took_the_place_of_the_older_one_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await outcome(monkeypatch, tmp_path, [says(1, OLD), says(5, NEW)])
    figures = summary(told)
    assert (figures["found"], figures["newer_told"], figures["by_memory"]) == (1, 1, 1)
    assert figures["memories"] == {"active": 1, "superseded": 1}
    assert figures["work"]["calls"] == 1
    (each,) = each_question(told)
    assert each["older"]["said"] == [OLD]
    assert [one["superseded_by"] for one in each["older"]["memories"]] == [each["newer"]["memories"][0]["id"]]


async def test_so_does_one_that_ended_and_another_that_tells_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = {"op": "clear", "subject": "mailer", "attribute": "quota", "from": [5], "text": "", "kind": "fact"}
    told = await outcome(monkeypatch, tmp_path, [says(1, OLD), over, says(5, NEW)])
    assert summary(told)["by_memory"] == 1


@pytest.mark.parametrize(
    "operations",
    [
        [],
        [says(5, NEW)],
        [says(1, OLD), says(5, NEW, attribute="speed")],
        [says(1, OLD, single=False), says(5, NEW, single=False)],
        [says(1, OLD), says(5, "The user's cat likes tuna.", attribute="cat")],
    ],
)
async def test_else_no_memory_tells_but_the_figure_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operations: list[dict[str, Any]]
) -> None:
    figures = summary(await outcome(monkeypatch, tmp_path, operations))
    assert (figures["found"], figures["by_memory"]) == (1, 0)
    assert figures["newer_told"] == figures["by_figure"] == 1


async def test_a_model_that_fails_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = summary(await outcome(monkeypatch, tmp_path, ModelUnavailable("No way.")))
    assert figures["memories"] == {}
    assert any("No way" in error for error in figures["errors"])


def test_the_command_from_the_file_to_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, kept = tmp_path / "each.jsonl", tmp_path / "kept"
    at = ["--home", str(tmp_path / "unused"), "eval", "updates", str(chat(tmp_path / "1"))]
    assert main([*at, "--json", "--save", str(saved), "--keep-home", str(kept)]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert (figures["dataset"], figures["model"], figures["questions"]) == ("BEAM", "offline", 1)
    assert figures["work"]["calls"] == 1
    assert "1 of 1 conversations asked about" in printed.err
    (line,) = saved.read_text("utf-8").splitlines()
    assert json.loads(line)["question"] == ASKED
    assert (kept / "home" / "journal.sqlite").is_file()
    assert not (tmp_path / "unused").exists()
    assert main(at) == 0
    assert "and the newer one is told to count" in capsys.readouterr().out


def test_what_asks_for_no_update_is_refused(tmp_path: Path) -> None:
    (others,) = find(sets.write(tmp_path / "1.json", sets.LOCOMO))
    with pytest.raises(DatasetError, match="LoCoMo asks nothing about what was said anew"):
        about_updates([others])
    (beam,) = find(chat(tmp_path / "1"))
    talk = type(beam.talks[0])("1", beam.talks[0].said[1:], "BEAM")
    with pytest.raises(DatasetError, match="do not take turns"):
        about_updates([Dataset("BEAM", [talk], beam.questions)])


def test_the_newer_side_is_told_in_the_chats_of_beam() -> None:
    """In three of four, all by memory; the older side of the fourth does not say what was updated."""
    if not (DATA / "beam").is_dir():
        pytest.skip(f"{DATA / 'beam'} is not there; PAGEKEEPER_EVAL_DATA names another place")
    done = subprocess.run(
        [sys.executable, "-m", "pagekeeper", "eval", "updates", str(DATA / "beam"), "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PAGEKEEPER_HOME": "/nonexistent/home"},
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["questions"] == 4
    assert figures["newer_told"] >= 3
    assert figures["by_memory"] >= 3
