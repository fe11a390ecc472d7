"""Text as terms: one tokenizer for what is indexed and for what is asked.

English words are lower-cased, stemmed, and left out where they carry no subject. Runs of Chinese, Japanese and Korean
(and Thai) become single characters and pairs, since no word ends show in them: tokenizers for words or trigrams find
Chinese no better than chance. The terms of a row are stored as one string, so LanceDB splits it at spaces and knows no
language, and rows that are not in LanceDB yet are found by exactly the same terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .stemming import stem
from .stopwords import STOPWORDS

LONGEST = 40
"""Characters of a term that count; the rest of a longer one (a hash, a run of one letter) is cut off."""

_CJK = (
    "\u0e00-\u0eff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Vowel signs are marks, not letters, in Unicode; without them a word of Hindi or vocalised Arabic would fall apart.
_LETTER = f"(?:(?![{_CJK}])[^\\W_]|[\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff])"
_RUN = re.compile(f"(?P<cjk>[{_CJK}]+)|(?P<word>{_LETTER}+(?:['’]{_LETTER}+)*)")
_UNSPACED = re.compile(f"[{_CJK}]+")
_MARKS = re.compile("[\u0300-\u036f]")


def terms(text: str) -> list[str]:
    """The terms of `text`, in order and with repetitions."""
    return list(_terms(text))


def term_string(found: list[str]) -> str:
    """Terms as they are stored: parted by two spaces and between spaces, so that " term " can be counted."""
    return f" {'  '.join(found)} " if found else ""


def is_cjk(term: str) -> bool:
    """Whether a term comes from a run of characters without spaces."""
    return _UNSPACED.fullmatch(term) is not None


def count_words(text: str) -> int:
    """Roughly the words of `text`; two Chinese characters count as one."""
    return sum((len(run["cjk"]) + 1) // 2 if run["cjk"] else 1 for run in _RUN.finditer(text))


def spoken(text: str) -> list[tuple[str, str]]:
    """The words of `text` as they are written, each with its terms joined by spaces (none for a stop word)."""
    return [(run[0], " ".join(_terms(run[0]))) for run in _RUN.finditer(text)]


def _terms(text: str) -> Iterator[str]:
    for run in _RUN.finditer(plain(text)):
        if characters := run["cjk"]:
            yield from characters
            yield from (characters[i : i + 2] for i in range(len(characters) - 1))
            continue
        word = run["word"]
        if "'" in word or "’" in word:
            word = word.replace("’", "'").removesuffix("'s").replace("'", "")
        if word not in STOPWORDS:
            yield stem(word[:LONGEST])


def plain(text: str) -> str:
    """`text` in one form: compatible characters made equal, lower case, without the accents of Latin letters."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        # Only accents go: other marks (Devanagari vowels, voiced kana) are part of the letter.
        folded = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", folded)))
    return folded
