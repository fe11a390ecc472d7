"""The tables of what is worth keeping: phrasebook/keep_en.toml and keep_zh.toml, compiled once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..data import load
from ..kin import RELATIONS
from ..phrasebook import Language


@dataclass(frozen=True, slots=True)
class Facet:
    """What a clause may tell of somebody or something."""

    attribute: str
    patterns: tuple[re.Pattern[str], ...]
    kinds: frozenset[str]
    """A word of the value must be of one of these kinds, where there are any."""
    team: bool
    """It is told of a team alone: "we ...", "our ..."."""
    anywhere: bool
    """Or any word of the clause."""
    needs: re.Pattern[str] | None
    single: bool
    permanent: bool
    importance: int
    moment: bool
    """It began at the time that the clause names."""
    planned: bool
    dated: bool
    """It is none without a date."""


class Keeping:
    """One language's tables."""

    def __init__(self, language: Language) -> None:
        self.table: dict[str, Any] = load(f"keep_{language}.toml")
        self.facets = tuple(
            Facet(
                attribute=entry["attribute"],
                patterns=tuple(re.compile(pattern, re.IGNORECASE) for pattern in entry["says"]),
                kinds=frozenset(entry.get("kinds", ())),
                team=entry.get("team", False),
                anywhere=entry.get("anywhere", False),
                needs=re.compile(entry["needs"], re.IGNORECASE) if "needs" in entry else None,
                single=entry.get("single", False),
                permanent=entry.get("permanent", False),
                importance=entry["importance"],
                moment=entry.get("moment", False),
                planned=entry.get("planned", False),
                dated=entry.get("dated", False),
            )
            for entry in self.table["facet"]
        )
        self.relations: dict[str, str] = (
            RELATIONS
            if language == "zh"
            else {word: attribute for attribute, words in self.table["relations"].items() for word in words.split()}
        )
        """The attribute that tells of somebody, by the word for them."""

    def words(self, table: str, name: str) -> frozenset[str]:
        """A list of words."""
        return frozenset(self.table[table][name].split())

    def pattern(self, table: str, name: str) -> re.Pattern[str]:
        """A list of patterns, as one."""
        return _joined(tuple(self.table[table][name]))


@cache
def keeping(language: Language) -> Keeping:
    """The tables of a language, read once."""
    return Keeping(language)


@cache
def _joined(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
