"""What is asked of memory before a turn, as the conversation asks it."""

from __future__ import annotations

from ..archive.archive import Archive
from ..context.main import MainContext
from ..context.parts import Part, note_part, text_part
from ..conversation import Recall as RecallNote
from ..stream import Recalled
from .note import Recall
from .rewriting import BACK, Said


def before_turn(archive: Archive, budget: int) -> RecallNote:
    """A function that recalls what a turn should know, in a note of at most `budget` tokens."""
    recall = Recall(archive)

    async def note(words: str, context: MainContext) -> tuple[Part, Recalled] | None:
        window = context.window
        said = [Said(one.role, one.words) for one in window.entries[-4 * BACK :] if one.role != "tool" and one.words]
        found = await recall.note(
            window.scope,
            words,
            window.shown_ids(),
            budget,
            window.counter,
            before=said[-BACK:],
            known=window.core.lines_in_view(),
        )
        if found is None:
            return None
        at = archive.clock.now().astimezone(window.scope.timezone)
        part = note_part("memory", f"{at:%Y-%m-%d %H:%M}", [text_part(found.text)], found.ids)
        return part, Recalled(found.text, found.ids)

    return note
