"""The offline model answers how things stood on a day from what its search says held then."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagekeeper.runtime.models.base import ModelRequest
from pagekeeper.runtime.models.offline.model import respond

TOOLS = tuple({"type": "function", "function": {"name": name}} for name in ("archival_search", "conversation_search"))
HEAD = "Today is Friday, 2026-05-01, time zone Europe/Madrid.\n<core_memory>\n{}\n</core_memory>"
BLOCK = '<block label="human" rev="3" limit="5000">\n{}\n</block>'
FOUND = """\
- [p-1] 2026-04-01 (score 0.80) fact, superseded, until 2026-04-18: The user lives in Valencia.
- [p-2] 2026-04-18 (score 0.90) fact, since 2026-04-18: The user lives in Girona."""


def asked(words: str, found: str = FOUND, block: str = "") -> list[dict[str, Any]]:
    """What the model does for a question, request by request; its searches find `found`."""
    head = HEAD.format(BLOCK.format(block) if block else "")
    messages: list[dict[str, Any]] = [{"role": "system", "content": head}, {"role": "user", "content": words}]
    calls: list[dict[str, Any]] = []
    while (reply := respond(ModelRequest(tuple(messages), TOOLS))).calls:
        made = [
            {"id": f"c{len(calls) + n}", "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
            for n, one in enumerate(reply.calls)
        ]
        messages.append({"role": "assistant", "content": "", "tool_calls": made})
        messages += [{"role": "tool", "tool_call_id": one["id"], "content": found} for one in made]
        calls += [{"name": one.name, **json.loads(one.arguments)} for one in reply.calls]
        assert len(calls) < 9
    return [*calls, {"says": reply.text}]


@pytest.mark.parametrize(
    ("words", "day", "city"),
    [
        ("Where did I live on 10 April?", "2026-04-10", "Valencia"),
        ("Where did I live on 25 April?", "2026-04-25", "Girona"),
        ("4月10日我住在哪里？", "2026-04-10", "Valencia"),
    ],
)
def test_what_held_on_that_day_is_told(words: str, day: str, city: str) -> None:
    *calls, last = asked(words)
    assert {call["as_of"] for call in calls if call["name"] == "archival_search"} == {day}
    assert city in last["says"]
    assert {"Valencia", "Girona"} - {city} - set(last["says"].replace(".", " ").split()) == {"Valencia", "Girona"} - {
        city
    }


def test_without_a_day_it_is_asked_as_ever() -> None:
    *calls, _ = asked("Where do I live?")
    assert all("as_of" not in call for call in calls)


def test_a_block_that_says_how_things_stand_now_comes_after_what_held_then() -> None:
    lives = "The user lives in Girona."
    assert "Valencia" in asked("Where did I live on 10 April?", block=lives)[-1]["says"]
    only_now = "- [p-2] 2026-04-18 (score 0.90) fact, since 2026-04-18: The user lives in Girona."
    assert "Oslo" in asked("Where did I live on 10 April?", only_now, "The user lives in Oslo.")[-1]["says"]


def test_what_is_told_by_a_name_answers_for_what_somebody_is_to_the_user() -> None:
    known = "- [p-4] 2026-04-02 (score 0.5) fact: The user's sister Marit lives in Lisbon."
    later = "- [p-5] 2026-04-20 (score 0.5) fact: Marit works at the Rijnkaai Archive."
    *calls, last = asked("Where does my sister work?", f"{known}\n{later}")
    assert "Where does Marit work" in [call.get("query") for call in calls]
    assert "Rijnkaai" in last["says"]
    boss = "- [p-4] 2026-04-02 (score 0.5) fact: The user's boss Marit works at Kiln."
    other = "- [p-5] 2026-04-20 (score 0.5) fact: Rijn works at the Rijnkaai Archive."
    *calls, _ = asked("Where does my sister work?", f"{boss}\n{other}")
    assert not [call for call in calls if "Marit" in call.get("query", "")], "another is called so"


def test_what_is_known_to_have_ended_since_held_before_it_was_told() -> None:
    ended = "- [p-1] 2026-04-30 (score 0.80) fact, superseded, until 2026-04-18: The user lives in Valencia."
    now = "The user has lived in Girona since 18 April 2026."
    assert "Valencia" in asked("Where did I live on 10 April?", ended, now)[-1]["says"]


def test_what_was_told_only_later_comes_last() -> None:
    later = "- [p-3] 2026-04-20 (score 0.9) fact: The user's sister Marit lives in Antwerp."
    earlier = "- [p-4] 2026-04-02 (score 0.5) fact: The user's sister Marit lives in Lisbon."
    words = "Where did Marit live on 8 April?"
    assert "Lisbon" in asked(words, f"{later}\n{earlier}")[-1]["says"]
    assert "Antwerp" in asked(words, later)[-1]["says"]


@pytest.mark.parametrize(
    ("words", "query"),
    [
        ("What time did I have lunch, as of 8 April?", "What time did I have lunch"),
        ("When was the board meeting, as of the 8th of April?", "When was the board meeting"),
        ("When did my band practise, as of the 8th?", "When did my band practise"),
        ("截至4月8日乐队几点排练？", "乐队几点排练"),
        ("4月8日那时乐队几点排练？", "乐队几点排练"),
    ],
)
def test_a_question_that_says_as_of_when_it_asks_is_of_how_things_stood(words: str, query: str) -> None:
    day = "2026-04-08"
    *calls, _ = asked(words)
    assert {call["as_of"] for call in calls if "as_of" in call} == {day}
    assert query in [call.get("query") for call in calls]


def test_it_keeps_the_day_that_something_was_planned_for() -> None:
    *calls, last = asked(
        "Where were we going on 2 May, as of the 12th?",
        "- [p-6] 2026-04-11 (score 0.7) fact: On 2 May we are off to Elba.",
    )
    assert calls[0] == {
        "name": "archival_search",
        "query": "Where were we going on 2 May",
        "as_of": "2026-04-12",
        "limit": 10,
    }
    assert "Elba" in last["says"]


def test_of_what_held_then_the_latest_is_told() -> None:
    old = "- [p-7] 2026-04-02 (score 0.9) fact: The user's uncle Pim works late shifts."
    new = "- [p-8] 2026-04-14 (score 0.9) fact: Pim is on early shifts now."
    assert "late" in asked("Which shifts did Pim work on 10 April?", f"{old}\n{new}")[-1]["says"]
    said = asked("Which shifts did Pim work on 20 April?", f"{old}\n{new}")[-1]["says"]
    assert "early" in said
    assert "late" not in said
