"""Short ids: the ids of memories as models and people see them, and any beginning of one that names but one memory.

An id has sixteen random letters and digits, which cost a model a dozen tokens wherever a memory stands. Shown is the
shortest beginning that no other memory of the same agent and user shares, and never less than `SHORTEST` characters,
so that it seldom grows when more is archived.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select

from ..errors import Ambiguous, NotFound, UsageError
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.statement import Statement
from ..scope import Scope
from .choices import Kind

SHORTEST = 8
"""Characters of a short id, `p-` among them."""
MOST_LISTED = 10

_PREFIXES: dict[Kind, str] = {"passage": "p-", "message": "m-"}
_TABLES: dict[Kind, Any] = {"passage": tables.passages, "message": tables.messages}
_LIKE = {
    kind: Statement(
        select(table.c.id)
        .where(
            table.c.id >= bindparam("first"),
            table.c.id < bindparam("after"),
            # In a form that no index has, so that SQLite takes the one of ids: else it looks through all of a user's.
            table.c.stream.concat("") == bindparam("agent"),
            table.c.user.concat("") == bindparam("user"),
            current(table),
        )
        .order_by(table.c.id)
        .limit(bindparam("most"))
    )
    for kind, table in _TABLES.items()
}


def shorten(connection: Connection, kind: Kind, item: str, agent: str, user: str) -> str:
    """The short form of an id; the id itself where it is that short already."""
    if len(item) <= SHORTEST:
        return item
    others = [one for one in _beginning(connection, kind, item[:SHORTEST], agent, user, 1000) if one != item]
    shared = max((_common(item, one) for one in others), default=0)
    return item[: max(SHORTEST, shared + 1)]


def short_ids(connection: Connection, scope: Scope, items: list[str]) -> list[str]:
    """The short forms of ids of passages and messages; what is neither stays as it is."""
    return [
        shorten(connection, kind, item, scope.agent, scope.user) if (kind := kind_of(item)) else item for item in items
    ]


def checked_ids(given: Sequence[str]) -> list[str]:
    """Several ids, as a program gives them. Raises UsageError for what is no list of texts, such as one id alone."""
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) and one for one in given):
        raise UsageError(f"`ids` must be a list of ids, not {given!r:.80}.", hint="Take them from a search or a list.")
    return list(given)


def full_ids(connection: Connection, scope: Scope, items: list[str], *, gone: bool = False) -> list[str]:
    """The ids that these are the beginnings of; what is no id of a passage or a message stays as it is.

    With `gone` so does what there is not, since it may have been once. Raises NotFound and Ambiguous.
    """
    out = []
    for item in map(bare, items):
        kind = kind_of(item)
        try:
            out.append(full_id(connection, kind, item, scope) if kind else item)
        except NotFound:
            if not gone:
                raise
            out.append(item)
    return out


def full_id(connection: Connection, kind: Kind, said: str, scope: Scope) -> str:
    """The id that `said` is, or is the beginning of, perhaps in brackets.

    Raises NotFound, and Ambiguous where it begins several.
    """
    said, found = bare(said), []
    if said.isascii() and len(said) > len(_PREFIXES[kind]):
        found = _beginning(connection, kind, said, scope.agent, scope.user, MOST_LISTED + 1)
    if said in found or len(found) == 1:
        return said if said in found else found[0]
    if not found:
        raise NotFound(f"There is no {kind} {said[:80]!r}.", hint="Take an id from a search.")
    some = (shorten(connection, kind, one, scope.agent, scope.user) for one in found[:MOST_LISTED])
    listed = ", ".join(some) + (" ..." if len(found) > MOST_LISTED else "")
    raise Ambiguous(f"{said[:80]!r} begins the ids of several: {listed}.", hint="Say more of the one that you mean.")


def bare(said: str) -> str:
    """An id without the brackets in which lists and notes show it, and which are copied along."""
    said = said.strip()
    return said[1:-1].strip() if said[:1] == "[" and said[-1:] == "]" else said


def kind_of(item: str) -> Kind | None:
    """What an id is of, by how it begins."""
    return next((kind for kind, prefix in _PREFIXES.items() if item.startswith(prefix)), None)


def _beginning(connection: Connection, kind: Kind, start: str, agent: str, user: str, most: int) -> list[str]:
    where = {"first": start, "after": f"{start}\x7f", "agent": agent, "user": user, "most": most}
    return [row.id for row in _LIKE[kind].all(connection, where)]


def _common(one: str, other: str) -> int:
    """How many characters two ids have in common from the start."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
