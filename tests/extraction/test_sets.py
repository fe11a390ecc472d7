"""The labelled dialogues: well-formed, as many as promised, and with labels that rest on what was said."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pagekeeper.evaluation.labelled import has
from pagekeeper.evaluation.labelled import says as holds

HERE = Path(__file__).parent
SETS = ("dev", "dev_talk", "held_out")
Case = dict[str, Any]


@cache
def cases(name: str) -> list[Case]:
    loaded: list[Case] = yaml.safe_load((HERE / f"{name}.yaml").read_text("utf-8"))
    return loaded


EVERY = [pytest.param(case, id=case["id"]) for name in SETS for case in cases(name)]


def said(case: Case, *speakers: str) -> str:
    """What `speakers` said, or all of them, and what is stored already."""
    spoken = [text for message in case["dialogue"] for who, text in message.items() if who in (speakers or message)]
    return "\n".join([*spoken, *(memory["text"] for memory in case.get("memories", []))])


def shingles(case: Case) -> set[str]:
    """The runs of four characters that the user's words are made of."""
    text = " ".join(text.casefold() for message in case["dialogue"] for who, text in message.items() if who == "user")
    return {text[at : at + 4] for at in range(len(text) - 3)}


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_as_its_schema_says(name: str) -> None:
    schema = json.loads((HERE / "sets.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    errors = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(cases(name))]
    assert errors == []


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_as_large_and_as_mixed_as_promised(name: str) -> None:
    languages = Counter(case["language"] for case in cases(name))
    nothing = sum(not case["store"] for case in cases(name))
    lengths = {len(case["dialogue"]) for case in cases(name)}
    assert languages.total() >= 120
    assert languages["zh"] >= 45
    assert nothing * 3 >= languages.total()
    assert lengths >= {1, 2, 3, 5}


def test_no_id_and_no_dialogue_is_there_twice() -> None:
    both = [case for name in SETS for case in cases(name)]
    for field in ("id", "dialogue"):
        times = Counter(json.dumps(case[field], ensure_ascii=False) for case in both)
        assert [what for what, count in times.items() if count > 1] == []


def test_what_is_held_out_is_no_other_wording_of_what_is_tuned_on() -> None:
    alike = {}
    tuned_on = [case for name in SETS if name != "held_out" for case in cases(name)]
    for one, other in product(tuned_on, cases("held_out")):
        a, b = shingles(one), shingles(other)
        if len(a & b) > 0.25 * min(len(a), len(b)) and len(a & b) > 5:
            alike[one["id"], other["id"]] = len(a & b)
    assert alike == {}


@pytest.mark.parametrize("case", EVERY)
def test_what_must_be_stored_was_said_by_the_user(case: Case) -> None:
    for entry in case["store"]:
        words = said(case, "user")
        assert holds(words, entry.get("says", [])[:1]), "the first group is in the user's own words"
        subject = entry.get("subject", "user")
        assert subject == "user" or holds(words, [[subject] if isinstance(subject, str) else subject])


@pytest.mark.parametrize("case", EVERY)
def test_what_must_not_be_stored_could_have_been(case: Case) -> None:
    needed = [group for entry in case["store"] for group in entry.get("says", [])]
    for word in case.get("not", []):
        assert has(said(case), word), "a word that nobody said proves nothing"
        assert not any(all(has(other, word) for other in group) for group in needed)


@pytest.mark.parametrize("case", EVERY)
def test_what_ends_was_stored_and_no_two_memories_share_an_id(case: Case) -> None:
    known = Counter(memory["id"] for memory in case.get("memories", []))
    ended = Counter(entry["ends"] for entry in case["store"] if "ends" in entry)
    assert max(known.values(), default=1) == 1
    assert ended.keys() <= known.keys()
    assert max(ended.values(), default=1) == 1


@pytest.mark.parametrize("case", EVERY)
def test_dates_are_dates_near_the_day_of_the_dialogue(case: Case) -> None:
    now = datetime.fromisoformat(case["now"])
    for entry in case["store"]:
        for name in ("event_time", "valid_from", "valid_to"):
            if name in entry:
                day = datetime.fromisoformat((entry[name] + "-01-01")[:10])
                assert abs((day - now).days) < (400 if len(entry[name]) > 4 else 4000)
