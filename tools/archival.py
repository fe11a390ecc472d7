"""The tools by which a model archives passages and finds them."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any, Literal

from ..runtime.archive.choices import KINDS
from ..runtime.archive.drafts import Draft, checked, renewed
from ..runtime.archive.lines import line
from ..runtime.archive.passages import get, supersede
from ..runtime.archive.query import Query
from ..runtime.archive.short_ids import short_ids
from ..runtime.clock import stamp
from ..runtime.context.parts import text_part
from ..runtime.journal.journal import Transaction
from ..runtime.tool import Applied, CallContext, Commit
from .build import STRING, STRINGS, build
from .lines import read_day, read_time

MOST_RESULTS = 50
DEFAULT_RESULTS = 10


async def _insert(
    context: CallContext,
    content: str,
    tags: list[str] | None = None,
    kind: str = "fact",
    event_time: str | None = None,
) -> Commit:
    draft = checked(Draft(content, kind, tuple(tags or ()), read_time(event_time, "event_time")), context.scope)
    prepared = await context.archive.prepare([draft.text])

    def apply(transaction: Transaction) -> Applied:
        ids = context.archive.add(
            transaction, context.scope, [draft], prepared, writer="agent", turn=context.turn, step=context.step
        )
        shown = ", ".join(short_ids(transaction.connection, context.scope, ids))
        said = f"Archived as {shown}."
        if len(ids) > 1:
            said = f"Archived as {len(ids)} passages, since the text is long: {shown}."
        return Applied([text_part(said)])

    return Commit(apply)


async def _update(context: CallContext, id: str, content: str) -> Commit:
    old = await context.journal.read(lambda connection: get(connection, context.scope, id))
    now = context.journal.clock.now()
    draft = checked(renewed(old, content, now), context.scope)
    [prepared] = await context.archive.prepare([draft.text])

    def apply(transaction: Transaction) -> Applied:
        ids = supersede(
            transaction,
            context.scope,
            old.id,
            draft,
            prepared,
            ended=stamp(now),
            writer="agent",
            turn=context.turn,
            step=context.step,
        )
        context.archive.touch()
        was, *new = short_ids(transaction.connection, context.scope, [old.id, *ids])
        return Applied([text_part(f"{was} is superseded by {', '.join(new)}. It said: {old.text}")])

    return Commit(apply)


async def _search(
    context: CallContext,
    query: str,
    tags: list[str] | None = None,
    tag_match: Literal["any", "all"] = "any",
    kind: str | None = None,
    start: str | None = None,
    end: str | None = None,
    as_of: str | None = None,
    limit: int = DEFAULT_RESULTS,
) -> list[Any]:
    day = read_day(as_of, "as_of")
    hits = await context.archive.search(
        Query(
            context.scope,
            query,
            tables=("passage",),
            kinds=(kind,) if kind else (),
            tags=tuple(tags or ()),
            tag_match=tag_match,
            start=read_day(start, "start"),
            end=read_day(end, "end"),
            valid_at=None if day is None else datetime.combine(day, time(12), context.scope.timezone),
            # What was superseded answers what used to be; it is marked.
            statuses=("active", "superseded", "disputed"),
            limit=limit,
        )
    )
    lines = [line(hit, context.scope.timezone, question=query, scored=True) for hit in hits]
    return [text_part("\n".join(lines) or "No results.")]


# A rule is the user's to accept: a model proposes none by itself.
_KIND = {"type": "string", "enum": [kind for kind in KINDS if kind != "rule"]}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_RESULTS}

ARCHIVAL_TOOLS = (
    build("archival_insert", _insert, ["content"], content=STRING, tags=STRINGS, kind=_KIND, event_time=STRING),
    build(
        "archival_search",
        _search,
        ["query"],
        "none",
        query=STRING,
        tags=STRINGS,
        tag_match={"type": "string", "enum": ["any", "all"]},
        kind=_KIND,
        start=STRING,
        end=STRING,
        as_of=STRING,
        limit=_LIMIT,
    ),
    build("archival_update", _update, ["id", "content"], id=STRING, content=STRING),
)
