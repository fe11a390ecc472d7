"""Conversations into a home's archive, the way anything is archived: chunked, embedded, journalled, indexed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from ..runtime.archive.archive import Archive
from ..runtime.archive.passages import Draft, Prepared
from ..runtime.clock import ManualClock
from ..runtime.enter import enter
from ..runtime.journal.journal import Transaction
from ..runtime.scope import Scope
from .dataset import Talk

AGENT = "main"
ZONE = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Stored:
    """A conversation in the archive."""

    talk: Talk
    scope: Scope
    """Whose memory it is part of."""
    passages: dict[str, str]
    """The keys of its turns, by the ids of the passages that they became."""

    @property
    def end(self) -> datetime | None:
        """When the last of it was said."""
        return max((said.at for said in self.talk.said if said.at is not None), default=None)


async def ingest(archive: Archive, clock: ManualClock, talk: Talk, user: str, conversation: str) -> Stored:
    """Archive a conversation as a user's memory. Each turn is a passage, or several if it is long."""
    scope = await enter(archive.journal, AGENT, user, conversation, ZONE, ())
    drafts = list(_drafts(talk))
    prepared = await archive.prepare([draft.text for draft in drafts])
    stored = Stored(talk, scope, {})
    set_clock(clock, stored.end)
    ids = iter(await archive.journal.write(partial(_add, archive, scope, drafts, prepared)))
    for said, ready in zip(talk.said, prepared, strict=True):
        stored.passages.update((next(ids), said.key) for _ in ready.chunks)
    return stored


def set_clock(clock: ManualClock, moment: datetime | None) -> None:
    """Have it be `moment`, where that is known."""
    if moment is not None:
        clock.advance(moment - clock.now())


def _add(
    archive: Archive, scope: Scope, drafts: Sequence[Draft], prepared: Sequence[Prepared], tx: Transaction
) -> list[str]:
    return archive.add(tx, scope, drafts, prepared, writer="user")


def _drafts(talk: Talk) -> Iterator[Draft]:
    for ordinal, said in enumerate(talk.said, 1):
        yield Draft(
            said.text,
            kind="episode",
            event_time=said.at,
            speaker=said.speaker,
            session=said.session,
            ordinal=ordinal,
            location=said.location,
        )
