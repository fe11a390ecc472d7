"""Stretches of talk: which of the episodes that one conversation tells belong together, in their order.

An episode goes on with the stretch of the one before it if it comes from the same message, or was told soon after and
has a telling word in common with it, in its own words or those that it was told in. Else the topic has changed, and a
stretch of its own begins. So a search that finds an episode finds its neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, select

from ..archive.terms import terms
from ..clock import parse_stamp
from ..forgetting.common import is_common
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope

GAP = timedelta(hours=1)
"""Silence after which talk is of something else, as it begins a new session of the log."""

_TOLD = frozenset(
    terms(
        """ate became began bought broke brought built came caught chose did done drank drawn drew driven drove eaten
        fell felt flew flown forgot fought found gave given gone got grew grown had heard held kept knew known led
        left lost made met paid ran read rode said sang sat saw seen sent shown slept sold spent spoke spoken stood
        swam taken taught thought threw told took understood went woke won wore worn written wrote"""
    )
)
"""Common verbs as they stand in tales, which the list of common words has in their plain form."""

passages, messages = tables.passages, tables.messages


@dataclass(frozen=True, slots=True)
class Place:
    """Where an episode stands: the stretch within its conversation, and the place in it, both counted from 1."""

    session: int = 1
    ordinal: int = 1


def place_after(
    connection: Connection, scope: Scope, told: Sequence[str], sources: Collection[str], said_at: datetime
) -> Place:
    """The place of an episode that was told at a time, from the messages `sources`; `told` are its own words, what it
    is about, and theirs."""
    last = _last(connection, scope)
    if last is None:
        return Place()
    if sources and not set(sources).isdisjoint(last.source):
        return Place(last.session, last.ordinal + 1)
    rows = connection.execute(
        select(messages.c.text, messages.c.at).where(messages.c.id.in_(last.source), current(messages))
    ).all()
    at = max((row.at for row in rows), default=last.created_at)
    before = [last.text, *last.tags, *last.entities, *last.participants, *(row.text for row in rows)]
    soon = abs(said_at - parse_stamp(at)) < GAP
    if soon and not telling(told).isdisjoint(telling(before)):
        return Place(last.session, last.ordinal + 1)
    return Place(last.session + 1)


def telling(texts: Sequence[str]) -> set[str]:
    """The terms that tell one topic from another: no common words, and no numbers, which dates are full of."""
    found = {term for text in texts for term in terms(text)}
    return {term for term in found - _TOLD if not is_common(term) and not term.isdigit()}


def _last(connection: Connection, scope: Scope) -> Row[Any] | None:
    """The last episode of the conversation that has a place."""
    query = select(passages).where(
        passages.c.stream == scope.agent,
        passages.c.user == scope.user,
        passages.c.conversation == scope.conversation,
        passages.c.kind == "episode",
        passages.c.speaker.is_(None),
        passages.c.ordinal.is_not(None),
        current(passages),
    )
    return connection.execute(
        query.order_by(passages.c.session.desc(), passages.c.ordinal.desc()).limit(1)
    ).one_or_none()
