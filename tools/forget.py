"""The tool by which a model forgets what the user wants forgotten: first it lists candidates, then it names some."""

from __future__ import annotations

from typing import Any

from ..runtime.archive.lines import excerpt
from ..runtime.archive.short_ids import full_ids, short_ids
from ..runtime.context.parts import text_part
from ..runtime.core.edit import Author
from ..runtime.errors import ToolError
from ..runtime.forgetting.candidates import candidates
from ..runtime.forgetting.forget import forget
from ..runtime.forgetting.survey import survey
from ..runtime.journal.journal import Transaction
from ..runtime.text import counted
from ..runtime.tool import Applied, CallContext, Commit
from .build import STRING, STRINGS, build
from .lines import memory_line

MOST_CANDIDATES = 100
LONGEST = 600
"""Characters of one candidate: of a longer one the part is shown that is about the query."""


async def _forget(
    context: CallContext, reason: str, query: str | None = None, ids: list[str] | None = None
) -> Commit | list[Any]:
    if ids:
        author = Author("agent", context.scope.conversation, context.turn, context.step)
        chosen = await context.journal.read(lambda connection: full_ids(connection, context.scope, list(ids)))
        found = await context.journal.read(lambda connection: survey(connection, context.scope, chosen))

        def apply(transaction: Transaction) -> Applied:
            done = forget(transaction, context.scope, chosen, reason, found, author)
            context.archive.touch()
            return Applied(
                [
                    text_part(
                        f"Forgotten: {counted(done.passages, 'passage')}, "
                        f"{counted(done.lines, 'line of blocks', 'lines of blocks')}, "
                        f"{counted(done.messages, 'message')}. "
                        "This turn's own words about it leave the window when it ends. Do not repeat them."
                    )
                ]
            )

        return Commit(apply)
    if query is None or not query.strip():
        raise ToolError("Neither query nor ids are given.", hint="Give a query first, then ids from its list.")
    listed = await candidates(context.journal, context.archive, context.scope, query, but=context.turn)
    shown = await context.journal.read(
        lambda connection: short_ids(connection, context.scope, [one.id for one in listed])
    )
    lines = [
        memory_line(short, one.at, context.scope.timezone, one.label, excerpt(one.text, query, LONGEST))
        for short, one in zip(shown, listed, strict=True)
    ]
    if len(lines) > MOST_CANDIDATES:
        more = len(lines) - MOST_CANDIDATES
        lines[MOST_CANDIDATES:] = [f"{more:,} more {'carries' if more == 1 else 'carry'} it too."]
    return [text_part("\n".join(lines) or "No results.")]


FORGET_TOOLS = (build("memory_forget", _forget, ["reason"], query=STRING, ids=STRINGS, reason=STRING),)
