"""What was decided of each piece of text: whether it goes or stays."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from ..errors import UsageError
from .survey import Erasable, Find
from .words import Words

Partial = Literal["erase", "keep"] | Collection[str]
"""What to do with finds that are partial: with all of them, or the texts of those that are to be erased."""


class Choice:
    """Tells of a piece whether it goes. What says it surely goes, also where it was said a moment ago."""

    def __init__(self, words: Words, gone: Collection[str], kept: Collection[str]) -> None:
        self.words = words
        self.gone = set(gone)
        self._kept = frozenset(kept)

    def __call__(self, piece: str) -> bool:
        """Raises UsageError for a piece that holds a part of it, and that nobody has decided on."""
        if piece in self.gone:
            return True
        if piece in self._kept or (verdict := self.words.judge(piece)) is None:
            return False
        if verdict == "part":
            raise UsageError("Memory has changed since you looked.", hint="Look again at what would be erased.")
        self.gone.add(piece)
        return True


def decide(found: Erasable, partial: Partial | None) -> tuple[Choice, list[Find]]:
    """The choice, and the finds that stay. Raises UsageError where there are partial finds and nothing is said of them,
    and for a text that is none of these."""
    in_part = found.partial
    if partial is None and in_part:
        count = len(in_part)
        are = "text holds" if count == 1 else "texts hold"
        raise UsageError(
            f"{count} {are} a part of it, or say other things beside it.",
            hint="Say whether they are to be erased or kept: `partial`.",
        )
    known = {find.text for find in in_part}
    if not isinstance(partial, list | tuple | set | frozenset):
        if partial not in (None, "erase", "keep"):
            raise UsageError(f"`partial` cannot be {partial!r:.60}.", hint="Say `erase`, `keep`, or which texts go.")
        chosen = known if partial == "erase" else set[str]()
    else:
        chosen = set(partial)
    if unknown := chosen - known:
        raise UsageError(f"{min(unknown)[:80]!r} is not among what is partial.", hint="Look again.")
    gone = {find.text for find in found.finds if not find.partial} | chosen
    kept = [find for find in in_part if find.text not in chosen]
    return Choice(found.words, gone, [find.text for find in kept]), kept
