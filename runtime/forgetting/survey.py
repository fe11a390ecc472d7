"""Looking through a memory, before anything is changed, for all that carries what is to be forgotten.

It reads the whole log, so it is done outside of the transaction that forgets, which adds what was said since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, exists, select

from ..archive import passages as archived
from ..archive.forgotten import forgotten
from ..archive.ranking.twins import alike
from ..core.blocks import visible_blocks
from ..errors import NotFound, UsageError
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.journal import last_seq
from ..scope import Scope
from . import lines, log
from .facts import Facts

MOST_MEMORIES = 2000
"""Passages, the newest, against which a word's rarity is measured."""

passages, withheld = tables.passages, tables.withheld


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be forgotten by id."""

    lines: list[lines.Line]
    passages: list[Row[Any]]
    messages: list[Row[Any]]


@dataclass(frozen=True, slots=True)
class Survey:
    """What of a user's memory carries some facts, as of the event `seq`."""

    seq: int
    facts: Facts
    passages: list[str]
    """The ids of the passages that go: those that were chosen, what they superseded, and what says the same."""
    pieces: list[log.Piece]
    """What of the log carries it."""


def survey(connection: Connection, scope: Scope, ids: Sequence[str]) -> Survey:
    """Find all that carries what `ids` name. Raises NotFound and UsageError."""
    chosen = resolve(connection, scope, ids)
    stated = [line.text for line in chosen.lines] + [row.text for row in chosen.passages]
    # A copy of what goes, as memory work puts one into a block, makes its words no commoner.
    others = [text for text in memories(connection, scope, ids) if not any(alike(text, one) for one in stated)]
    facts = Facts.of(stated, others) or Facts.of([row.text for row in chosen.messages], others)
    passages_of_it = family(connection, scope, chosen.passages, facts)
    carriers = log.Carriers(facts, [*passages_of_it, *(row.id for row in chosen.messages)])
    pieces, total = log.pieces(connection, scope, carriers)
    carriers.facts = facts = facts.lighter(log.usual(pieces, facts, total))
    return Survey(
        last_seq(connection, scope.agent),
        facts,
        passages_of_it,
        [piece for piece in pieces if carriers.carried_by(piece.text)],
    )


def resolve(connection: Connection, scope: Scope, ids: Sequence[str]) -> Chosen:
    """What ids mean. Raises NotFound for what is not this user's, and UsageError for a line that has moved."""
    chosen = Chosen([], [], [])
    for item in dict.fromkeys(ids):
        if lines.is_line_id(item):
            chosen.lines.append(lines.find_line(connection, scope, item))
        elif item.startswith("m-"):
            chosen.messages.append(_message(connection, scope, item))
        else:
            chosen.passages.append(archived.get(connection, scope, item))
    if not ids:
        raise UsageError("There is nothing to forget.", hint="Name what to forget by ids that a query lists.")
    return chosen


def memories(connection: Connection, scope: Scope, but: Sequence[str] = ()) -> list[str]:
    """The texts of what is remembered, `but` for some ids: passages and lines of blocks."""
    query = select(passages.c.id, passages.c.text).where(*_visible(scope)).order_by(passages.c.row.desc())
    rows = connection.execute(query.limit(MOST_MEMORIES)).all()
    blocks = visible_blocks(connection, scope.agent, scope.user)
    known = [(row.id, row.text) for row in rows] + [(line.id, line.text) for line in lines.lines_of(blocks)]
    return [text for item, text in known if item not in but]


def carrying_passages(connection: Connection, scope: Scope, facts: Facts) -> list[Row[Any]]:
    """The passages in use, active or superseded, that carry the facts."""
    query = select(passages).where(*_visible(scope), passages.c.status != "retired").order_by(passages.c.row)
    return [row for row in connection.execute(query) if facts.carried_by(row.text)]


def _visible(scope: Scope) -> list[Any]:
    hidden = exists().where(withheld.c.item == passages.c.id, current(withheld))
    return [passages.c.stream == scope.agent, passages.c.user == scope.user, current(passages), ~hidden]


def _message(connection: Connection, scope: Scope, message_id: str) -> Row[Any]:
    messages = tables.messages
    query = select(messages).where(
        messages.c.id == message_id,
        messages.c.stream == scope.agent,
        messages.c.user == scope.user,
        current(messages),
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no message {message_id[:80]!r}.", hint="Take an id from a search.")
    if gone := forgotten(connection, scope, row.id):
        raise gone
    return row


def family(connection: Connection, scope: Scope, chosen: Sequence[Row[Any]], facts: Facts) -> list[str]:
    """The passages that go with those that were chosen.

    What they superseded goes, and what says the same, since a search may show but one of such twins; and what a rewind
    took away and carries the facts, since it may come back.
    """
    query = select(passages.c.id, passages.c.text, passages.c.superseded_by, passages.c.to_seq).where(
        passages.c.stream == scope.agent, passages.c.user == scope.user
    )
    rows = connection.execute(query.order_by(passages.c.row)).all()
    here = [row for row in rows if row.to_seq is None]
    found = {row.id: None for row in chosen}
    for row in here:
        if any(row.text == one.text for one in chosen) or (
            facts.found(row.text) and any(alike(row.text, one.text) for one in chosen)
        ):
            found[row.id] = None
    older = [row for row in here if row.superseded_by in found]
    while older:
        found.update((row.id, None) for row in older)
        older = [row for row in here if row.superseded_by in found and row.id not in found]
    known = {row.id for row in here}
    found.update((row.id, None) for row in rows if row.id not in known and facts.carried_by(row.text))
    return list(found)
