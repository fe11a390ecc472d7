"""Recording and replaying: the same deltas, replies and errors; and what is said of a request that changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pagekeeper.runtime.errors import ModelRefused, ModelTimeout, ScriptError
from pagekeeper.runtime.models.base import ModelReply, ModelRequest, RequestedCall, Retrying, TextDelta, Usage
from pagekeeper.runtime.models.replay import RecordingModel, ReplayModel
from pagekeeper.runtime.models.scripted import Reply, ScriptedModel, call
from pagekeeper.tests.support.asking import ask, ask_until_error, request

WHOLE = ModelReply("你好", (RequestedCall("a", "{broken"),), "length", "hm", Usage(3, None, 1))


async def record(path: Path, *asked: tuple[ModelRequest, Reply]) -> None:
    model = RecordingModel(ScriptedModel(*[reply for _, reply in asked], window=9000), path)
    for each, _ in asked:
        try:
            await ask(model, each)
        except (ModelRefused, ModelTimeout):
            continue
    await model.close()


async def test_what_was_recorded_is_played_back(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    pieces: Reply = [Retrying(2, 1.5, "Busy."), "Hel", "lo", call("look", at="sky")]
    asked = [request("one"), request("two"), request("three")]
    await record(path, (asked[0], WHOLE), (asked[1], pieces), (asked[2], ["Half", ModelTimeout("Nothing came.")]))
    original = ScriptedModel(WHOLE, pieces)
    played = ReplayModel(path)
    assert (played.name, played.window) == ("scripted", 9000)
    for each in asked[:2]:
        assert await ask(played, each) == await ask(original, each)
    items, error = await ask_until_error(played, asked[2])
    assert items == [TextDelta("Half")]
    assert (type(error), str(error)) == (ModelTimeout, "Nothing came.")
    played.assert_used()
    # It is for people to read, too.
    assert "你好" in path.read_text(encoding="utf-8")


async def test_equal_requests_get_their_answers_in_order_and_others_may_come_between(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    summary = request("sum up", purpose="summary")
    model = RecordingModel(ScriptedModel("first", "second", summaries=["short"]), path)
    for each in (request("same"), summary, request("same")):
        await ask(model, each)
    await model.close()
    played = ReplayModel(path)
    texts = [(await ask(played, each))[1].text for each in (summary, request("same"), request("same"))]
    assert texts == ["short", "first", "second"]


TOOL = {"type": "function", "function": {"name": "look"}}
RECORDED = ModelRequest(
    messages=(
        {"role": "system", "content": "Be kind. " * 20},
        {"role": "user", "content": "What is it?"},
    ),
    tools=(TOOL,),
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            replace(RECORDED, messages=(RECORDED.messages[0], {"role": "user", "content": "What was it?"})),
            "messages[1].content differs from character 5 on: it was 'What is it?', and is 'What was it?'.",
        ),
        (
            replace(RECORDED, messages=RECORDED.messages[:1]),
            'messages[1] is missing: {"role": "user", "content": "What is it?"}',
        ),
        (
            replace(RECORDED, messages=(*RECORDED.messages, {"role": "user", "content": "And?"})),
            'messages[2] is new: {"role": "user", "content": "And?"}',
        ),
        (replace(RECORDED, tools=()), "tools[0] is missing"),
        (replace(RECORDED, max_tokens=7), "max_tokens was 4096, and is 7"),
        (
            replace(RECORDED, messages=(RECORDED.messages[0], {"role": "user", "content": None})),
            'messages[1].content was "What is it?", and is null',
        ),
        (
            replace(RECORDED, messages=(RECORDED.messages[0], {**RECORDED.messages[1], "name": "Ada"})),
            'messages[1].name is new: "Ada"',
        ),
    ],
)
async def test_a_changed_request_is_refused_and_the_difference_named(
    tmp_path: Path, changed: ModelRequest, said: str
) -> None:
    path = tmp_path / "tape.jsonl"
    await record(path, (RECORDED, "ok"))
    played = ReplayModel(path)
    _, error = await ask_until_error(played, changed)
    assert isinstance(error, ScriptError)
    assert said in error.message
    with pytest.raises(AssertionError, match="1 recorded answers"):
        played.assert_used()
    assert (await ask(played, RECORDED))[1].text == "ok"
    _, error = await ask_until_error(played, RECORDED)
    assert "no answer is left" in str(error)


async def test_no_key_gets_into_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape.jsonl"
    monkeypatch.setenv("SOME_API_KEY", 'sk-"quoted"-secret')
    asked = request('my key is sk-"quoted"-secret, keep it')
    await record(path, (asked, "ok"))
    written = path.read_text(encoding="utf-8")
    assert "quoted" not in written
    assert "my key is [key], keep it" in written
    assert (await ask(ReplayModel(path), asked))[1].text == "ok"


async def test_what_was_cut_short_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    model = RecordingModel(ScriptedModel(["a", "b"]), path)
    stream = model.stream(request())
    assert await anext(stream) == TextDelta("a")
    await stream.aclose()  # type: ignore[attr-defined]
    items, error = await ask_until_error(ReplayModel(path), request())
    assert items == [TextDelta("a")]
    assert "was cancelled here" in str(error)
    await model.close()


@pytest.mark.parametrize("content", ["", "nonsense", "[]", '{"cassette": 99, "model": "m", "window": 1}', None])
def test_a_file_that_is_no_cassette(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tape.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ScriptError, match="Record it anew"):
        ReplayModel(path)


async def test_each_line_is_json(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    await record(path, (request("two\nlines \u2028"), "ok\u2028"), (request("b"), ModelRefused("No.")))
    lines = path.read_text(encoding="utf-8").split("\n")
    assert [sorted(json.loads(line)) for line in lines if line] == [
        ["cassette", "model", "window"],
        ["deltas", "fingerprint", "reply", "request"],
        ["deltas", "error", "fingerprint", "request"],
    ]
    assert (await ask(ReplayModel(path), request("two\nlines \u2028")))[1].text == "ok\u2028"
