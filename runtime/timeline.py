"""What happened to an agent's memory, event by event, in words for its user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from .archive.short_ids import kind_of, shorten
from .core.blocks import block_of
from .core.history import difference
from .journal import tables
from .journal.events import Event, event_of
from .journal.fold.rows import as_of

events, blocks, passages, messages = tables.events, tables.blocks, tables.passages, tables.messages


@dataclass(frozen=True, slots=True)
class Change:
    """One event of memory, and what it did in plain text of one or more lines."""

    event: Event
    text: str


def changes(connection: Connection, agent: str, user: str, *, limit: int | None = None) -> list[Change]:
    """The newest `limit` changes of the memory that `user` has with the agent, oldest first.

    What was forgotten is shown too: this is the record, and the user's own.
    """
    query = select(events).where(events.c.stream == agent, events.c.type.in_(list(_WORDS)))
    found: list[Change] = []
    for row in connection.execute(query.order_by(events.c.seq.desc())):
        event = event_of(row)
        text = _WORDS[event.type](connection, event, user)
        if text is not None:
            found.append(Change(event, text))
        if limit is not None and len(found) >= limit:
            break
    return found[::-1]


def _block(connection: Connection, event: Event, user: str) -> str | None:
    payload = event.payload
    if payload["user"] not in ("", user):
        return None
    where = (blocks.c.stream == event.stream, blocks.c.label == payload["label"], blocks.c.user == payload["user"])
    row = connection.execute(select(blocks).where(*where, as_of(blocks, event.seq - 1))).one_or_none()
    before = block_of(row) if row is not None else None
    row = connection.execute(select(blocks).where(*where, as_of(blocks, event.seq))).one_or_none()
    after = block_of(row) if row is not None else None
    verb = "created" if before is None else "deleted" if after is None else "changed"
    changed = difference(before, after).split("\n")[2:]
    if before is not None and after is not None and not changed:
        changed = [f"{name}: {value}" for name, value in payload["changes"].items()]
    return "\n".join([f"block {payload['label']} {verb}", *changed])


def _added(connection: Connection, event: Event, user: str) -> str | None:
    mine = [passage for passage in event.payload["passages"] if passage["user"] == user]
    named = ((_short(connection, event, passage["id"], user), passage["text"]) for passage in mine)
    return "\n".join(f"archived {short}: {text}" for short, text in named) or None


def _superseded(connection: Connection, event: Event, user: str) -> str | None:
    text = _passage(connection, event.payload["id"], user)
    old, new = (_short(connection, event, event.payload[which], user) for which in ("id", "by"))
    return None if text is None else f"superseded {old} by {new}: {text}"


def _retired(connection: Connection, event: Event, user: str) -> str | None:
    texts = {passage: _passage(connection, passage, user) for passage in event.payload["ids"]}
    why = event.payload["reason"]
    named = ((_short(connection, event, it, user), text) for it, text in texts.items() if text is not None)
    return "\n".join(f"retired {short} ({why}): {text}" for short, text in named) or None


def _changed(connection: Connection, event: Event, user: str) -> str | None:
    """Of changes that are no new text, those that decide whether a passage is found."""
    why = event.payload["reason"]
    changed = [it["id"] for it in event.payload["changes"] if "status" in it]
    texts = {passage: _passage(connection, passage, user) for passage in changed}
    named = ((_short(connection, event, it, user), text) for it, text in texts.items() if text is not None)
    return "\n".join(f"{why} {short}: {text}" for short, text in named) or None


def _forgotten(connection: Connection, event: Event, user: str) -> str | None:
    if event.payload.get("user", user) != user:  # older builds did not say whose it was
        return None
    reason = event.payload.get("reason")
    lines = [f"forgotten: {reason}" if reason else "forgotten"]
    for item in event.payload["items"]:
        if item["part"] is not None:
            continue  # what is gone is a note or a result, which say what is listed by itself
        text = _text(connection, messages if item["kind"] == "message" else passages, item["item"], user)
        if text:
            lines.append(f"  {_short(connection, event, item['item'], user)}: {' '.join(text.split())}")
    return "\n".join(lines)


def _restored(_connection: Connection, event: Event, user: str) -> str | None:
    return f"restored what {event.payload['forgot']} forgot" if event.payload.get("user", user) == user else None


def _erased(_connection: Connection, event: Event, user: str) -> str | None:
    payload = event.payload
    if payload["user"] != user:
        return None
    names = ("passages", "messages", "revisions")
    return "erased for good: " + ", ".join(f"{name} {payload['counts'][name]}" for name in names)


def _rewound(_connection: Connection, event: Event, _user: str) -> str:
    only = " (one conversation's messages)" if event.payload["conversation"] else ""
    return f"rewound to event {event.payload['to']}{only}"


def _short(connection: Connection, event: Event, item: str, user: str) -> str:
    """An id as people are shown it."""
    kind = kind_of(item)
    return shorten(connection, kind, item, event.stream, user) if kind else item


def _passage(connection: Connection, passage: str, user: str) -> str | None:
    return _text(connection, passages, passage, user)


def _text(connection: Connection, table: Any, item: str, user: str) -> str | None:
    query = select(table.c.text).where(table.c.id == item, table.c.user == user).order_by(table.c.row.desc()).limit(1)
    text: str | None = connection.execute(query).scalar()
    return text


_WORDS: dict[str, Callable[[Connection, Event, str], str | None]] = {
    "block.created": _block,
    "block.edited": _block,
    "block.deleted": _block,
    "passage.added": _added,
    "passage.superseded": _superseded,
    "passage.retired": _retired,
    "passage.changed": _changed,
    "memory.forgotten": _forgotten,
    "memory.restored": _restored,
    "memory.erased": _erased,
    "agent.rewound": _rewound,
}
