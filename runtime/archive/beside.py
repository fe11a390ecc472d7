"""What was told just before and after an episode, in the same stretch of talk."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, exists, select

from ..journal import tables
from ..scope import Scope


def beside(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[str]:
    """The ids of the episodes before and after these, in the order in which they were told, without these."""
    here = tables.passages.alias("here")
    near = tables.passages.alias("near")
    hidden = exists().where(tables.withheld.c.item == near.c.id, tables.withheld.c.to_seq.is_(None))
    query = (
        select(near.c.id)
        .join(
            here,
            (here.c.stream == near.c.stream)
            & (here.c.user == near.c.user)
            & (here.c.conversation == near.c.conversation)
            & (here.c.session == near.c.session)
            & ((here.c.ordinal - near.c.ordinal).in_([-1, 1])),
        )
        .where(
            here.c.id.in_(ids),
            here.c.stream == scope.agent,
            here.c.user == scope.user,
            here.c.kind == "episode",
            here.c.speaker.is_(None),
            here.c.to_seq.is_(None),
            near.c.kind == "episode",
            near.c.speaker.is_(None),
            near.c.status == "active",
            near.c.to_seq.is_(None),
            near.c.id.not_in(ids),
            ~hidden,
        )
        .order_by(near.c.session, near.c.ordinal)
    )
    return list(dict.fromkeys(connection.execute(query).scalars()))
