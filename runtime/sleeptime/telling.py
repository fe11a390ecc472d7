"""What memory work did: lately in one line, for those who watch, and as a report to those who asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from ..journal import tables
from ..scope import Scope
from ..text import counted

if TYPE_CHECKING:
    from .work import Worked

_TYPES = ("sleep.done", "sleep.consolidated", "sleep.failed")
_SILENT = (
    "skipped",
    "known",
    "insights known",
    "rules known",
    "rules rejected",
    "left in",
    "no room",
    "overtaken",
    "clamped",
)
"""Counts of what changed nothing."""

events = tables.events


def told_since(connection: Connection, scope: Scope, after: int) -> str:
    """What memory work of this user changed, or why it failed, behind the event `after`; empty where it did nothing."""
    query = select(events.c.type, events.c.payload).where(
        events.c.stream == scope.agent, events.c.seq > after, events.c.type.in_(_TYPES)
    )
    rows = connection.execute(query.order_by(events.c.seq)).all()
    mine = [row for row in rows if row.payload.get("user") == scope.user]
    if mine and mine[-1].type == "sleep.failed":
        return f"Memory work failed, and will be tried again: {mine[-1].payload['reason']}"
    total: dict[str, int] = {}
    for row in mine:
        for name, count in row.payload.get("counts", {}).items():
            total[name] = total.get(name, 0) + count
    return words_of(total)


def report(worked: Worked) -> list[str]:
    """What memory work did, line by line; what it could not use, and what stopped it, is told beside it."""
    lines = [f"Went through {counted(worked.messages, 'message')}."]
    lines += [f"{count:>6,}  {name}" for name, count in sorted(worked.counts.items())]
    cost = worked.cost
    if cost.calls:
        tokens = cost.input_tokens + cost.output_tokens
        lines.append(f"It took {counted(cost.calls, 'model call')}{f' and {tokens:,} tokens' if tokens else ''}.")
    return lines


def words_of(counts: Mapping[str, int]) -> str:
    """`Memory: 2 added, 1 superseded.`; empty where nothing changed."""
    changed = [f"{count:,} {name}" for name, count in counts.items() if count and not name.startswith(_SILENT)]
    return f"Memory: {', '.join(changed)}." if changed else ""
