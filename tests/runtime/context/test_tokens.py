"""Counting tokens, and shortening texts to so many of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.text import escape

COUNTER = TokenCounter()

texts = st.builds(
    lambda piece, times: piece * times,
    st.sampled_from(["word ", "<block>", "&lt;", "字", "😀", "\0", "x", "\n", '"\\', "Sentence one. "])
    | st.text(max_size=9),
    st.integers(0, 3_000),
)


@given(texts, st.integers(8, 400), st.sampled_from([(str, str), (escape, str), (str, json.dumps)]))
def test_a_shortened_text_takes_no_more_than_it_may(
    text: str, most: int, ways: tuple[Callable[[str], str], Callable[[str], str]]
) -> None:
    escaped, wrapped = ways
    short = COUNTER.shorten(text, most, escaped, wrapped)
    assert COUNTER.count(short) <= most
    if len(text) <= 16 * most and COUNTER.count(wrapped(escaped(text))) <= most:
        assert short == wrapped(escaped(text))


@given(texts, st.integers(8, 400))
def test_what_a_user_writes_is_no_marker(text: str, most: int) -> None:
    short = COUNTER.shorten(f"<left_out/>{text}<LEFT_OUT characters='1'/>", most, escape)
    assert short.count("<left_out") + short.count("<LEFT_OUT") <= 1  # ours, where it was shortened


@given(texts, st.integers(60, 400))
def test_its_beginning_and_its_end_stay(text: str, most: int) -> None:
    short = COUNTER.shorten(text, most)
    if short != text:
        before, mark, after = short.partition("\n<left_out ")
        assert mark
        assert text.startswith(before)
        assert text.endswith(after.partition("/>\n")[2])


@pytest.mark.parametrize(
    "text", ["word " * 1_000_000, "x" * 4_000_000, "字" * 4_000_000], ids=["words", "x", "chinese"]
)
def test_the_work_does_not_grow_with_the_text(text: str) -> None:
    counter = TokenCounter()
    counter.shorten(text, 1_000)
    assert counter.characters <= 20_000
    start = time.process_time()
    counter.shorten(text, 1_000)
    assert time.process_time() - start < 5  # a run without spaces takes a naive tokenizer minutes
