"""The Porter stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980): one stem for a word's English forms."""

from __future__ import annotations

import re
from functools import lru_cache

_STEP2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
_STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4 = (
    "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split()  # noqa: SIM905
)
_LONGEST_FIRST_2 = sorted(_STEP2, key=len, reverse=True)
_LONGEST_FIRST_3 = sorted(_STEP3, key=len, reverse=True)
_LONGEST_FIRST_4 = sorted(_STEP4, key=len, reverse=True)

_PLAIN = re.compile(r"[a-z]{3,}")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a lower-case word; anything but three or more plain letters comes back as it is."""
    if not _PLAIN.fullmatch(word):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _exchange(word, _LONGEST_FIRST_2, _STEP2)
    word = _exchange(word, _LONGEST_FIRST_3, _STEP3)
    word = _strip(word)
    return _tidy(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        root = word[: -len(ending)]
        if word.endswith(ending) and _has_vowel(root):
            if root.endswith(("at", "bl", "iz")):
                return root + "e"
            if _doubled(root) and root[-1] not in "lsz":
                return root[:-1]
            return root + "e" if _measure(root) == 1 and _short(root) else root
    return word


def _exchange(word: str, endings: list[str], table: dict[str, str]) -> str:
    for ending in endings:
        if word.endswith(ending):
            root = word[: -len(ending)]
            return root + table[ending] if _measure(root) > 0 else word
    return word


def _strip(word: str) -> str:
    for ending in _LONGEST_FIRST_4:
        if word.endswith(ending):
            # Of -sion and -tion only "ion" goes.
            root = word[:-3] if ending in ("sion", "tion") else word[: -len(ending)]
            return root if _measure(root) > 1 else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        size = _measure(word[:-1])
        if size > 1 or (size == 1 and not _short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _pattern(word: str) -> str:
    """The word as consonants (c) and vowels (v); y is a vowel after a consonant."""
    out: list[str] = []
    for place, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and place > 0 and out[-1] == "c")
        out.append("v" if vowel else "c")
    return "".join(out)


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    return _pattern(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _pattern(word)


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _pattern(word)[-1] == "c"


def _short(word: str) -> bool:
    """Whether it ends as "hop" does: consonant, vowel, consonant other than w, x or y."""
    return _pattern(word)[-3:] == "cvc" and word[-1] not in "wxy"
