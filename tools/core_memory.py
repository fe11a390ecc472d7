"""The tools by which a model edits and pages its core memory."""

from __future__ import annotations

from typing import Any

from ..runtime.context.parts import text_part
from ..runtime.core.blocks import DEFAULT_LIMIT, visible_blocks
from ..runtime.core.edit import Append, Author, Create, Delete, Operation, Replace, Rethink
from ..runtime.tool import CallContext, Commit
from .build import STRING, build


def _edit(context: CallContext, label: str, operation: Operation) -> Commit:
    author = Author("agent", context.scope.conversation, context.turn, context.step)
    return Commit(lambda transaction: context.core.edit(transaction, label, operation, author)[1])


async def _append(context: CallContext, label: str, content: str) -> Commit:
    return _edit(context, label, Append(content))


async def _replace(context: CallContext, label: str, old_content: str, new_content: str) -> Commit:
    return _edit(context, label, Replace(old_content, new_content))


async def _rethink(context: CallContext, label: str, new_value: str) -> Commit:
    return _edit(context, label, Rethink(new_value))


async def _create(context: CallContext, label: str, description: str, value: str, limit: int = DEFAULT_LIMIT) -> Commit:
    return _edit(context, label, Create(description, value, limit))


async def _delete(context: CallContext, label: str) -> Commit:
    return _edit(context, label, Delete())


async def _page_in(context: CallContext, label: str) -> Commit:
    return Commit(lambda transaction: context.core.page_in(transaction, label))


async def _page_out(context: CallContext, label: str) -> Commit:
    return Commit(lambda transaction: context.core.page_out(transaction, label))


async def _list(context: CallContext, query: str = "") -> list[Any]:
    """Blocks with all words of the query in label, description or value; all of them for an empty one."""
    scope = context.scope
    blocks = await context.journal.read(lambda connection: visible_blocks(connection, scope.agent, scope.user))
    words = query.casefold().split()
    lines = []
    for block in blocks:
        text = f"{block.label}\n{block.description}\n{block.value}".casefold()
        if all(word in text for word in words):
            view = "in view" if context.core.view.get(block.label) == block.revision else "not in view"
            about = f": {block.description}" if block.description else ""
            lines.append(
                f"{block.label} (revision {block.revision}, {len(block.value):,} of {block.limit:,} characters, "
                f"{view}){about}"
            )
    return [text_part("\n".join(lines) or ("No block matches." if words else "There are no blocks."))]


CORE_MEMORY_TOOLS = (
    build("core_memory_append", _append, ["label", "content"], label=STRING, content=STRING),
    build(
        "core_memory_replace",
        _replace,
        ["label", "old_content", "new_content"],
        label=STRING,
        old_content=STRING,
        new_content=STRING,
    ),
    build("core_memory_rethink", _rethink, ["label", "new_value"], label=STRING, new_value=STRING),
    build(
        "core_memory_create",
        _create,
        ["label", "description", "value"],
        label=STRING,
        description=STRING,
        value=STRING,
        limit={"type": "integer", "minimum": 1},
    ),
    build("core_memory_delete", _delete, ["label"], label=STRING),
    build("core_memory_list", _list, [], "none", query=STRING),
    build("core_memory_page_in", _page_in, ["label"], label=STRING),
    build("core_memory_page_out", _page_out, ["label"], label=STRING),
)
