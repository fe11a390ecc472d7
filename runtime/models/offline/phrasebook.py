"""Turns the phrasebook's templates into patterns, once, and matches sentences against them.

A template's language is small on purpose: (a|b), [optional], {field}, {Field} for capitalised words, {number},
{field=a|b}, <macro>. Fields are bounded and patterns are anchored at both ends, so that no match takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from .data import load

Language = Literal["en", "zh"]

FIELD = 240
"""The most characters that a field takes."""
_SHORT_FIELD = 60
_SHORT = {"thing", "how", "old", "name"}
_NUMBER = r"(?:\d{1,4}|[a-z]{0,8}(?:teen|ty)(?:[ -][a-z]{3,5})?)"
_CAPITALISED = r"(?-i:[A-Z][\w'.-]{0,30}(?: (?:[A-Z][\w'.-]{0,30}|de|van|von|der|la|da)){0,3})"


@dataclass(frozen=True, slots=True)
class Statement:
    """What a template of a statement means; see the comments in en.toml."""

    patterns: tuple[Pattern, ...]
    attribute: str
    single: bool = False
    keep: Literal["core", "archive"] = "core"
    rewrite: str = ""
    early: bool = False
    correction: bool = False
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Pattern:
    """A template, compiled when it is first used."""

    template: str
    macros: dict[str, str]
    spaced: bool
    _compiled: re.Pattern[str] | None = field(default=None)

    def match(self, sentence: str) -> dict[str, str] | None:
        """The fields, if the template fits the whole sentence."""
        found = self._pattern().fullmatch(sentence)
        if found is None:
            return None
        return {name: value.strip() for name, value in found.groupdict().items() if value is not None}

    def _pattern(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.source(), re.IGNORECASE)
        return self._compiled

    def source(self) -> str:
        """The regular expression."""
        template = self.template
        for name, value in self.macros.items():
            template = template.replace(f"<{name}>", value)
        return _Template(template, self.spaced).source()


class _Template:
    """Reads one template from left to right."""

    def __init__(self, template: str, spaced: bool) -> None:
        self.text = template
        self.spaced = spaced
        self.at = 0
        self.fields: set[str] = set()

    def source(self) -> str:
        out = self._sequence("")
        if self.at != len(self.text):
            raise ValueError(f"unbalanced template: {self.text!r}")
        return out

    def _sequence(self, stops: str) -> str:
        """Items up to one of `stops`. An optional item takes one of the spaces beside it along when it is absent."""
        out = ""
        gap, leading = False, True
        while self.at < len(self.text) and self.text[self.at] not in stops:
            if self.text[self.at] == " " and self.spaced:
                gap, self.at = True, self.at + 1
                continue
            optional = self.text[self.at] == "["
            item = self._item(stops)
            loose = " ?" if re.match(r"(?:\(\?:)?\\?[,:.;。，-]", item) else " "
            space = loose if gap and not leading else ""
            if optional and leading and self.spaced:
                out += f"(?:{item} )?"
            elif optional:
                out += f"(?:{space}{item})?"
            else:
                out += space + item
                leading = False
            gap = False
        return out

    def _item(self, stops: str) -> str:
        char = self.text[self.at]
        if char in "([":
            return self._choice(")" if char == "(" else "]")
        if char == "{":
            return self._field()
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in "([{ " + stops:
            self.at += 1
        if self.at == start:
            raise ValueError(f"unexpected {char!r} in {self.text!r}")
        return re.escape(self.text[start : self.at])

    def _choice(self, close: str) -> str:
        self.at += 1
        options = []
        while True:
            options.append(self._sequence("|" + close))
            if self.at >= len(self.text):
                raise ValueError(f"unbalanced template: {self.text!r}")
            self.at += 1
            if self.text[self.at - 1] == close:
                return "(?:" + "|".join(options) + ")"

    def _field(self) -> str:
        end = self.text.index("}", self.at)
        name = self.text[self.at + 1 : end]
        self.at = end + 1
        if "=" in name:
            name, _, choices = name.partition("=")
            return f"(?P<{name}>" + "|".join(map(re.escape, choices.split("|"))) + ")"
        key = name.lower()
        if key == "number":
            return f"(?P<{key}>{_NUMBER})"
        body = _CAPITALISED if name[0].isupper() else f".{{1,{_SHORT_FIELD if key in _SHORT else FIELD}}}?"
        if key in self.fields:
            return f"(?:{body})"
        self.fields.add(key)
        return f"(?P<{key}>{body})"


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """One language's templates."""

    language: Language
    table: dict[str, Any]
    statements: tuple[Statement, ...]

    def patterns(self, *path: str) -> tuple[Pattern, ...]:
        """The templates at `path`, e.g. ("intent", "forget")."""
        return _patterns(self.language, path)

    def fits(self, sentence: str, *path: str) -> dict[str, str] | None:
        """The fields of the first template at `path` that fits `sentence`."""
        for pattern in self.patterns(*path):
            found = pattern.match(sentence)
            if found is not None:
                return found
        return None

    def say(self, key: str, **values: str) -> str:
        """What is said to the user."""
        said: str = self.table["say"][key]
        for name, value in values.items():
            said = said.replace("{" + name + "}", value)
        return said

    def words(self, *path: str) -> tuple[str, ...]:
        """A list of words at `path`, written as a list or as words with spaces between."""
        value: Any = self.table
        for name in path:
            value = value[name]
        return tuple(value.split() if isinstance(value, str) else value)

    def leans(self, question: str) -> bool:
        """Whether a question cannot be understood without what was said before it."""
        return re.search("|".join(self.table["question"]["leans"]), question, re.IGNORECASE) is not None

    def about(self, question: str) -> str:
        """The words that stand for `question`, if it is one of those whose own words do not say what it is about."""
        question = re.sub(r"^which\b", "what", question, flags=re.IGNORECASE)
        for number, entry in enumerate(self.table["question"]["about"]):
            if self.fits(question, "question", "about", str(number), "asks") is not None:
                return str(entry["words"])
        return ""


@cache
def phrasebook(language: Language) -> Phrasebook:
    """The phrasebook of a language, read once."""
    table = load(f"{language}.toml")
    statements = tuple(
        Statement(
            patterns=_compile(language, entry["says"]),
            attribute=entry["attribute"],
            single=entry.get("single", False),
            keep=entry.get("keep", "core"),
            rewrite=entry.get("rewrite", ""),
            early=entry.get("early", False),
            correction=entry.get("correction", False),
            tags=tuple(entry.get("tags", ())),
        )
        for entry in table["statement"]
    )
    return Phrasebook(language, table, statements)


@cache
def _patterns(language: Language, path: tuple[str, ...]) -> tuple[Pattern, ...]:
    value: Any = load(f"{language}.toml")
    for name in path:
        value = value[int(name)] if isinstance(value, list) else value[name]
    return _compile(language, value)


def _compile(language: Language, templates: Iterable[str]) -> tuple[Pattern, ...]:
    macros = load(f"{language}.toml")["macros"]
    return tuple(Pattern(template, macros, spaced=language == "en") for template in templates)
