"""Words of a text and their stems: enough of English to find "chose" under "choose", and Chinese by character."""

from __future__ import annotations

import re
from functools import cache

from .data import load

_TOKEN = re.compile(r"[^\W_\u3400-\u9fff][^\W\u3400-\u9fff]*(?:[.&'/+#-]+[^\W\u3400-\u9fff]+)*[+#]*|[\u3400-\u9fff]+")
_CJK = re.compile(r"[\u3400-\u9fff]")
IRREGULAR: dict[str, str] = {
    form: word for word, forms in load("words.toml")["irregular"].items() for form in forms.split()
}
"""Past forms and odd plurals, and the word that each belongs to."""


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, which is a list with spaces between."""
    return frozenset(text.split())


def is_cjk(text: str) -> bool:
    """Whether `text` holds a Chinese character."""
    return _CJK.search(text) is not None


def tokens(text: str) -> list[str]:
    """Words and numbers as written, and runs of Chinese characters; a possessive 's is dropped."""
    found = (match.group() for match in _TOKEN.finditer(text.replace("’", "'")))
    return [token[:-2] if token.lower().endswith("'s") else token for token in found]


@cache
def stem(word: str) -> str:
    """What inflected forms of an English word have in common. It is compared, never shown."""
    word = word.lower()
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    word = IRREGULAR.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ed") and len(word) > 4 and not word.endswith("eed"):
        word = word[:-2]
    elif word.endswith("ing") and len(word) > 5:
        word = word[:-3]
    elif word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return word
