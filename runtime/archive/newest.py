"""The newest messages of a user, by date alone: what is listed where nothing is searched for."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from ..clock import stamp
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope
from .query import Hit
from .results import show

_PAGE = 100


def newest_messages(
    connection: Connection,
    scope: Scope,
    *,
    roles: Collection[str] = (),
    start: date | None = None,
    end: date | None = None,
    but: str | None = None,
    limit: int,
) -> list[tuple[str, Hit]]:
    """Messages with their ids, newest first, in all conversations of the scope's agent and user.

    `start` and `end` are days in the scope's time zone, inclusive. Those of the turn `but`, and what is withheld, are
    left out.
    """
    messages = tables.messages
    query = (
        select(messages.c.id)
        .where(messages.c.stream == scope.agent, messages.c.user == scope.user, current(messages))
        .where(messages.c.role.in_(roles or ("user", "assistant")), messages.c.text != "")
        .order_by(messages.c.at.desc(), messages.c.ordinal.desc())
    )
    if start is not None:
        query = query.where(messages.c.at >= _first_moment(start, scope.timezone))
    if end is not None and end < date.max:
        query = query.where(messages.c.at < _first_moment(end + timedelta(days=1), scope.timezone))
    if but is not None:
        query = query.where(messages.c.turn.is_distinct_from(but))
    found: list[tuple[str, Hit]] = []
    offset = 0
    while len(found) < limit:
        ids = list(connection.execute(query.limit(_PAGE).offset(offset)).scalars())
        shown = show(connection, [("message", one) for one in ids])
        found += [(one, shown[one]) for one in ids if one in shown]
        if len(ids) < _PAGE:
            break
        offset += _PAGE
    return found[:limit]


def _first_moment(day: date, zone: ZoneInfo) -> str:
    try:
        return stamp(datetime.combine(day, time(), zone))
    except OverflowError:  # year 1 east of Greenwich, and year 9999 west of it
        return stamp(datetime.combine(day, time(), UTC))
