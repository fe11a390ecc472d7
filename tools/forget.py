"""The tool by which a model forgets what the user wants forgotten: first it lists candidates, then it names some."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from ..runtime.archive.query import Query
from ..runtime.clock import parse_stamp
from ..runtime.context.parts import text_part
from ..runtime.core.edit import Author
from ..runtime.errors import ToolError
from ..runtime.forgetting import Facts, Line, blocks_of, forget, search_lines, search_log
from ..runtime.journal.journal import Transaction
from ..runtime.tool import Applied, CallContext, Commit
from .build import STRING, STRINGS, build
from .lines import memory_line

MOST_CANDIDATES = 100


async def _forget(
    context: CallContext, reason: str, query: str | None = None, ids: list[str] | None = None
) -> Commit | list[Any]:
    if ids:
        author = Author("agent", context.scope.conversation, context.turn, context.step)
        chosen = list(ids)

        def apply(transaction: Transaction) -> Applied:
            done = forget(transaction, context.scope, chosen, reason, author, writer="agent")
            context.archive.touch()
            return Applied(
                [
                    text_part(
                        f"Forgotten: {done.passages} passages, {done.lines} lines of blocks, {done.messages} messages. "
                        "This turn's own words about it leave the window when it ends. Do not repeat them."
                    )
                ]
            )

        return Commit(apply)
    if query is None or not query.strip():
        raise ToolError("Neither query nor ids are given.", hint="Give a query first, then ids from its list.")
    return [text_part(await candidates(context, query))]


async def candidates(context: CallContext, query: str) -> str:
    """What may carry what the query names: passages by meaning and words, block lines and messages by words."""
    scope, zone = context.scope, context.scope.timezone
    hits = await context.archive.search(
        Query(scope, query, tables=("passage",), statuses=("active", "superseded"), limit=20)
    )
    facts = Facts([query])

    def look(connection: Connection) -> tuple[list[Line], list[Any]]:
        lines = search_lines(blocks_of(connection, scope), facts)
        return lines, search_log(connection, scope, facts, but=context.turn).messages

    lines, messages = await context.journal.read(look)
    found = [memory_line(hit.id, hit.at, zone, hit.label, hit.text) for hit in hits if not hit.weak]
    found += [f"- [{line.id}] line of block {line.block.label}: {line.text}" for line in lines]
    found += [memory_line(row.id, parse_stamp(row.at), zone, row.role, row.text) for row in messages]
    if not found:
        return "No results."
    more = f"\n{len(found) - MOST_CANDIDATES} more carry it too." if len(found) > MOST_CANDIDATES else ""
    return "\n".join(found[:MOST_CANDIDATES]) + more


FORGET_TOOLS = (
    build("memory_forget", _forget, ["reason"], query=STRING, ids=STRINGS, reason=STRING),
)
