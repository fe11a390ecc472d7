"""Cutting plain text and Markdown into passages."""

from __future__ import annotations

import io
import re
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.archive.chunks import LONGEST
from pagekeeper.runtime.archive.documents import markdown, plain
from pagekeeper.runtime.archive.documents.blocks import LARGEST
from pagekeeper.runtime.archive.documents.source import LINE, lines
from pagekeeper.runtime.errors import UsageError

Cutter = Callable[[Iterator[str]], Iterator[str]]

PATH = re.compile(r"T\d+( > T\d+)*")


def bare(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


def cut(text: str, longest: int = LONGEST) -> list[str]:
    return list(markdown.pieces(io.StringIO(text), longest))


# -- plain text -----------------------------------------------------------------------------------

PARTS = st.sampled_from(
    ["word ", "longer words here. ", "\n\n", "\n", "\n \n", "# Head\n", "句子。", "没有空格的文字", "x" * 90, "? "]
)


@given(st.lists(PARTS, max_size=80).map("".join), st.integers(10, 120))
def test_plain_text_loses_nothing_but_white_space(text: str, longest: int) -> None:
    pieces = list(plain.pieces(io.StringIO(text), longest))
    assert bare("".join(pieces)) == bare(text)
    assert all(piece.strip() and len(piece) <= longest for piece in pieces)


def test_plain_text_is_cut_between_paragraphs() -> None:
    paragraphs = [f"Paragraph {number}. " + "Some words in it. " * 30 for number in range(5)]
    pieces = list(plain.pieces(io.StringIO("\n\n".join(paragraphs))))
    assert [text for piece in pieces for text in piece.split("\n\n")] == [text.strip("\n") for text in paragraphs]
    assert len(pieces) == 3


def test_chinese_text_is_cut_at_its_sentences() -> None:
    pieces = list(plain.pieces(io.StringIO("这是一个很长的句子，没有空格也没有换行。" * 300)))
    assert len(pieces) > 4
    assert all(piece.endswith("。") for piece in pieces)


# -- Markdown -------------------------------------------------------------------------------------


def test_each_piece_says_the_headings_that_it_stands_under() -> None:
    text = (
        "Before.\n\n# Guide #\n## Install\nRun it.\n\nThen\nwait.\n### On Windows\n* one\n* two\n"
        "## Nothing here\n# 附录\n内容。\nSetext title\n===\n\nbelow\n\nSecond\n------\nlast\n"
    )
    assert cut(text) == [
        "Before.",
        "Guide > Install\nRun it.\n\nThen\nwait.",
        "Guide > Install > On Windows\n* one\n* two",
        "Guide > Nothing here",
        "附录\n内容。\nSetext title\n===\n\nbelow",
        "附录 > Second\nlast",
    ]
    assert cut("Title\n===\nbody\n") == ["Title\nbody"]


def test_what_only_looks_like_a_heading_is_none() -> None:
    for text in ("#hashtag", "##", "# #", "    # indented", "a\n\n---", "- item\n---", "| a |\n---", "---"):
        assert cut(f"{text}\n\nend") == [f"{text}\n\nend"]
    assert cut("```\n# code\n```\n> ~~~\n> # code\n> ~~~") == ["```\n# code\n```\n> ~~~\n> # code\n> ~~~"]
    assert cut("~~~\n```\n# code\n") == ["~~~\n```\n# code"]


def test_front_matter_is_a_piece_of_its_own() -> None:
    assert cut("---\ntitle: x\n# no heading\n---\n# Head\ntext") == ["---\ntitle: x\n# no heading\n---", "Head\ntext"]
    rule = "---\n" + "line\n\n" * (markdown.FRONT + 1)
    assert bare("".join(cut(rule))) == bare(rule)


def test_a_long_heading_stays_in_the_text() -> None:
    title = "very " * 400
    (first, *rest) = cut(f"# {title}\n## Sub\nbody")
    assert bare("".join(piece.partition("\n")[2] for piece in [first, *rest[:-1]])) == bare(f"#{title}")
    path, body = rest[-1].split("\n")
    assert body == "body"
    assert path.endswith("… > Sub")
    assert all(len(piece) <= LONGEST for piece in (first, *rest))


def test_code_is_cut_only_where_it_is_longer_than_a_passage() -> None:
    short = "```py\n" + "".join(f"line = {number}\n\n" for number in range(40)) + "```"
    long = "```\n" + "".join(f"line = {number}\n" for number in range(400)) + "```"
    pieces = cut(f"# Code\n{'Words before it. ' * 50}\n\n{short}\n{long}\nafter\n")
    assert len(short) < LONGEST < len(long)
    assert sum(short in piece for piece in pieces) == 1
    assert all(piece.startswith("Code\n") and len(piece) <= LONGEST for piece in pieces)
    found = "".join(piece.removeprefix("Code\n") for piece in pieces)
    assert bare(long) in bare(found)


ELEMENTS = st.lists(
    st.one_of(
        st.tuples(st.just("heading"), st.integers(1, 6)),
        st.tuples(st.just("text"), st.integers(1, 60)),
        st.tuples(st.just("code"), st.integers(1, 60)),
        st.tuples(st.just("list"), st.integers(1, 6)),
    ),
    max_size=25,
)


@given(ELEMENTS, st.integers(100, 300))
def test_markdown_loses_nothing_and_everything_stands_under_its_headings(
    elements: list[tuple[str, int]], longest: int
) -> None:
    source, body, codes = "", "", []
    above: list[tuple[int, str]] = []
    under: dict[str, str] = {}
    for number, (kind, size) in enumerate(elements):
        word = f"w{number}w"
        if kind == "heading":
            above = [*(one for one in above if one[0] < size), (size, f"T{number}")]
            source += f"{'#' * size} T{number}\n"
            continue
        under[word] = " > ".join(title for _, title in above)
        text = {
            "text": f"{word} " + "words. " * size,
            "code": f"```\n{word}\n" + "# code\n\n" * size + "```",
            "list": f"- {word}\n" + "- item\n" * size,
        }[kind]
        if kind == "code" and len(text) + len(under[word]) < longest:
            codes.append(text)
        source += f"{text}\n\n"
        body += text
    pieces = cut(source, longest)
    assert all(piece.strip() and len(piece) <= longest for piece in pieces)
    rest = ""
    for piece in pieces:
        first, _, after = piece.partition("\n")
        path, said = (first, after) if PATH.fullmatch(first) else ("", piece)
        rest += said
        assert {under[word] for word in re.findall(r"w\d+w", said)} <= {path}
    assert bare(rest) == bare(body)
    titles = {title for piece in pieces for title in re.findall(r"T\d+", piece.partition("\n")[0])}
    assert titles == {f"T{number}" for number, (kind, _) in enumerate(elements) if kind == "heading"}
    for text in codes:
        assert any(text in piece for piece in pieces)


MARKS = ["#", "##### ", "```", "~~~~", "\n", "\n\n", "---", "===", "> ", "- ", "    ", "\t", "。", "..."]


@given(st.lists(st.one_of(st.sampled_from(MARKS), st.just("w")), max_size=60), st.integers(650, 700))
def test_no_word_is_lost_whatever_stands_around_it(marks: list[str], longest: int) -> None:
    words = [f"w{number}w" if mark == "w" else mark for number, mark in enumerate(marks)]
    pieces = cut("".join(words), longest)
    found = "".join(pieces)
    assert [word for word in words if word.startswith("w") and word not in found] == []
    assert all(len(piece) <= longest for piece in pieces)


# -- reading --------------------------------------------------------------------------------------


def test_line_breaks_and_a_byte_order_mark_make_no_difference() -> None:
    for text in ("a\r\nb\rc\n", "\ufeffa\nb\nc\n"):
        assert list(lines(io.BytesIO(text.encode()))) == ["a\n", "b\n", "c\n"]


def test_a_line_without_an_end_comes_in_parts_between_words() -> None:
    text = "somewhat longer. " * 20_000
    parts = list(lines(io.BytesIO(text.encode())))
    assert "".join(parts) == text
    assert all(len(part) <= LINE and part.endswith(" ") for part in parts)
    assert list(lines(io.BytesIO(text.encode()), whole=True)) == [text]
    solid = "x" * (3 * LINE + 1)
    assert "".join(lines(io.BytesIO(solid.encode()))) == solid


@pytest.mark.parametrize("cutter", [plain.pieces, markdown.pieces])
@pytest.mark.parametrize("unit", ["words. ", "line\n", "para\n\n", "\n", "> ", "```\n", "# \n", "# T\n", "没有空格"])
def test_a_large_document_is_never_in_memory_as_a_whole(cutter: Cutter, unit: str) -> None:
    size = 20 * LARGEST
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for part in lines(io.BytesIO((unit * (size // len(unit))).encode())):
            read += len(part)
            yield part

    behind = 0
    for piece in cutter(counted()):
        assert len(piece) <= LONGEST
        behind = max(behind, read)
        read = 0
    assert behind <= 2 * LINE + LARGEST


@pytest.mark.parametrize("cutter", [plain.pieces, markdown.pieces])
@pytest.mark.parametrize("blank", ["\n" * 1000, " " * 1000 + "\n"])
def test_white_space_without_end_is_not_kept(cutter: Cutter, blank: str) -> None:
    tracemalloc.start()
    try:
        found = list(cutter(chain(repeat(blank, 5000), ["word"])))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [piece.strip() for piece in found] == ["word"]
    assert peak < 20 * LARGEST


def test_what_is_not_utf8_names_its_line() -> None:
    for text, line in (("one\ntwo\n", 3), ("", 1), ("长" * LINE + "\n", 2)):
        for bad in (b"\xff\xfe\n", "é".encode("latin-1"), "长".encode()[:2]):
            with pytest.raises(UsageError, match=f"not UTF-8 .*line {line}"):
                list(lines(io.BytesIO(text.encode() + bad)))
