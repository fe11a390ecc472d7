"""What the archive has of what is to be imported, also where it was forgotten or replaced since.

The journal holds no digests, since a digest would tell of a text that was erased. So the texts are read once, and
their digests are kept in memory while the import runs: about 150 bytes for each passage of the scope.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, or_, select

from ...journal import tables
from ...journal.fold.rows import current
from ...journal.journal import Journal
from ...scope import Scope
from .. import rows
from ..drafts import Draft, stamped
from ..files import tag_in

_PAGE = 5000

_passages, _withheld = tables.passages, tables.withheld
_HIDDEN = select(_withheld.c.item).where(current(_withheld), _withheld.c.kind == "passage")
_TEXTS = (
    select(_passages.c.row, _passages.c.text, _passages.c.kind, _passages.c.event_time)
    # After a rewind, what was imported is gone and can be imported again; what was forgotten stays so.
    .where(or_(current(_passages), _passages.c.id.in_(_HIDDEN)))
    .where(_passages.c.stream == bindparam("agent"), _passages.c.user == bindparam("user"))
    .where(_passages.c.row.between(bindparam("first"), bindparam("last")))
)
_FOUND = select(
    _passages.c.row,
    _passages.c.id,
    _passages.c.document,
    _passages.c.tags,
    _passages.c.status,
    _passages.c.id.in_(_HIDDEN).label("hidden"),
).where(_passages.c.row.in_(bindparam("rows", expanding=True)))


@dataclass(frozen=True, slots=True)
class There:
    """A passage that is in the archive, or was."""

    id: str
    document: str | None
    tags: tuple[str, ...]
    left_out: bool
    """It was forgotten, retired or replaced."""

    @property
    def tag(self) -> str | None:
        """The tag that names its file."""
        return tag_in(self.tags)


class Known:
    """The passages of a scope by their content: text, kind and time."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._rows: dict[bytes, int] = {}
        self._seen = 0

    def key(self, draft: Draft) -> bytes:
        """What equals that of another draft only where they say the same."""
        return _key(draft.text, draft.kind, stamped(draft.event_time, self._scope))

    async def load(self, journal: Journal) -> None:
        """See what there is, some at a time, so that others can read in between."""
        while await journal.read(self._page):
            pass

    def look(self, connection: Connection) -> None:
        """See what came since."""
        while self._page(connection):
            pass

    def _page(self, connection: Connection) -> bool:
        """See the next passages; returns whether there may be more."""
        newest = rows.newest(connection, "passage")
        last = min(self._seen + _PAGE, newest)
        if last <= self._seen:
            return False
        given = {"agent": self._scope.agent, "user": self._scope.user, "first": self._seen + 1, "last": last}
        for row, text, kind, event_time in connection.execute(_TEXTS, given):
            self._rows[_key(text, kind, event_time)] = row
        self._seen = last
        return last < newest

    def find(self, connection: Connection, keys: Iterable[bytes]) -> dict[bytes, There]:
        """Those of the keys that are known, as of the last look."""
        wanted = {self._rows[key]: key for key in keys if key in self._rows}
        if not wanted:
            return {}
        found = connection.execute(_FOUND, {"rows": list(wanted)})
        return {
            wanted[row.row]: There(row.id, row.document, tuple(row.tags), row.status != "active" or row.hidden)
            for row in found
        }


def _key(text: str, kind: str, event_time: str | None) -> bytes:
    return hashlib.blake2b(f"{kind}\0{event_time}\0{text}".encode(), digest_size=16).digest()
