"""Labelled dialogues: what was said, and what must and must not be stored of it.

The head of tests/extraction/dev.yaml says what each field means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from ..runtime.errors import DatasetError

Groups = tuple[tuple[str, ...], ...]
"""A text says it if it has a word of each group."""
_LATIN = "0-9a-zß-ɏ"
"""What a Latin word may not follow. Chinese is not among it: no space parts the two scripts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that must be stored, or end."""

    says: Groups
    ends: str
    """The memory that it ends; empty for none."""
    subject: tuple[str, ...]
    attribute: tuple[str, ...]
    event_time: str
    valid_from: str
    valid_to: str
    kind: str
    asked: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One dialogue with its labels."""

    set: str
    id: str
    language: str
    now: datetime
    memories: tuple[dict[str, Any], ...]
    dialogue: tuple[tuple[str, str], ...]
    """Speaker and text."""
    store: tuple[Entry, ...]
    may: tuple[Groups, ...]
    never: tuple[str, ...]


def load(path: Path) -> list[Case]:
    """The cases of a file, or of the *.yaml of a folder. Raises DatasetError."""
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not files:
        raise DatasetError(f"{path} has no *.yaml.", hint="Name a file of labelled dialogues, or a folder of them.")
    return [case for file in files for case in _read(file)]


def _read(file: Path) -> list[Case]:
    try:
        loaded = yaml.safe_load(file.read_text("utf-8"))
    except OSError as error:
        raise DatasetError(f"{file} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise DatasetError(f"{file} is not UTF-8 (byte {error.start}).") from None
    except yaml.YAMLError as error:
        raise DatasetError(f"{file}: not YAML ({' '.join(str(error).split())}).") from None
    if not isinstance(loaded, list):
        raise DatasetError(f"{file}: the whole must be a list of dialogues.")
    return [_case(file, place, one) for place, one in enumerate(loaded, 1)]


def _case(file: Path, place: int, one: Any) -> Case:
    name = one.get("id") if isinstance(one, dict) else None
    try:
        return Case(
            set=file.stem,
            id=str(one["id"]),
            language=str(one["language"]),
            now=datetime.fromisoformat(str(one["now"])),
            memories=tuple(dict(memory) for memory in one.get("memories", ())),
            dialogue=tuple((str(who), str(text)) for said in one["dialogue"] for who, text in said.items()),
            store=tuple(_entry(entry) for entry in one["store"]),
            may=tuple(_groups(groups) for groups in one.get("may", ())),
            never=tuple(map(str, one.get("not", ()))),
        )
    except KeyError as error:
        raise DatasetError(f"{file}: dialogue {name or place} lacks the key {error.args[0]!r}.") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise DatasetError(f"{file}: dialogue {name or place} is not as it should be ({error}).") from None


def _entry(entry: dict[str, Any]) -> Entry:
    return Entry(
        says=_groups(entry.get("says", ())),
        ends=str(entry.get("ends", "")),
        subject=_some(entry.get("subject", ())),
        attribute=_some(entry.get("attribute", ())),
        event_time=str(entry.get("event_time", "")),
        valid_from=str(entry.get("valid_from", "")),
        valid_to=str(entry.get("valid_to", "")),
        kind=str(entry.get("kind", "")),
        asked=bool(entry.get("explicit", False)),
    )


def _groups(groups: Any) -> Groups:
    return tuple(tuple(map(str, group)) for group in groups)


def _some(words: Any) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(map(str, words))


def says(text: str, groups: Iterable[Iterable[str]]) -> bool:
    """Whether `text` has a word of each of `groups`."""
    return all(any(has(text, word) for word in group) for group in groups)


def has(text: str, word: str) -> bool:
    """Whether `word` starts a word of `text`, whatever its case; Chinese, which has no spaces, may stand anywhere."""
    word = word.casefold()
    start = f"(?<![{_LATIN}])" if re.match(f"[{_LATIN}]", word) else ""
    return re.search(start + re.escape(word), text.casefold()) is not None


def has_any(text: str, words: Iterable[str]) -> bool:
    """Whether `text` has one of `words`."""
    return any(has(text, word) for word in words)
