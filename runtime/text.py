"""What text may be stored, what names are allowed, and how our markers are escaped inside other people's text."""

from __future__ import annotations

import re
import unicodedata

from .errors import InvalidName, InvalidText

MARKERS = (
    "block",
    "block_edit",
    "core_memory",
    "other_blocks",
    "summary",
    "memory",
    "memory_update",
    "memory_pressure",
    "left_out",
)
"""The tags that the runtime writes into requests; see parts.py, head.py and tokens.py in runtime/context/."""

MOST_SAID = 4_000_000
"""Characters that a user may say at once."""

_MARKER = re.compile(r"<(?=/?(?:" + "|".join(MARKERS) + r")(?![\w-]))", re.IGNORECASE)
_ESCAPED = re.compile(r"&((?:amp;)*)lt;")
_NAME = re.compile(r"[^\W_][\w .@+-]{0,63}")
_LABEL = re.compile(r"[^\W_][\w./-]{0,63}")


def escape(text: str) -> str:
    """`text` such that it contains none of our markers. `unescape` gives back exactly `text`."""
    return _MARKER.sub("&lt;", _ESCAPED.sub(lambda m: f"&amp;{m[1]}lt;", text))


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return _ESCAPED.sub(lambda m: "&" + m[1][4:] + "lt;" if m[1] else "<", text)


def attribute(text: str) -> str:
    """`text` as the value of an attribute in one of our markers: on one line, and without quotes or angles."""
    flat = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"&#{ord(c)};" if ord(c) < 32 or c in "\x7f\x85\u2028\u2029" else c for c in flat)


def counted(count: int, noun: str, several: str = "") -> str:
    """The count and its noun, as in `1 message` and `2 messages`; `several` is the plural where it is another."""
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def check_text(text: str, what: str, *, empty: bool = True, most: int | None = None, nul: bool = True) -> str:
    """`text` itself, if it can be stored and sent as UTF-8.

    `what` names it in the error; `most` is a limit in characters; without `nul` it may not hold U+0000, which no
    terminal shows and models cannot repeat in a call. Raises InvalidText.
    """
    if not isinstance(text, str):
        raise InvalidText(f"{what} must be text, not {type(text).__name__}.")
    if not empty and not text.strip():
        raise InvalidText(f"{what} is empty.", hint="Write something.")
    if most is not None and len(text) > most:
        raise InvalidText(f"{what} has {len(text):,} characters; at most {most:,} are allowed.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidText(
            f"{what} holds a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}, "
            "which no UTF-8 text can hold.",
            hint="Remove it or replace it.",
        ) from None
    if not nul and "\0" in text:
        raise InvalidText(
            f"{what} holds a NUL (U+0000) at character {text.index(chr(0))}: it is no plain text.",
            hint="Remove it or replace it.",
        )
    return text


def check_said(text: str) -> str:
    """`text`, if a user can say it. Raises InvalidText."""
    return check_text(text, "What you say", empty=False, most=MOST_SAID, nul=False)


def storable(text: str) -> str:
    """`text` as UTF-8 can hold it: surrogate pairs are joined, and lone surrogates replaced.

    For what models and tools say, which nobody can be asked to say again.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def check_name(name: str, what: str) -> str:
    """`name` in Unicode's composed form, if it can name an agent, a user or a conversation. Raises InvalidName.

    Names never become paths; they are kept plain so that people can type them.
    """
    return _check(name, what, _NAME, "letters, digits, spaces and . _ - @ +")


def check_label(label: str) -> str:
    """`label` in Unicode's composed form, if it can label a block. Raises InvalidName."""
    return _check(label, "A block's label", _LABEL, "letters, digits and . _ - /")


def _check(name: str, what: str, pattern: re.Pattern[str], allowed: str) -> str:
    if not isinstance(name, str):
        raise InvalidName(f"{what} must be text, not {type(name).__name__}.")
    composed = unicodedata.normalize("NFC", name)
    if not pattern.fullmatch(composed) or ".." in composed:
        raise InvalidName(
            f"{what} cannot be {name[:80]!r}.",
            hint=f"Use 1 to 64 of {allowed}, starting with a letter or digit, without two dots in a row.",
        )
    return composed
