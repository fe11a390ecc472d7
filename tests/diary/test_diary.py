"""The simulated diaries: well-formed, as long and as full of change as promised, their questions answered by their
turns; and by the agent that lives them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pagekeeper.evaluation.diary import KINDS, live, load, summary
from pagekeeper.evaluation.labelled import has
from pagekeeper.evaluation.labelled import says as holds
from pagekeeper.runtime.config import Settings

HERE = Path(__file__).parent
DIARY = yaml.safe_load((HERE / "diary.yaml").read_text("utf-8"))
FORTNIGHT = yaml.safe_load((HERE / "fortnight" / "diary.yaml").read_text("utf-8"))
HOPS = yaml.safe_load((HERE / "hops.yaml").read_text("utf-8"))
SCHEMA = json.loads((HERE / "diary.schema.json").read_text("utf-8"))

Turns = list[dict[str, Any]]


def turns_of(diary: dict[str, Any]) -> Turns:
    return [{"date": day["date"], **turn} for day in diary["days"] for turn in day["turns"]]


TURNS = turns_of(DIARY)
TOLD = Counter(thread for turn in TURNS for thread in turn.get("tells", []))


def questions(*kinds: str) -> list[Any]:
    return [
        pytest.param(turns_of(diary), one, id=f"{one['ask']} {diary['zone']}")
        for diary in (DIARY, FORTNIGHT)
        for one in diary["questions"]
        if one["kind"] in kinds
    ]


def text_of(turns: Turns) -> str:
    return "\n".join(turn["says"] for turn in turns)


def answer(turns: Turns, question: dict[str, Any], thread: str) -> str:
    """What was last said of `thread`: on the day before the question's at the latest, where it is about a day."""
    told = [turn for turn in turns if thread in turn.get("tells", [])]
    # A question about a day on which the thread changed would have two answers.
    assert question.get("as_of") not in {turn["date"] for turn in told}
    return str([turn["says"] for turn in told if turn["date"] < question.get("as_of", "9999")][-1])


@pytest.mark.parametrize(
    ("what", "schema"),
    [(DIARY, SCHEMA), (FORTNIGHT, SCHEMA), (HOPS, {**SCHEMA["$defs"]["hops"], "$defs": SCHEMA["$defs"]})],
)
def test_it_is_as_its_schema_says(what: Any, schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    errors = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(what)]
    assert errors == []


@pytest.mark.parametrize(("diary", "count"), [(DIARY, 30), (FORTNIGHT, 14)])
def test_it_has_no_gap_and_runs_forward(diary: dict[str, Any], count: int) -> None:
    days = [date.fromisoformat(day["date"]) for day in diary["days"]]
    assert days == [days[0] + timedelta(days=day) for day in range(count)]
    for day in diary["days"]:
        times = [turn["at"] for turn in day["turns"]]
        assert times == sorted(set(times))
    assert datetime.fromisoformat(diary["asked"]).date() > days[-1]


def test_it_is_mostly_chatter_and_its_facts_change() -> None:
    assert len(TURNS) >= 250
    assert 2 * sum("tells" in turn for turn in TURNS) < len(TURNS)
    assert TOLD.total() >= 60
    assert sum(times > 1 for times in TOLD.values()) >= 20
    assert sum(any("一" <= letter <= "鿿" for letter in turn["says"]) for turn in TURNS) >= 12


def test_no_question_is_asked_twice_and_there_are_as_many_as_promised() -> None:
    kinds = Counter(question["kind"] for question in DIARY["questions"])
    assert kinds["current"] >= 40
    assert kinds["as_of"] >= 30
    assert kinds["forgotten"] >= 8
    assert len(HOPS["questions"]) == 12
    assert max(Counter(one["ask"] for one in [*DIARY["questions"], *HOPS["questions"]]).values()) == 1


def test_states_return() -> None:
    """A thread that goes back to what it was has the same answer on two days, and another one between them."""
    answers: dict[str, list[Any]] = {}
    for question in sorted(DIARY["questions"], key=lambda one: str(one.get("as_of"))):
        if question["kind"] == "as_of":
            answers.setdefault(question["about"], []).append(question["expect"])
    returning = {thread for thread, given in answers.items() if len(given) == 3 and given[0] == given[2] != given[1]}
    assert returning >= {"otter-database", "diet", "editor"}


@pytest.mark.parametrize(("turns", "question"), questions("current", "as_of"))
def test_the_answer_was_told_last_and_without_what_it_replaced(turns: Turns, question: dict[str, Any]) -> None:
    said = answer(turns, question, question["about"])
    assert holds(said, question["expect"])
    for word in question.get("not", []):
        assert not has(said, word)
        assert has(text_of(turns), word), "a word that nobody said proves nothing"


@pytest.mark.parametrize(("turns", "question"), questions("as_of"))
def test_the_day_asked_about_is_in_the_diary(turns: Turns, question: dict[str, Any]) -> None:
    assert turns[0]["date"] < question["as_of"] <= turns[-1]["date"]


@pytest.mark.parametrize(("turns", "question"), questions("forgotten"))
def test_a_secret_is_told_before_it_is_to_be_forgotten_and_by_nobody_since(
    turns: Turns, question: dict[str, Any]
) -> None:
    thread = question["about"]
    told, asked = (at for at, turn in enumerate(turns) if thread in (turn.get("forgets"), *turn.get("tells", [])))
    assert "tells" in turns[told]
    assert turns[asked].get("forgets") == thread
    for word in question["not"]:
        assert [at for at, turn in enumerate(turns) if has(turn["says"], word)] == [told]
        assert not has(question["ask"], word)


def test_every_request_to_forget_is_asked_about() -> None:
    forgotten = {turn["forgets"] for turn in TURNS if "forgets" in turn}
    assert len(forgotten) >= 8
    assert forgotten == {one["about"] for one in DIARY["questions"] if one["kind"] == "forgotten"}


@pytest.mark.parametrize("question", [pytest.param(one, id=one["ask"]) for one in HOPS["questions"]])
def test_two_hops_are_both_told_and_the_second_holds_the_answer(question: dict[str, Any]) -> None:
    first, second = (answer(TURNS, question, thread) for thread in question["about"])
    assert holds(second, question["expect"])
    assert not holds(first, question["expect"]) or first == second
    for word in question.get("not", []):
        assert has(text_of(TURNS), word)
        assert not has(second, word)


def lived(folder: Path, home: Path) -> dict[str, Any]:
    return summary(asyncio.run(live(load(folder), home, Settings(), lambda *_: None)))


def test_a_fortnight_of_another_person_is_remembered_too(tmp_path: Path) -> None:
    """Nothing was developed on it before it was measured: it says whether what was learnt from the month holds."""
    done = lived(HERE / "fortnight", tmp_path)
    now, then, forgotten = (done["kinds"][kind] for kind in KINDS[:3])
    assert now["answered"] + then["answered"] >= 0.9 * (now["questions"] + then["questions"])
    assert forgotten["answered"] == forgotten["found"] == forgotten["questions"]
    assert done["duplicates"] < 0.02 * done["memories"]
    assert done["errors"] == []


def test_the_month_is_remembered_as_it_was_lived(tmp_path: Path) -> None:
    """How things stand and how they stood is answered in 95 of 100, nothing is kept twice, and nothing that was to be
    forgotten is found."""
    done = lived(HERE, tmp_path)
    now, then, forgotten, hops = (done["kinds"][kind] for kind in KINDS)
    assert now["answered"] + then["answered"] >= 0.97 * (now["questions"] + then["questions"])
    assert min(one["answered"] / one["questions"] for one in (now, then)) >= 0.95
    assert forgotten["answered"] == forgotten["found"] == forgotten["questions"]
    assert hops["answered"] >= 11
    assert done["duplicates"] < 0.02 * done["memories"]
    assert done["errors"] == []
