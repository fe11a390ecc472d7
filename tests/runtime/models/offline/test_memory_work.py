"""What the offline model replies when it is asked to reflect."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.models.base import ModelRequest, Purpose
from pagekeeper.runtime.models.offline.model import respond


def ask(purpose: Purpose, given: Any) -> dict[str, Any]:
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    messages = ({"role": "system", "content": ""}, {"role": "user", "content": text})
    reply: dict[str, Any] = json.loads(respond(ModelRequest(messages=messages, purpose=purpose)).text)
    return reply


def reflect(episodes: list[str], facts: list[str] | None = None) -> dict[str, list[dict[str, Any]]]:
    return ask(
        "reflect",
        {
            "now": "2026-03-18T10:00",
            "episodes": [{"id": f"e{n}", "text": text, "at": "2026-03-01"} for n, text in enumerate(episodes)],
            "facts": [{"id": f"f{n}", "text": text} for n, text in enumerate(facts or [])],
        },
    )


@pytest.mark.parametrize(
    ("episodes", "insight"),
    [
        (
            [
                "The user ran before work on 2026-03-02.",
                "The user went running before work on 2026-03-05.",
                "The user ran 5 km before work on Monday 2026-03-09.",
            ],
            "The user often runs before work.",
        ),
        (
            [
                "The user cooked ramen with Oona on 2026-03-01.",
                "The user saw a film with Oona.",
                "The user met Oona at the lake.",
            ],
            "The user often spends time with Oona.",
        ),
        (
            ["用户2026年3月1日去湖边游泳。", "用户2026年3月4日下班后去湖边游泳。", "用户周日去湖边游泳了。"],
            "用户经常去湖边游泳。",
        ),
    ],
)
def test_what_recurs_three_times_is_an_insight(episodes: list[str], insight: str) -> None:
    (found,) = reflect(episodes)["insights"]
    assert found["text"] == insight
    assert found["evidence"] == ["e0", "e1", "e2"]
    assert 0.5 < found["confidence"] <= 0.9


def test_facts_may_show_it_too_but_not_alone() -> None:
    facts = ["The user swims in the lake.", "The user swims on Sundays."]
    (found,) = reflect(["The user swam in the lake on 2026-03-01."], facts)["insights"]
    assert sorted(found["evidence"]) == ["e0", "f0", "f1"]
    assert reflect([], [*facts, "The user swims at noon."])["insights"] == []


def test_more_of_it_makes_an_insight_surer() -> None:
    few, many = (reflect(["The user baked bread."] * count)["insights"][0]["confidence"] for count in (3, 5))
    assert many > few


def test_twice_is_no_pattern_and_different_things_are_none() -> None:
    assert reflect(["The user ran before work."] * 2) == {"insights": [], "rules": []}
    assert reflect(["The user ran.", "The user bought a bike.", "The user visited Rome."]) == {
        "insights": [],
        "rules": [],
    }


def test_what_is_wished_three_times_is_a_rule() -> None:
    wishes = [
        "The user asked for a shorter answer.",
        "The user wants the assistant to be brief.",
        "The user asked the assistant to be more concise.",
    ]
    found = reflect(wishes)
    assert found["insights"] == []
    assert found["rules"] == [
        {"text": "Keep answers to the user short.", "evidence": ["e0", "e1", "e2"], "confidence": pytest.approx(0.7)}
    ]
    assert reflect(wishes[:2])["rules"] == []


@pytest.mark.parametrize("text", ["no json", "[]", '{"turns": 3, "episodes": "x", "facts": [1, {"id": 2}]}'])
def test_what_cannot_be_read_yields_nothing(text: str) -> None:
    assert ask("reflect", text) == {"insights": [], "rules": []}


@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_words_are_taken(texts: list[str]) -> None:
    found = reflect(texts)
    assert all(len(set(one["evidence"])) >= 3 for one in [*found["insights"], *found["rules"]])
