"""Our markers in other people's text: escaped beyond mistaking, and back to the very same text."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.text import MARKERS, attribute, escape, unescape

MARKS = [f"<{mark}" for mark in MARKERS] + [f"</{mark}>" for mark in MARKERS]
OTHERS = ["<BLOCK ", "<blocks>", "<block-quote>", "&lt;", "&amp;lt;", "&amp;amp;lt;", "&amp;", "&", "<", ">"]
OTHERS += ["amp;", "lt;", "/", "\n", '"', "\0", "ſummary"]
fragments = st.sampled_from(MARKS + OTHERS)
texts = st.lists(fragments | st.text(max_size=5), max_size=12).map("".join)
_MARK = re.compile(r"</?(?:" + "|".join(MARKERS) + r")(?![\w-])", re.IGNORECASE)


@given(texts)
def test_escaped_text_holds_no_marker_and_comes_back(text: str) -> None:
    escaped = escape(text)
    assert _MARK.search(escaped) is None
    assert unescape(escaped) == text


@given(texts)
def test_what_needs_no_escape_is_left_as_it_is(text: str) -> None:
    if _MARK.search(text) is None and "lt;" not in text:
        assert escape(text) == text


@given(texts)
def test_an_attribute_is_one_line_without_quotes_and_comes_back(text: str) -> None:
    made = attribute(text)
    assert not set(made) & set('"<>\n\r\u2028\u2029\x85')
    if "\x85" not in text and "\0" not in text and "\r" not in text:
        assert html.unescape(made) == text or any(ord(c) < 32 or c == "\x7f" for c in text)
