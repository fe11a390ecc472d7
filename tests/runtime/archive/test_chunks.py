"""Tests of cutting long texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.archive.chunks import chunk

PIECES = st.sampled_from(
    ["word ", "longer words here. ", "\n\n", "\n", "# Head\n", "句子。", "没有空格的文字", "x" * 40, "? "]
)


def test_a_short_text_is_one_piece_exactly_as_it_is() -> None:
    assert chunk("  a\r\n\tb  ") == ["  a\r\n\tb  "]


def test_a_long_text_is_cut_at_its_paragraphs() -> None:
    paragraphs = [f"Paragraph {number}. " + "Some words in it. " * 20 for number in range(6)]
    pieces = chunk("\n\n".join(paragraphs), 800)
    starts = [part.split(".")[0] for piece in pieces for part in piece.split("\n\n")]
    assert starts == [paragraph.split(".")[0] for paragraph in paragraphs]


def test_headings_start_pieces() -> None:
    pieces = chunk("\n".join(f"# Part {number}\n" + "text " * 100 for number in range(4)), 700)
    assert [piece[:8] for piece in pieces] == ["# Part 0", "# Part 1", "# Part 2", "# Part 3"]


@given(st.lists(PIECES, max_size=60).map("".join), st.integers(10, 120))
def test_nothing_but_white_space_is_lost_and_no_piece_is_too_long(text: str, longest: int) -> None:
    pieces = chunk(text, longest)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece) <= longest for piece in pieces)
