"""Listing what may carry something that is to be forgotten, for whoever chooses among it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from ..archive.archive import Archive
from ..archive.query import Query
from ..clock import parse_stamp
from ..core.blocks import visible_blocks
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.journal import Journal
from ..scope import Scope
from . import lines, log
from .facts import LIGHT, Facts, terms_of
from .survey import carrying_passages, memories

MOST_FOUND = 20
"""Passages that are found by meaning."""


_EVERYTHING = re.compile(
    r"(?:forget\s+)?(?:everything|all|anything)"
    r"(?:\s+of\s+(?:it|that|them|this))?(?:\s+(?:that\s+)?you\s+(?:know|remember))?(?:\s+(?:about|of)\s+me)?"
    r"|(?:忘掉|忘记|忘了|把)?(?:关于我的|所有的|你知道的|你记得的)*(?:一切|所有|全部|所有事|所有事情|所有内容)"
    r"(?:都)?(?:忘掉|忘记|忘了)?(?:吧)?",
    re.IGNORECASE,
)


def is_everything(query: str) -> bool:
    """Whether a query names no fact but all of them; as words it would find only who said that."""
    return _EVERYTHING.fullmatch(query.strip(" \t\r\n.!?。！？")) is not None


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may carry what is to be forgotten; `label` says what it is."""

    id: str
    at: datetime
    label: str
    text: str


async def candidates(
    journal: Journal, archive: Archive, scope: Scope, query: str, *, but: str | None = None
) -> list[Candidate]:
    """What may carry what `query` names: passages by meaning and by words, block lines and messages by words.

    `but` leaves the messages of one turn out. Raises ArchiveError.
    """
    wanted = Query(
        scope,
        query,
        tables=("passage",),
        statuses=("active", "superseded", "disputed"),
        least_trust=0,
        limit=MOST_FOUND,
    )
    found = [Candidate(hit.id, hit.at, hit.label, hit.text) for hit in await archive.search(wanted) if not hit.weak]
    known = {one.id for one in found}

    def look(connection: Connection) -> list[Candidate]:
        facts = _facts(query, memories(connection, scope))
        blocks = visible_blocks(connection, scope.agent, scope.user)
        now = archive.clock.now()
        return [
            *(
                Candidate(row.id, parse_stamp(row.event_time or row.created_at), row.kind, row.text)
                for row in carrying_passages(connection, scope, facts)
                if row.id not in known
            ),
            *(Candidate(it.id, it.block.at or now, it.what, it.text) for it in lines.carrying(blocks, facts)),
            *_said(connection, scope, facts, but),
        ]

    return found + await journal.read(look)


def _facts(query: str, others: list[str]) -> Facts:
    """What a query names. Where its words are too common to name anything, all of them are needed."""
    return Facts.of([query], others) or Facts([dict.fromkeys(terms_of(query), LIGHT)])


def _said(connection: Connection, scope: Scope, facts: Facts, but: str | None) -> list[Candidate]:
    """The messages that carry the facts in their own words."""
    messages, withheld = tables.messages, tables.withheld
    found, _count = log.pieces(connection, scope, log.Carriers(facts))
    carrying = [it.message for it in found if it.part is None and it.turn != but and facts.carried_by(it.text)]
    out: list[Candidate] = []
    for start in range(0, len(carrying), 500):
        some = carrying[start : start + 500]
        hidden = select(withheld.c.item).where(withheld.c.item.in_(some), withheld.c.part.is_(None), current(withheld))
        query = select(messages).where(messages.c.id.in_(some), current(messages), messages.c.id.not_in(hidden))
        rows = connection.execute(query.order_by(messages.c.row)).all()
        out += [Candidate(row.id, parse_stamp(row.at), row.role, row.text) for row in rows if row.text]
    return out
