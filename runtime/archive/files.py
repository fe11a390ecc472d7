"""The tag of a passage that names the file which it was imported from, so that it can be cited, and found by it."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 90
"""Characters of a name in a tag."""

_MARK = "file:"


def tag_of(name: str) -> str:
    """The tag of a file by its bare name: its folder is nobody's business. What cannot be printed is replaced."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in name)
    return _MARK + (shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…")


def tag_in(tags: Iterable[str]) -> str | None:
    """The tag among others that names a file."""
    return next((tag for tag in tags if tag.startswith(_MARK)), None)


def name_in(tags: Iterable[str]) -> str | None:
    """The name of the file that the tags name."""
    found = tag_in(tags)
    return found.removeprefix(_MARK) if found else None
