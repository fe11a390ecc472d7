"""How the words of labels are looked for in a text: what tests/extraction and tests/diary mean by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What a Latin word may not follow. Chinese is not among it: no space parts the two scripts.
LATIN = "0-9a-zß-ɏ"


def has(text: str, word: str) -> bool:
    """Whether `word` starts a word of `text`, whatever its case; Chinese, which has no spaces, may stand anywhere."""
    word = word.casefold()
    start = f"(?<![{LATIN}])" if re.match(f"[{LATIN}]", word) else ""
    return re.search(start + re.escape(word), text.casefold()) is not None


def holds(text: str, groups: Iterable[Iterable[str]]) -> bool:
    """Whether `text` has at least one word of each of `groups`."""
    return all(any(has(text, word) for word in group) for group in groups)
