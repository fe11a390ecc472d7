"""A home with an archive, as the tests of the archive need it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.query import Hit, Query
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.ids import Ids, RandomIds
from pagekeeper.runtime.journal.journal import Journal, Transaction
from pagekeeper.runtime.scope import Scope
from pagekeeper.tests.support.embedding import HashEmbedder


def scope(agent: str = "ag-1", user: str = "me", conversation: str = "cv-1", zone: str = "UTC") -> Scope:
    """A scope without an agent behind it: the archive asks for none."""
    return Scope(agent, "ada", user, conversation, "main", ZoneInfo(zone))


class Home:
    """A journal, and archives on it."""

    def __init__(self, path: Path, ids: Ids | None = None, start: datetime | None = None) -> None:
        path.mkdir(exist_ok=True)
        self.path = path
        self.clock = ManualClock(start)
        self.journal = Journal.open(path, clock=self.clock, ids=ids or RandomIds())
        self.embedder = HashEmbedder()

    @contextlib.asynccontextmanager
    async def archive(self, **options: Any) -> AsyncIterator[Archive]:
        """Another opening of the home's archive, as another process would have it; nothing runs in the background."""
        given: dict[str, Any] = {"background": False, "clock": self.clock, **options}
        archive = await Archive.open(self.journal, given.pop("embedder", self.embedder), **given)
        try:
            yield archive
        finally:
            await archive.close()

    async def say(self, where: Scope, *texts: str, role: str = "user") -> list[str]:
        """Put messages into the log of a conversation, which is made if it is new."""

        def work(tx: Transaction) -> list[str]:
            known = tx.connection.exec_driver_sql(
                "SELECT 1 FROM conversations WHERE id = ?", (where.conversation,)
            ).first()
            context: dict[str, Any] = {"stream": where.agent, "conversation": where.conversation}
            if not known:
                tx.append(
                    "conversation.created",
                    {"id": where.conversation, "name": where.conversation_name, "user": where.user},
                    writer="system",
                    **context,
                )
            out = []
            for text in texts:
                message_id = tx.ids.new("message")
                message = {"id": message_id, "parts": [{"type": "text", "text": text}]}
                if role == "user":
                    payload = {"message": message, "input": "in-none", "owner": "ow-none", "text": text}
                    tx.append("turn.started", payload, writer="user", turn=tx.ids.new("turn"), **context)
                else:
                    tx.append("model.replied", {"message": message}, writer="agent", **context)
                out.append(message_id)
            return out

        return await self.journal.write(work)


async def put(archive: Archive, where: Scope, drafts: Sequence[Draft | str]) -> list[str]:
    """Archive drafts the way a tool does."""
    made = [Draft(draft) if isinstance(draft, str) else draft for draft in drafts]
    prepared = await archive.prepare([draft.text for draft in made])
    return await archive.journal.write(lambda tx: archive.add(tx, where, made, prepared))


async def texts(archive: Archive, where: Scope, question: str, **conditions: Any) -> list[str]:
    """The texts of the results, best first."""
    return [hit.text for hit in await find(archive, where, question, **conditions)]


async def find(archive: Archive, where: Scope, question: str, **conditions: Any) -> list[Hit]:
    return await archive.search(Query(where, question, **conditions))
