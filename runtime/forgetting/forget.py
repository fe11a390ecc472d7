"""Forgetting by id, in two steps: what was named and all that carries it now, and what the turn itself says at its end.

Within the turn that forgets, its model must still know what it was asked. So the turn's own messages, and the summary
of its conversation, follow when it ends (`finish`), however it ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select

from ..archive import disputed
from ..archive.ranking.twins import alike
from ..core.blocks import visible_blocks
from ..core.edit import Author
from ..journal import tables
from ..journal.events import Event
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..journal.statement import Statement
from ..scope import Scope
from . import lines, log
from .facts import FEW, Facts, sentences
from .payload import said
from .survey import Survey, resolve

TOOL = "memory_forget"
"""The tool by which a model forgets: its calls say what is to be forgotten."""

events, withheld = tables.events, tables.withheld


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, in numbers; `event` is what restores it."""

    event: Event
    passages: int
    lines: int
    messages: int
    """Of what was said, as `memory history` lists it. Calls, results and notes that showed it are withheld as well."""


def forget(
    transaction: Transaction,
    scope: Scope,
    ids: list[str],
    reason: str,
    found: Survey,
    author: Author,
) -> Forgotten:
    """Forget what `ids` name and all that carries the same; `found` is the survey of them.

    Raises NotFound where an id means nothing of this user's, and UsageError where a line has moved; then nothing is
    forgotten.
    """
    connection = transaction.connection
    chosen = resolve(connection, scope, ids)
    chosen.lines.extend(_copies(connection, scope, found.passages, chosen.lines))
    carriers = log.Carriers(found.facts, [*found.passages, *(row.id for row in chosen.messages)])
    since, _count = log.pieces(connection, scope, carriers, after=found.seq)
    pieces = [*found.pieces, *(piece for piece in since if carriers.carried_by(piece.text))]
    pieces += [log.Piece(row.id, row.turn, None, row.text) for row in chosen.messages]
    items = [{"kind": "passage", "item": passage, "part": None} for passage in found.passages]
    if author.turn is not None:
        pieces = [piece for piece in pieces if piece.turn != author.turn]
    items += log.items_of(pieces)
    new = _not_yet(connection, items)
    payload = {
        "user": scope.user,
        "items": items,
        "lines": [
            {"label": it.block.label, "user": it.block.user, "text": it.text, "about": not it.number}
            for it in chosen.lines
        ],
        "facts": found.facts.facts,
        "ids": [item["item"] for item in items if item["kind"] == "passage"] + [row.id for row in chosen.messages],
        "reason": reason,
        "summaries": dict(_summaries(connection, scope, found.facts, but=scope.conversation if author.turn else None)),
        "deferred": scope.conversation if author.turn else None,
    }
    event = transaction.append(
        "memory.forgotten",
        payload,
        stream=scope.agent,
        writer=author.writer,
        conversation=scope.conversation,
        turn=author.turn,
        step=author.step,
    )
    because = Author(author.writer, author.conversation, author.turn, author.step, event.id)
    lines.remove(transaction, scope, chosen.lines, because)
    disputed.follow(transaction, scope, author.turn, event.id)
    gone = len({item["item"] for item in new if item["kind"] == "passage"})
    said_of_it = log.said_in(connection, (item["item"] for item in new if item["part"] is None))
    return Forgotten(event, gone, len(chosen.lines), len(said_of_it))


def _copies(connection: Connection, scope: Scope, ids: list[str], named: list[lines.Line]) -> list[lines.Line]:
    """The lines of blocks that say what these passages say: memory work copies passages into blocks."""
    passages = tables.passages
    found = select(passages.c.text).where(passages.c.id.in_(ids), current(passages))
    texts = connection.execute(found).scalars().all()
    known = {line.id for line in named}
    return [
        line
        for line in lines.lines_of(visible_blocks(connection, scope.agent, scope.user))
        if line.id not in known
        and line.number
        and not line.block.read_only
        and any(alike(line.text.strip().removeprefix("- "), text) for text in texts)
    ]


_MEANWHILE = Statement(
    select(events.c.id, events.c.turn, events.c.payload)
    .join(withheld, withheld.c.item == events.c.id)
    .join(tables.turns, tables.turns.c.id == bindparam("turn"))
    .where(withheld.c.stream == bindparam("agent"), withheld.c.kind == "forgetting", current(withheld))
    .where(withheld.c.forgot > tables.turns.c.started_seq)
    .order_by(withheld.c.forgot)
)
"""The forgettings in force that are younger than a turn, oldest first. Made once: it runs in every turn."""


def finish(transaction: Transaction, scope: Scope, turn: str) -> None:
    """At a turn's end: withhold what of the turn itself carries what was forgotten while it ran.

    Of the turn that asked for it, that is all that hints at it, the request itself included. Of a turn in another
    conversation, it is what its model said of what it had read before.
    """
    connection = transaction.connection
    for event in _MEANWHILE.all(connection, {"turn": turn, "agent": scope.agent}):
        payload = said(event.payload)
        if payload["user"] != scope.user or "of" in payload:
            continue
        asked = event.turn == turn
        facts = Facts(payload["facts"])
        carriers = log.Carriers(facts, payload["ids"])
        if asked:
            pieces = list(_of_request(connection, scope, turn, carriers))
        else:
            found, _count = log.pieces(connection, scope, carriers, turn=turn)
            pieces = [piece for piece in found if carriers.carried_by(piece.text)]
        items = log.items_of(pieces)
        if not asked and not _not_yet(connection, items):
            continue
        transaction.append(
            "memory.forgotten",
            {
                "user": scope.user,
                "items": items,
                "lines": [],
                "facts": [],
                "ids": [],
                "reason": "the turn that asked for it" if asked else "a turn that ran meanwhile",
                "summaries": dict(_summaries(connection, scope, facts, only=scope.conversation)),
                "deferred": None,
                "of": event.id,
            },
            stream=scope.agent,
            writer="system",
            conversation=scope.conversation,
            turn=turn,
            cause=event.id,
        )


def _of_request(connection: Connection, scope: Scope, turn: str, carriers: log.Carriers) -> Iterator[log.Piece]:
    """What a turn says of what it was asked to forget."""
    messages = tables.messages
    query = select(messages).where(messages.c.turn == turn, messages.c.stream == scope.agent, current(messages))
    rows = {row.id: row for row in connection.execute(query).all()}
    forgetting = {call["id"] for row in rows.values() for call in row.calls if call["name"] == TOOL}
    every, _count = log.pieces(connection, scope, None, turn=turn)
    for piece in every:
        row = rows.get(piece.message)
        if row is None:
            continue
        asks = row.role == "user" and piece.part is None and len(sentences(piece.text)) <= FEW
        calls = row.call_id in forgetting or any(call["id"] in forgetting for call in row.calls)
        if asks or calls or carriers.carried_by(piece.text) or carriers.facts.hinted_at_by(piece.text):
            yield piece


def _summaries(
    connection: Connection, scope: Scope, facts: Facts, *, but: str | None = None, only: str | None = None
) -> Iterator[tuple[str, str]]:
    """The summaries in use that carry the facts, without the sentences that do, by the id of their epoch."""
    epochs, conversations = tables.epochs, tables.conversations
    mine = select(conversations.c.id).where(conversations.c.stream == scope.agent, conversations.c.user == scope.user)
    query = select(epochs).where(epochs.c.conversation.in_(mine), current(epochs), epochs.c.summary != "")
    for row in connection.execute(query).all():
        if row.conversation == but or (only is not None and row.conversation != only):
            continue
        kept = facts.without(row.summary)
        if kept != row.summary.strip():
            yield row.id, kept


def _not_yet(connection: Connection, items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that are not withheld already."""
    items = list(items)
    known: set[tuple[str, int | None]] = set()
    for start in range(0, len(items), 500):
        some = [item["item"] for item in items[start : start + 500]]
        query = select(withheld.c.item, withheld.c.part).where(withheld.c.item.in_(some), current(withheld))
        known.update((row.item, row.part) for row in connection.execute(query).all())
    return [item for item in items if known.isdisjoint({(item["item"], item["part"]), (item["item"], None)})]
