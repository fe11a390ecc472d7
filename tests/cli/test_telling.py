"""How a turn is told: the reply alone on stdout, the rest on stderr; or every event as a line of JSON."""

from __future__ import annotations

import json

import pytest

from pagekeeper.cli.telling import JsonTeller, Teller
from pagekeeper.runtime import stream
from pagekeeper.runtime.models.base import Usage

TURN: list[stream.StreamEvent] = [
    stream.TurnStarted("t1", "i1", "hello"),
    stream.Recalled("<memory>", ("p-1", "m-2")),
    stream.StepStarted(1, 900),
    stream.ReplyDelta("Let me "),
    stream.ReplyDelta("look."),
    stream.CallStarted("c1", "archival_search", '{"query": "\\u5c0f\\u6797"}'),
    stream.CallFinished("c1", "archival_search", "No results.", False),
    stream.StepStarted(2, 950),
    stream.ReplyDelta("你好\x1b[31m"),
    stream.TurnEnded("t1", "done", "Let me look.\n你好", usage=Usage(10, 5)),
]


def told(events: list[stream.StreamEvent], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    teller = Teller()
    for event in events:
        teller.tell(event)
    out = capsys.readouterr()
    return out.out, out.err


def test_the_reply_is_on_stdout_and_the_rest_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = told(TURN, capsys)
    assert out == "Let me look.\n你好\x1b[31m\n"
    assert err.splitlines() == ["[recalled 2 memories]", '[archival_search {"query": "小林"}]']


def test_what_ended_the_turn_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert told([stream.TurnEnded("t", "error", "", "No such model.")], capsys) == ("", "pagekeeper: No such model.\n")
    assert "step cap" in told([stream.TurnEnded("t", "step_cap", "")], capsys)[1]


def test_failures_and_retries_are_told_in_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    events: list[stream.StreamEvent] = [
        stream.ReplyDelta("half"),
        stream.RetryScheduled(2, 0.5, "429\nslow down"),
        stream.CallStarted("c1", "x", "{broken \x1b]0;"),
        stream.CallFinished("c1", "x", "Error: " + "long " * 100, True),
        stream.Warned("no recall"),
    ]
    out, err = told(events, capsys)
    assert out == "half\n"
    lines = err.splitlines()
    assert lines[:2] == ["[retry 2 in 0.5 s: 429 slow down]", "[x {broken \\x1b]0;]"]
    assert lines[2].startswith("[x failed: Error: long")
    assert len(lines[2]) < 200
    assert lines[3] == "pagekeeper: warning: no recall"


def test_json_tells_every_event(capsys: pytest.CaptureFixture[str]) -> None:
    teller = JsonTeller()
    for event in TURN:
        teller.tell(event)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    names = ["turn_started", "recalled", "step_started", "reply_delta", "reply_delta", "call_started", "call_finished"]
    assert [line["type"] for line in lines] == [*names, "step_started", "reply_delta", "turn_ended"]
    assert lines[1]["ids"] == ["p-1", "m-2"]
    assert lines[0] == {"type": "turn_started", "turn": "t1", "input": "i1", "text": "hello"}
    assert lines[-1]["type"] == "turn_ended"
    assert lines[-1]["usage"] == {"input_tokens": 10, "output_tokens": 5, "cached_tokens": None}
