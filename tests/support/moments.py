"""The whole state of an agent at one moment, in a form in which two moments can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.fold.rows import as_of, current

Row = dict[str, Any]

_KEPT = ("row", "stream", "from_seq", "to_seq", "uses")
_WINDOW = ("summary", "first", "lead", "boundary", "cut", "bare")


@dataclass(frozen=True)
class Moment:
    """What an agent knew and had said."""

    blocks: dict[tuple[str, str], Row]
    """By user and label; without the revision, which only grows, and without who wrote it when."""
    messages: dict[str, list[Row]]
    """By conversation."""
    passages: dict[str, Row]
    withheld: set[tuple[str, str, int | None, str]]
    """Kind, item, part, and the event that forgot it."""
    windows: dict[str, Row]
    """By conversation: where its window begins, and the summary of what was before. Empty ones are left out."""

    def visible(self) -> str:
        """All that is not withheld, as text."""
        whole = {item for _kind, item, part, _event in self.withheld if part is None}
        parts = {(item, part) for _kind, item, part, _event in self.withheld}
        said = []
        for message in (message for thread in self.messages.values() for message in thread):
            if message["id"] not in whole:
                shown = [part for place, part in enumerate(message["parts"]) if (message["id"], place) not in parts]
                said.append((without_blocks(shown), message["calls"]))
        archived = [passage["text"] for passage in self.passages.values() if passage["id"] not in whole]
        return repr((said, archived, self.blocks, self.windows))


def without_blocks(parts: list[Row]) -> list[Any]:
    """The words in parts; a block's value is shown by the head, once the epoch of the message is over."""
    words: list[Any] = []
    for part in parts:
        if part["type"] == "text":
            words.append(part["text"])
        elif part["type"] == "note":
            words += without_blocks(part["parts"])
    return words


def moment(connection: Connection, agent: str, at: int | None = None) -> Moment:
    """The state of an agent now, or when the event `at` was its newest."""

    def rows(table: Any, *order: Any) -> list[Row]:
        when = current(table) if at is None else as_of(table, at)
        found = connection.execute(select(table).where(table.c.stream == agent, when).order_by(*order, table.c.row))
        return [{name: it for name, it in row._mapping.items() if name not in _KEPT} for row in found]

    messages: dict[str, list[Row]] = {}
    for row in rows(tables.messages, tables.messages.c.ordinal):
        messages.setdefault(row["conversation"], []).append(row)
    blocks = {
        (row["user"], row["label"]): {name: row[name] for name in row if name not in ("revision", "writer", "at")}
        for row in rows(tables.blocks)
    }
    passages = {row["id"]: row for row in rows(tables.passages)}
    withheld = {
        (row["kind"], row["item"], row["part"], row["event"])
        for row in rows(tables.withheld)
        if row["kind"] != "forgetting"
    }
    windows = {row["conversation"]: {name: row[name] for name in _WINDOW} for row in rows(tables.epochs)}
    windows = {thread: it for thread, it in windows.items() if any(it.values())}
    return Moment(blocks, messages, passages, withheld, windows)
