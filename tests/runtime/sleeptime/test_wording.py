"""What counts as saying the same: words in order, numbers and negation among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper.runtime.sleeptime.wording import compare, likeness, negated, same_words

WORDS = st.lists(
    st.sampled_from(["Ana", "Bo", "sails", "rows", "Porto", "2", "3", "coffee", "not", "咖啡", "里斯本"]),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize(
    ("new", "old", "likeness"),
    [
        ("The user lives in Porto.", "User lives in Porto", "same"),
        ("The user's sister Ana is a nurse.", "the user's sister Ana is a nurse!", "same"),
        ("The user lives in Porto, Portugal.", "The user lives in Porto.", "more"),
        ("The user lives in Porto.", "The user lives in Porto, Portugal.", "less"),
        ("The user has 3 cats.", "The user has 2 cats.", "other"),
        ("The user does not eat meat.", "The user eats meat.", "other"),
        ("The user no longer drinks coffee.", "The user drinks coffee.", "other"),
        ("Ana manages Bo.", "Bo manages Ana.", "other"),
        ("The user works at Kiln.", "The user lives in Porto.", "other"),
        ("用户住在里斯本。", "用户现在住在里斯本", "same"),
        ("用户住在里斯本的老城。", "用户住在里斯本。", "more"),
        ("用户不吃肉。", "用户吃肉。", "other"),
        ("用户有3只猫。", "用户有2只猫。", "other"),
        ("We use MySQL. (Before: We use PostgreSQL.)", "We use MySQL.", "same"),
        ("", "", "other"),
        ("…", "…", "other"),
    ],
)
def test_how_two_memories_compare(new: str, old: str, likeness: str) -> None:
    assert compare(new, old) == likeness


@given(WORDS, WORDS)
def test_more_and_less_are_one_relation_seen_from_two_sides(mine: list[str], theirs: list[str]) -> None:
    new, old = " ".join(mine), " ".join(theirs)
    mirrored = {"same": "same", "more": "less", "less": "more", "other": "other"}
    assert compare(old, new) == mirrored[compare(new, old)]
    assert compare(new, new) == ("same" if likeness(new, new) else "other")
    assert 0 <= likeness(new, old) <= 1
    assert likeness(new, old) == likeness(old, new)


@given(WORDS, st.sampled_from(["7", "41"]))
def test_a_number_more_never_says_the_same(words: list[str], number: str) -> None:
    text = " ".join(words)
    assert compare(f"{text} {number}", text) != "same"


def test_values_are_compared_without_case_marks_and_articles() -> None:
    assert same_words("the Kiln", "kiln")
    assert same_words("Kiln Ltd.", "kiln ltd")
    assert not same_words("2", "3")
    assert not same_words(None, None)
    assert not same_words("?", "!")


def test_denials() -> None:
    assert [negated(text) for text in ("I don't smoke", "I never smoke", "我不抽烟", "I smoke", "a note")] == [
        *(True, True, True),
        *(False, False),
    ]
