"""The tool by which a model finds what was said, in this conversation and in others."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from ..runtime.archive.lines import line
from ..runtime.archive.query import Query
from ..runtime.context.parts import text_part
from ..runtime.journal import tables
from ..runtime.tool import CallContext
from .archival import DEFAULT_RESULTS, MOST_RESULTS
from .build import STRING, build
from .lines import read_day


async def _search(
    context: CallContext,
    query: str = "",
    roles: list[str] | None = None,
    start: str | None = None,
    end: str | None = None,
    limit: int = DEFAULT_RESULTS,
) -> list[Any]:
    messages = tables.messages
    present = select(messages.c.id).where(messages.c.turn == context.turn)
    said_now = await context.journal.read(lambda connection: set(connection.execute(present).scalars()))
    hits = await context.archive.search(
        Query(
            context.scope,
            query,
            tables=("message",),
            roles=tuple(roles or ()),
            start=read_day(start, "start"),
            end=read_day(end, "end"),
            exclude=frozenset(said_now),
            limit=limit,
        )
    )
    return [
        text_part(
            "\n".join(line(hit, context.scope.timezone, question=query, scored=True) for hit in hits) or "No results."
        )
    ]


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
