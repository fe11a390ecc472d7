"""Tests of the tokenizer: the same terms for what is indexed and for what is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.archive.stemming import stem
from pagekeeper.runtime.archive.terms import LONGEST, count_words, term_string, terms


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("relational", "relat"),
        ("vietnamization", "vietnam"),
        ("electrical", "electr"),
        ("adjustment", "adjust"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("sky", "sky"),
        ("is", "is"),
        ("x86", "x86"),
    ],
)
def test_english_words_are_stemmed(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_forms_of_a_word_are_one_term_and_stop_words_are_none() -> None:
    assert terms("She painted the paintings; I'm painting.") == ["paint", "paint", "paint"]


def test_accents_case_and_width_do_not_matter() -> None:
    assert terms("CAFÉ Ｃafé café") == ["cafe"] * 3


def test_chinese_becomes_characters_and_pairs() -> None:
    assert terms("我不吃香菜PostgreSQL") == [*"我不吃香菜", "我不", "不吃", "吃香", "香菜", "postgresql"]


def test_words_of_other_scripts_stay_whole() -> None:
    assert terms("हिन्दी привет") == ["हिन्दी", "привет"]


def test_a_text_without_words_has_no_terms() -> None:
    assert terms(" ?! \x00 🙂 ") == []
    assert term_string([]) == ""


def test_words_are_counted_in_any_script() -> None:
    assert count_words("Hello there, 我不吃香菜") == 2 + 3


@given(st.text())
def test_terms_hold_no_space_and_are_bounded(text: str) -> None:
    found = terms(text)
    assert all(term and not any(character.isspace() for character in term) for term in found)
    assert all(len(term) <= LONGEST for term in found)
    assert term_string(found).split() == found
