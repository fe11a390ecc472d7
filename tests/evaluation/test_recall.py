"""`pagekeeper eval recall` from end to end: made sets, and the published ones where they are at hand."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import main
from pagekeeper.evaluation.dataset import Said, Talk
from pagekeeper.evaluation.find import find
from pagekeeper.evaluation.run import Plan, run, sample
from pagekeeper.runtime.config import Settings
from pagekeeper.runtime.errors import DatasetError, EmbedderFailed, ModelUnavailable
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.evaluation import sets
from pagekeeper.tests.support.embedding import HashEmbedder

DATA = Path(os.environ.get("PAGEKEEPER_EVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
"""Where the published sets are; their licences do not allow that all of them come with the code."""


def evaluate(*arguments: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, which has no home to leave anything in."""
    done = subprocess.run(
        [sys.executable, "-m", "pagekeeper", "eval", "recall", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PAGEKEEPER_HOME": "/nonexistent/home"},
    )
    assert done.returncode == status, done.stderr
    return done


def figures(*arguments: str | Path) -> dict[str, Any]:
    """The figures of the one set at hand."""
    (summary,) = json.loads(evaluate(*arguments, "--json").stdout)
    return dict(summary)


def test_locomo_from_the_file_to_the_figures(tmp_path: Path) -> None:
    file, kept, saved = sets.write(tmp_path / "1.json", sets.LOCOMO), tmp_path / "home", tmp_path / "each.jsonl"
    done = evaluate(file, "--json", "--baseline", "--keep-home", kept, "--save", saved)
    (summary,) = json.loads(done.stdout)
    assert (summary["dataset"], summary["conversations"], summary["turns"], summary["questions"]) == ("LoCoMo", 1, 5, 4)
    assert list(summary["rankings"]) == ["search", "BM25"]
    own = summary["rankings"]["search"]
    assert own["4 single-hop"]["recall"] == {"1": 1.0, "5": 1.0, "10": 1.0, "20": 1.0}
    assert own["1 multi-hop"]["recall"]["1"] == 0.5
    assert own["1 multi-hop"]["hit"]["1"] == own["1 multi-hop"]["mrr"]["20"] == 1.0
    assert own["all"]["questions"] == 3
    assert own["all, with 5 adversarial"]["questions"] == 4
    assert "5 of" not in done.stdout
    assert "4 of 4 questions asked" in done.stderr
    # What was searched is a home's archive, made by events like any other.
    assert (kept / "locomo" / "journal.sqlite").is_file()
    lines = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    first = lines[0]
    assert first["question"] == "Who plays the cello?"
    assert first["evidence"] == {"D1:3": "My sister plays the cello in Ghent."}
    assert first["rank"] == {"D1:3": 1}
    assert first["found"][0]["key"] == "D1:3"
    assert first["found"][0]["steps"]["lexical"] > 0
    assert first["others"]["BM25"][0] == "D1:3"


def test_a_conversation_is_a_store_unless_they_are_shared(tmp_path: Path) -> None:
    file = sets.write(tmp_path / "roles.json", sets.MEMDAILY)
    kept = tmp_path / "each.jsonl"
    own = figures(file, "--save", kept)
    assert own["rankings"]["search"]["roles"]["recall"]["1"] == 1.0
    found = [json.loads(line)["found"] for line in kept.read_text("utf-8").splitlines()]
    assert all("/" not in one["key"] for each in found for one in each)
    shared = figures(file, "--shared", "--save", kept)
    assert shared["shared"] is True
    found = [json.loads(line)["found"] for line in kept.read_text("utf-8").splitlines()]
    assert any("/" in one["key"] for each in found for one in each)


def test_beam_counts_both_sides_and_a_long_message_once(tmp_path: Path) -> None:
    summary = figures(sets.beam(tmp_path / "1"), "--baseline")
    assert list(summary["rankings"]) == ["search", "BM25", "BM25, user's turns"]
    update = summary["rankings"]["search"]["knowledge update"]
    assert update["both_sides"] == {"of": 1, "1": 0, "5": 1, "10": 1, "20": 1}
    assert update["recall"]["10"] == 1.0
    assert "both_sides" not in summary["rankings"]["search"]["contradiction resolution"]


def test_a_chat_with_an_assistant_is_held_again_in_the_log(tmp_path: Path) -> None:
    kept, saved = tmp_path / "home", tmp_path / "each.jsonl"
    figures(sets.beam(tmp_path / "1"), "--keep-home", kept, "--save", saved)
    with closing(sqlite3.connect(kept / "beam" / "journal.sqlite")) as journal:
        log = journal.execute("SELECT role, text, session, at FROM messages ORDER BY ordinal").fetchall()
        assert journal.execute("SELECT count(*) FROM passages").fetchone() == (0,)
    said = [message for batch in sets.BEAM_CHAT for group in batch["turns"] for message in group]
    assert [role for role, *_ in log] == ["user", "assistant"] * 3
    assert log[0][1] == "The quota is 500."
    assert [text for _, text, *_ in log[1:]] == [message["content"] for message in said[1:]]
    assert [session for _, _, session, _ in log] == [1, 1, 1, 1, 2, 2]
    assert [at[:10] for *_, at in log[3:5]] == ["2024-03-15", "2024-04-05"]
    # Each message is one result, and its vector counts.
    for line in saved.read_text("utf-8").splitlines():
        found = json.loads(line)["found"]
        assert sorted(one["key"] for one in found) == ["0", "1", "2", "3", "4", "5"]
        assert all(one["gate"]["cosine"] is not None for one in found)


@pytest.mark.parametrize(
    ("roles", "chat"),
    [
        ("user assistant user assistant", True),
        ("user user assistant", False),
        ("assistant user", False),
        ("user assistant user", False),
        ("Ada Bob", False),
        ("", False),
    ],
)
def test_a_chat_is_what_a_user_and_an_assistant_say_in_turn(roles: str, chat: bool) -> None:
    said = [Said(str(place), "Hello.", role) for place, role in enumerate(roles.split())]
    assert Talk("talk", tuple(said), "set").is_chat is chat
    assert not Talk("talk", (*said[:-1], *(replace(last, text=" \n") for last in said[-1:])), "set").is_chat


async def test_what_is_no_chat_is_archived(tmp_path: Path) -> None:
    (dataset,) = find(sets.beam(tmp_path / "1"))
    (talk,) = dataset.talks
    dataset.talks[:] = [replace(talk, said=talk.said[:5])]  # the last word has no answer
    outcome = await run(dataset, tmp_path / "home", Settings(), Plan(), lambda what, done, of: None)
    assert {hit.table for answer in outcome.answers["search"] for hit in answer.hits} == {"passage"}


async def test_a_turn_that_cannot_be_held_fails_the_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = ScriptedModel(ModelUnavailable("No way."))
    monkeypatch.setattr("pagekeeper.evaluation.chat._Retold", lambda replies, mind: failing)
    (dataset,) = find(sets.beam(tmp_path / "1"))
    with pytest.raises(DatasetError, match=r"The turn '0' of '1' cannot be held: .*No way"):
        await run(dataset, tmp_path / "home", Settings(), Plan(), lambda what, done, of: None)


def test_arms_are_compared_in_a_table(tmp_path: Path) -> None:
    done = evaluate(sets.write(tmp_path / "1.json", sets.LOCOMO), "--arms", "--baseline")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("LoCoMo: 1 conversation, 5 turns, 4 questions; conversations each in a store of its own")
    assert "Left out: 2 x a question without evidence." in lines
    rows = {line.split("  ")[0]: line.split()[-6:] for line in lines[lines.index("") :]}
    assert rows["without neighbours"][0][0] in "+-"
    assert rows["full text alone"][0][0] in "+-"
    assert rows["BM25"][0][0] in "+-"


def test_a_sample_is_the_same_each_time(tmp_path: Path) -> None:
    (dataset,) = find(sets.write(tmp_path / "1.json", sets.LOCOMO))

    def asked(seed: int) -> tuple[str, ...]:
        return tuple(question.id for question in sample(dataset, 2, seed).questions)

    assert len(asked(1)) == 2
    assert asked(1) == asked(1)
    assert len({asked(seed) for seed in range(6)}) > 1
    assert sample(dataset, 99, 0).questions == dataset.questions
    assert sample(dataset, 1, 0).talks == dataset.talks


def test_only_so_many_questions_are_asked(tmp_path: Path) -> None:
    summary = figures(sets.write(tmp_path / "1.json", sets.LOCOMO), "--limit", "2", "--seed", "3")
    assert summary["questions"] == 2


def test_an_embedder_that_does_not_exist_measures_nothing(tmp_path: Path) -> None:
    done = evaluate(sets.write(tmp_path / "1.json", sets.LOCOMO), "--embedder", "nope", "--limit", "1", status=1)
    assert "nope" in done.stderr
    assert "questions asked" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(("failing", "done"), [(0, 0), (1, 1), (2, 1), (5, 3)])
async def test_an_embedder_that_fails_once_fails_the_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, done: int
) -> None:
    """At the passages, at the first question or at a later one: never is a search by words alone counted as its own."""

    class Failing(HashEmbedder):
        requests = 0

        async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
            self.failing, self.requests = self.requests == failing, self.requests + 1
            return await super().embed_passages(texts)

    embedder = Failing()
    monkeypatch.setattr("pagekeeper.evaluation.run.make_embedder", lambda settings: embedder)
    (dataset,) = find(sets.write(tmp_path / "1.json", sets.LOCOMO))
    asked: list[str] = []
    with pytest.raises(EmbedderFailed, match="out of order"):
        await run(dataset, tmp_path / "home", Settings(), Plan(), lambda what, done, of: asked.append(what))
    # Two requests measure what cosine strangers have.
    assert len(asked) == done
    assert embedder.requests == failing + 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["broken.json"], "broken.json, line 2: not JSON"),
        (["nothing"], "There is no nothing"),
        (["1.json", "--keep-home", "."], "not empty"),
        (["1.json", "--limit", "0"], "not a number from 1 up"),
        (["1.json", "--save", "no/file"], "no/file cannot be opened"),
        ([], "required: PATH"),
    ],
)
def test_a_wrong_use_is_said_and_nothing_is_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text('{"a": 1,\n')
    sets.write(Path("1.json"), sets.LOCOMO)
    try:
        status = main(["eval", "recall", *arguments])
    except SystemExit as exit:
        status = int(exit.code or 0)
    assert status == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert not printed.out


def _published(name: str) -> Path:
    if not (DATA / name).is_dir():
        pytest.skip(f"{DATA / name} is not there; PAGEKEEPER_EVAL_DATA names another place")
    return DATA / name


@pytest.mark.parametrize(
    ("name", "talks", "turns", "questions"),
    [("locomo", 5, 2760, 997), ("memdaily", 550, 3568, 539), ("beam", 2, 388, 36)],
)
def test_the_published_sets_are_read_whole(name: str, talks: int, turns: int, questions: int) -> None:
    (dataset,) = find(_published(name))
    counts = len(dataset.talks), sum(len(talk.said) for talk in dataset.talks), len(dataset.questions)
    assert counts == (talks, turns, questions)


def test_both_sides_of_what_changed_are_found_in_the_chats_of_beam() -> None:
    """In five of seven; the other two have a side that shares no word of subject with the question."""
    own = figures(_published("beam"))["rankings"]["search"]
    both = [own[category]["both_sides"] for category in ("knowledge update", "contradiction resolution")]
    assert sum(sides["of"] for sides in both) == 7
    assert sum(sides["10"] for sides in both) >= 5
    assert own["knowledge update"]["newer_told"] == {"of": 4, "within 10": 3}
    # No lower than what BM25 reaches, over all messages or the user's alone.
    assert own["information extraction"]["recall"]["10"] >= 0.708
    assert own["temporal reasoning"]["recall"]["10"] >= 0.875


def test_a_conversation_of_locomo_is_searched_well() -> None:
    """One of five, as a floor; all of them take half a minute (README.md has the command)."""
    own = figures(_published("locomo") / "30.json")["rankings"]["search"]
    assert own["all"]["questions"] == 81
    assert own["all"]["recall"]["10"] >= 0.8
