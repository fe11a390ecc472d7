"""The second half of an erasure: what was taken out of the journal's rows is still in files, and leaves those now.

That it is under way is a fact of the home, written in the transaction that takes the texts out of the rows. It names no
content; so whoever opens the home next can complete an erasure that was cut off, and nothing is left of it then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, delete, select

from ..archive.archive import Archive
from ..archive.view import write_meta
from ..failpoint import reach
from ..journal import tables
from ..journal.journal import Journal, Transaction

UNDER_WAY = "erasure"
"""The key in `meta` of the ids of receipts whose erasures are under way."""


def begun(transaction: Transaction, receipts: Sequence[str]) -> None:
    """Say that files are to be cleaned, as part of the transaction that erases."""
    before = under_way(transaction.connection)
    write_meta(transaction.connection, UNDER_WAY, json.dumps([*before, *receipts]))


def under_way(connection: Connection) -> list[str]:
    """The ids of the receipts of erasures that are not completed."""
    table = tables.meta
    found = connection.execute(select(table.c.value).where(table.c.key == UNDER_WAY)).scalar()
    return list(json.loads(found)) if found else []


async def complete(journal: Journal, archive: Archive) -> list[str]:
    """Write the archive and the journal's file anew where an erasure is under way; returns the ids of its receipts.

    Raises ArchiveError or HomeError, and then it is still under way.
    """
    receipts = await journal.read(under_way)
    if not receipts:
        return []
    await archive.claim()
    reach("erasing.before_archive")
    await archive.renew()
    reach("erasing.before_compact")
    await journal.compact()
    reach("erasing.after_compact")

    def done(transaction: Transaction) -> None:
        table = tables.meta
        rest = [one for one in under_way(transaction.connection) if one not in receipts]
        if rest:
            write_meta(transaction.connection, UNDER_WAY, json.dumps(rest))
        else:
            transaction.connection.execute(delete(table).where(table.c.key == UNDER_WAY))

    await journal.write(done)
    reach("erasing.after_done")
    return receipts
