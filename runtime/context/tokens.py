"""Counting tokens, offline: with tiktoken's o200k encoding where litellm's package carries it, else by an estimate."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

_SLICE = 4000
"""Characters encoded at once: tiktoken's time grows with the square of a run without spaces."""

_o200k = "fb374d419588a4632f3f557e76b4b70aebbca790"


class TokenCounter:
    """Counts tokens, and how much it has counted (so that a test can hold the work of a turn constant)."""

    def __init__(self) -> None:
        self.characters = 0
        """Characters counted so far."""

    def count(self, text: str) -> int:
        """Tokens of `text`; a few too many for a text of over 4,000 characters, which is counted in slices."""
        self.characters += len(text)
        encode = _encoder()
        if len(text) <= _SLICE:
            return encode(text)
        return sum(encode(text[i : i + _SLICE]) for i in range(0, len(text), _SLICE))

    def shorten(
        self, text: str, most: int, escape: Callable[[str], str] = str, wrap: Callable[[str], str] = str
    ) -> str:
        """`wrap(escape(text))` in at most `most` tokens: of a longer text its beginning and end, around a marker that
        says so.

        `escape` is not applied to the marker, so that no escaped text can imitate it. Both may make a text longer; the
        limit holds for what they make. A text of more than sixteen characters to a token is not counted whole, so the
        work does not grow with the text.
        """
        keep = 4 * most
        if len(text) <= 16 * most:
            whole = wrap(escape(text))
            tokens = self.count(whole)
            if tokens <= most:
                return whole
            keep = int(len(text) * most / tokens)
        while keep >= 8:
            head, tail = text[: keep * 2 // 3], text[len(text) - keep // 3 :]
            mark = _mark(len(text) - len(head) - len(tail), most)
            short = wrap(f"{escape(head)}\n{mark}\n{escape(tail)}")
            tokens = self.count(short)
            if tokens <= most:
                return short
            keep = min(keep * 9 // 10, int(keep * most / tokens))
        return wrap(_mark(len(text), 0))


def _mark(left_out: int, most: int) -> str:
    """The marker where characters were left out, on a line of its own; said in full where there is room for it."""
    if most < 60:
        return "<left_out/>"
    return f'<left_out characters="{left_out:,}" whole="in the conversation log"/>'


def estimate(text: str) -> int:
    """Tokens by rule of thumb: four ASCII characters to a token, one other character to a token."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return (ascii_characters + 3) // 4 + len(text) - ascii_characters


@lru_cache(maxsize=1)
def _encoder() -> Callable[[str], int]:
    """The function that counts. tiktoken is given litellm's own files, so that it never asks the network."""
    spec = importlib.util.find_spec("litellm")
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers" if spec and spec.origin else None
    if folder is None or not (folder / _o200k).is_file():
        return estimate
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return lambda text: len(encoding.encode_ordinary(text))
