"""What hearing is in both languages: talk that is small, what opens a sentence, and what a clause tells."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cache
from typing import ClassVar, Literal

from .acts import Forget, Small, Told
from .phrasebook import Language, Phrasebook, Statement, phrasebook
from .sentences import LONGEST

Fit = tuple[Statement, dict[str, str]]
"""A template that fits, and its fields."""


class Ear(ABC):
    """Reads one message, sentence by sentence; what was said before in it matters to the next."""

    language: ClassVar[Language]
    longest_small: ClassVar[int]
    """Characters that small talk takes at most."""
    marks: ClassVar[str]
    """What stands between an opener and what it opens."""
    informing: ClassVar[str]
    """The opener that looks like a question, and tells something."""
    from_to: ClassVar[re.Pattern[str]]
    """Names the old value, then the new one with its verb."""

    def __init__(self) -> None:
        self.book: Phrasebook = phrasebook(self.language)
        self.corrects = False
        """A sentence that only announced a correction came before."""

    def told(self, text: str) -> Told:
        """What a single clause tells, by the first template that fits it."""
        return self._clause(text, False)

    # ---- what each language does in its own way

    @abstractmethod
    def _without_gaps(self, text: str) -> str:
        """`text` as templates of small talk have it."""

    @abstractmethod
    def _opener(self, text: str, which: str) -> int:
        """How many characters of `text` the longest opener takes."""

    @abstractmethod
    def _replaced(self, text: str) -> tuple[str, str] | None:
        """What is now and what was, where `text` names both: "I use uv now, not pip"."""

    @abstractmethod
    def _of_user(self, text: str) -> bool:
        """Whether `text` is about the user alone."""

    def _bare(self, text: str) -> str:
        """`text` as templates of statements have it."""
        return text

    def _attribute(self, attribute: str) -> str:
        """An attribute that was filled in, as it is compared."""
        return attribute

    def _rewrites(self, statement: Statement, ended: bool, text: str) -> bool:
        """Whether the template's own wording is told in the place of `text`."""
        return bool(statement.rewrite)

    def _set_aside(self, text: str) -> bool:
        """Whether what a template knows is no matter for a block all the same."""
        return False

    # ---- what they have in common

    def _small(self, text: str) -> Small | None:
        plain = self._without_gaps(text)
        kind: Literal["greeting", "thanks", "bye", "identity", "everything"]
        for kind in ("greeting", "thanks", "bye", "identity", "everything"):
            if len(plain) <= self.longest_small and self.book.fits(plain, "intent", kind) is not None:
                return Small(kind, self.language)
        return None

    def _opened(self, text: str) -> tuple[str, bool, bool]:
        """`text` without its openers; whether one announced a correction; whether one was "did you know"."""
        corrects = informs = False
        while text:
            plain, fix = self._opener(text, "plain"), self._opener(text, "correction")
            length = max(plain, fix)
            if not length:
                break
            corrects = corrects or fix >= plain
            informs = informs or text[:length].lower().startswith(self.informing)
            text = text[length:].lstrip(self.marks)
        return text, corrects, informs

    def _to_forget(self, what: str) -> Forget:
        if self.book.fits(what, "intent", "forget_all") is not None:
            return Forget(what, self.language, "all")
        if self.book.fits(what, "intent", "forget_last") is not None:
            return Forget(what, self.language, "last")
        return Forget(what, self.language)

    def _statement(self, text: str, *, early: bool = False) -> Fit | None:
        bare = self._bare(text[:LONGEST])
        for statement in self.book.statements:
            if early and not statement.early:
                continue
            for pattern in statement.patterns:
                found = pattern.match(bare)
                if found is not None:
                    return statement, found
        return None

    def _inline(self, which: str) -> re.Pattern[str]:
        """Finds the words that say such a thing anywhere in a sentence."""
        return listed(self.language, "inline", which)

    def _clause(self, text: str, corrects: bool) -> Told:
        return self._told(text, corrects, self._statement(text))

    def _told(self, text: str, corrects: bool, fit: Fit | None) -> Told:
        changes = corrects or self._inline("changes").search(text) is not None
        surely = changes or self._inline("correction").search(text) is not None
        inline = surely or self._inline("replaces").search(text) is not None
        past = self._inline("past").search(text) is not None
        ended = self._inline("ended").search(text) is not None
        whole, old = text, ""
        if replaced := self._replaced(text):
            text, old = replaced
        elif moved := self.from_to.search(text):
            old = moved[1]
            text = text[: moved.start()] + moved[2] if inline else text
        told = Told(text, self.language, surely=surely, changes=changes, ended=ended, old=old, whole=whole)
        if fit is None:
            tags = ("about user",) if self._of_user(text) else ()
            return replace(told, corrects=(corrects or inline) and not past, tags=tags)
        statement, fields = fit
        if self._rewrites(statement, ended, text):
            text = whole = statement.rewrite.format(all=text, **fields)
        return replace(
            told,
            text=text,
            attribute=self._attribute(statement.attribute.format(**{"thing": "", **fields}).strip()),
            value=fields.get("value", ""),
            single=statement.single and not past,
            keep="archive" if past or self._set_aside(text) else statement.keep,
            tags=statement.tags,
            corrects=(corrects or inline or statement.correction) and not past,
            old=old or fields.get("old", ""),
            whole=whole,
        )


@cache
def listed(language: Language, *path: str) -> re.Pattern[str]:
    """Finds any of the words at `path` of a phrasebook, which may be patterns."""
    words = "|".join(phrasebook(language).words(*path))
    return re.compile(rf"\b(?:{words})\b" if language == "en" else words, re.IGNORECASE)
