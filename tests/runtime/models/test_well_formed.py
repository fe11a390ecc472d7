"""Halves of characters in replies: joined where both are there, never passed on."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pagekeeper.runtime.models.base import ModelReply, ReasoningDelta, RequestedCall, TextDelta
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.models.well_formed import WellFormed, mend_json
from pagekeeper.runtime.text import storable
from pagekeeper.tests.support.asking import ask, request


async def test_a_character_in_two_deltas_is_joined() -> None:
    deltas, reply = await ask(WellFormed(ScriptedModel(["Hi \ud83d", "\ude00", "!"])), request())
    assert deltas == [TextDelta("Hi "), TextDelta("😀"), TextDelta("!")]
    assert reply == ModelReply("Hi 😀!")


async def test_a_half_is_replaced_in_text_and_escaped_in_arguments() -> None:
    pieces: list[Any] = [ReasoningDelta("\ude00"), "\ud83d!", RequestedCall("a", '{"b": "\ud83d"}'), "\ud83d"]
    model = WellFormed(ScriptedModel(pieces, name="n", window=9000))
    deltas, reply = await ask(model, request())
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "\ufffd!\ufffd"
    call = RequestedCall("a", '{"b": "\\ud83d"}')
    assert reply == ModelReply("\ufffd!\ufffd", (call,), "calls", "\ufffd")
    assert (model.name, model.window) == ("n", 9000)
    await model.close()


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters() | st.characters(categories=["Cs"])))
def test_what_comes_out_can_be_encoded_and_good_text_is_kept(text: str) -> None:
    storable(text).encode()
    mend_json(text).encode()
    good = text.encode("utf-8", "ignore").decode()
    assert storable(good) == mend_json(good) == good
