"""The sets as they are published, and files that are not as they should be."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.evaluation.find import find
from pagekeeper.evaluation.locomo import repaired
from pagekeeper.runtime.errors import DatasetError
from pagekeeper.tests.evaluation import sets


def test_locomo_in_parts(tmp_path: Path) -> None:
    (dataset,) = find(sets.write(tmp_path / "26.json", sets.LOCOMO))
    assert dataset.name == "LoCoMo"
    (talk,) = dataset.talks
    assert talk.name == "26"
    assert [said.key for said in talk.said] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2"]
    assert talk.said[1].text == "Look at this! [image: a photo of a grey donkey]"
    assert (talk.said[3].speaker, talk.said[3].session) == ("Bob", 2)
    assert talk.said[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    evidence = {question.text: question.evidence for question in dataset.questions}
    assert evidence == {
        "Who plays the cello?": {"D1:3"},
        "What about the telescope?": {"D1:1", "D2:2"},
        "When did Bob move?": {"D2:1"},
        "What donkey did Ada show?": {"D1:2"},
    }
    assert [question.category for question in dataset.questions if question.aside] == ["5 adversarial"]
    assert dataset.left_out == {"a question without evidence": 2, "an id of evidence that no turn has": 1}


def test_locomo_as_one_list(tmp_path: Path) -> None:
    (dataset,) = find(sets.write(tmp_path / "locomo10.json", sets.LOCOMO_PUBLISHED))
    assert [talk.name for talk in dataset.talks] == ["conv-1", "conv-2"]
    assert {talk.together for talk in dataset.talks} == {"LoCoMo"}
    assert len(dataset.questions) == 8


@pytest.mark.parametrize(
    ("evidence", "keys"),
    [
        ("D1:3", ["D1:3"]),
        ("D8:6; D9:17", ["D8:6", "D9:17"]),
        ("D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("D:11:26", ["D11:26"]),
        ("D30:05", ["D30:5"]),
        ("D", []),
    ],
)
def test_malformed_evidence_is_repaired(evidence: str, keys: list[str]) -> None:
    assert list(repaired(evidence)) == keys


def test_memdaily_in_a_file_of_one_type(tmp_path: Path) -> None:
    (dataset,) = find(sets.write(tmp_path / "01_simple.json", sets.MEMDAILY))
    assert dataset.name == "MemDaily"
    assert [talk.name for talk in dataset.talks] == ["01_simple-0", "01_simple-1"]
    said = dataset.talks[1].said[1]
    assert (said.key, said.text, said.location) == ("1", "书法展览的地点是上海。", "上海")
    assert said.at == datetime(2024, 4, 1, 9, 0, tzinfo=UTC)
    question = dataset.questions[1]
    assert (question.category, question.talk, question.sides) == ("01_simple", "01_simple-1", (frozenset("1"),))
    assert question.at == datetime(2024, 4, 4, 7, 42, tzinfo=UTC)


def test_a_question_that_memdaily_failed_to_write_is_left_out(tmp_path: Path) -> None:
    spoiled = copy.deepcopy(sets.MEMDAILY)
    spoiled[0]["question_list"][0]["question"] = "[ERRORQ]"
    (dataset,) = find(sets.write(tmp_path / "roles.json", spoiled))
    assert len(dataset.questions) == 1
    assert list(dataset.left_out.values()) == [1]


def test_memdaily_in_one_file(tmp_path: Path) -> None:
    (dataset,) = find(sets.write(tmp_path / "memdaily.json", sets.MEMDAILY_PUBLISHED))
    assert {talk.together for talk in dataset.talks} == {"simple.roles", "simple.events", "noisy.roles"}
    assert len(dataset.talks) == len(dataset.questions) == 5


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("at", [".", "chat.json"])
def test_beam(tmp_path: Path, beside: bool, at: str) -> None:
    (dataset,) = find(sets.beam(tmp_path / "7", beside) / at)
    assert dataset.name == "BEAM"
    (talk,) = dataset.talks
    assert talk.name == "7"
    assert [(said.speaker, said.session) for said in talk.said[3:5]] == [("assistant", 1), ("user", 2)]
    assert talk.said[0].text == "The quota is 500."
    assert {said.at for said in talk.said[:4]} == {datetime(2024, 3, 15, tzinfo=UTC)}
    sides = {question.category: question.sides for question in dataset.questions}
    assert sides == {
        "knowledge update": (frozenset("0"), frozenset("4")),
        "contradiction resolution": (frozenset("2"),),
        "information extraction": (frozenset("23"),),
    }
    assert dataset.left_out == {"a question without evidence": 1}


def test_a_folder_of_several_sets(tmp_path: Path) -> None:
    sets.write(tmp_path / "a" / "1.json", sets.LOCOMO)
    sets.write(tmp_path / "a" / "2.json", sets.LOCOMO)
    sets.write(tmp_path / "b.json", sets.MEMDAILY)
    sets.beam(tmp_path / "c")
    found = {dataset.name: len(dataset.talks) for dataset in find(tmp_path)}
    assert found == {"LoCoMo": 2, "MemDaily": 2, "BEAM": 1}


def _without(name: str, *path: Any) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for step in path:
            value = value[step]
        del value[name]

    return change


def _with(name: Any, new: Any, *path: Any) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for step in path:
            value = value[step]
        value[name] = new

    return change


@pytest.mark.parametrize(
    ("whole", "change", "words"),
    [
        (sets.LOCOMO, _without("text", "session_1", 0), "session_1[0] has neither text nor blip_caption"),
        (sets.LOCOMO, _without("speaker", "session_1", 0), "session_1[0] lacks the key 'speaker'"),
        (sets.LOCOMO, _without("session_2_date_time"), "lacks the key 'session_2_date_time'"),
        (sets.LOCOMO, _with("session_1_date_time", "yesterday"), "session_1_date_time must be a time"),
        (sets.LOCOMO, _with("dia_id", "7", "session_1", 2), "session_1[2].dia_id must be an id"),
        (sets.LOCOMO, _with("dia_id", "D1:1", "session_1", 2), "has 'D1:1' twice"),
        (sets.LOCOMO, _with("evidence", "D1:1", "qa", 1), "qa[1].evidence must be a list, not text"),
        (sets.LOCOMO, _with("evidence", [3], "qa", 1), "qa[1].evidence[0] must be text, not a number"),
        (sets.LOCOMO, _with("category", 9, "qa", 0), "qa[0].category must be from 1 to 5"),
        (sets.LOCOMO, _with("session_1", "hello"), "session_1 must be a list, not text"),
        (sets.MEMDAILY, _with("target_step_id", [7], 1, "question_list", 0), "target_step_id names a message that is"),
        (
            sets.MEMDAILY,
            _with("message", "", 0, "message_list", 2),
            "message_list[2].message must be text, not nothing",
        ),
        (sets.MEMDAILY, _with("time", "2024年02月31日 08:30", 0, "message_list", 0), "[0].time must be a time"),
        (sets.MEMDAILY, _with("tid", 0, 1), "holds the conversation"),
        (sets.MEMDAILY, _with("mid", True, 1, "message_list", 0), "mid must be a whole number, not true or false"),
    ],
)
def test_what_is_malformed_is_named_by_file_and_key(
    tmp_path: Path, whole: Any, change: Callable[[Any], None], words: str
) -> None:
    spoiled = copy.deepcopy(whole)
    change(spoiled)
    file = sets.write(tmp_path / "set.json", spoiled)
    with pytest.raises(DatasetError) as caught:
        find(file)
    assert words in caught.value.message
    assert str(file) in caught.value.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_with("source_chat_ids", [99], "information_extraction", 0), "source_chat_ids names a message"),
        (_with("source_chat_ids", "2", "information_extraction", 0), "source_chat_ids must be a list, not text"),
        (_without("question", "information_extraction", 0), "information_extraction[0] lacks the key 'question'"),
    ],
)
def test_malformed_questions_of_beam_are_named(tmp_path: Path, change: Callable[[Any], None], words: str) -> None:
    spoiled = copy.deepcopy(sets.BEAM_QUESTIONS)
    change(spoiled)
    sets.write(sets.beam(tmp_path) / "probing_questions.json", spoiled)
    with pytest.raises(DatasetError) as caught:
        find(tmp_path)
    assert words in caught.value.message
    assert "probing_questions.json" in caught.value.message


def test_a_chat_of_beam_without_questions_says_so(tmp_path: Path) -> None:
    file = sets.write(tmp_path / "chat.json", sets.BEAM_CHAT)
    with pytest.raises(DatasetError, match=r"chat\.json.* has no probing_questions\.json"):
        find(file)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n oops}', "line 2: not JSON"),
        ("version https://git-lfs", "line 1: not JSON"),
        ('{"a": 1}', "of none of the sets that are known"),
        ("[]", "of none of the sets that are known"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps({**sets.LOCOMO, "qa": []}), "holds no questions"),
    ],
)
def test_what_is_no_set_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "set.json").write_text(text)
    with pytest.raises(DatasetError) as caught:
        find(tmp_path / "set.json")
    assert words in caught.value.message


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(DatasetError, match="not UTF-8"):
        find(tmp_path / "set.json")


def test_a_path_that_is_not_there_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="There is no"):
        find(tmp_path / "nothing")
    with pytest.raises(DatasetError, match="holds no questions"):
        find(tmp_path)
