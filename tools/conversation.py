"""The tool by which a model finds what was said, in this conversation and in others."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any

from sqlalchemy import select

from ..runtime.archive.lines import LONGEST, excerpt, line
from ..runtime.archive.newest import newest_messages
from ..runtime.archive.query import Query
from ..runtime.context.parts import text_part
from ..runtime.journal import tables
from ..runtime.tool import CallContext
from .archival import DEFAULT_RESULTS, MOST_RESULTS
from .build import STRING, build
from .lines import memory_line, read_day


async def _search(
    context: CallContext,
    query: str = "",
    roles: list[str] | None = None,
    start: str | None = None,
    end: str | None = None,
    limit: int = DEFAULT_RESULTS,
) -> list[Any]:
    first, last = read_day(start, "start"), read_day(end, "end")
    if not query.strip():
        return [text_part(await _newest(context, roles or (), first, last, limit))]
    messages = tables.messages
    present = select(messages.c.id).where(messages.c.turn == context.turn)
    said_now = await context.journal.read(lambda connection: set(connection.execute(present).scalars()))
    hits = await context.archive.search(
        Query(
            context.scope,
            query,
            tables=("message",),
            roles=tuple(roles or ()),
            start=first,
            end=last,
            exclude=frozenset(said_now),
            limit=limit,
        )
    )
    return [
        text_part(
            "\n".join(line(hit, context.scope.timezone, question=query, scored=True) for hit in hits) or "No results."
        )
    ]


async def _newest(
    context: CallContext, roles: Collection[str], start: date | None, end: date | None, limit: int
) -> str:
    """Nothing is searched for, so nothing has a score."""
    scope = context.scope
    found = await context.journal.read(
        lambda connection: newest_messages(
            connection, scope, roles=roles, start=start, end=end, but=context.turn, limit=limit
        )
    )
    lines = [
        memory_line(shown.short, shown.at, scope.timezone, shown.label, excerpt(shown.text, "", LONGEST))
        for _one, shown in found
    ]
    return "\n".join(lines) or "No results."


CONVERSATION_TOOLS = (
    build(
        "conversation_search",
        _search,
        [],
        "none",
        query=STRING,
        roles={"type": "array", "items": {"type": "string", "enum": ["user", "assistant"]}},
        start=STRING,
        end=STRING,
        limit={"type": "integer", "minimum": 1, "maximum": MOST_RESULTS},
    ),
)
