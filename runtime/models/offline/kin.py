"""The Chinese words for who somebody is to the user, and the shape of the names that they go by."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .data import load

_TABLE: dict[str, Any] = load("kin_zh.toml")
RELATIONS: dict[str, str] = {
    word: attribute for attribute, words in _TABLE["relations"].items() for word in words.split()
}
"""The attribute that tells of somebody, by the word for them."""


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of `words`, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


RELATION = any_of(RELATIONS)
"""A pattern for any of the words."""
PET = any_of(word for word, attribute in RELATIONS.items() if attribute == "pet")
NICKNAME = r"[阿小老][\u4e00-\u9fff]|[A-Z]\w+"
"""A pattern for a name that is one by its shape: 阿成, 小安, 老周, Ana."""


def whole(relation: str) -> str:
    """The full word for one that is short: 妈妈 for 妈."""
    return str(_TABLE["whole"].get(relation, relation))
