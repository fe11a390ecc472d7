"""Conversations into a home, the way they come there: chunked or said, embedded, journalled, indexed.

A chat of a user with an assistant is held again, turn by turn, and is in the conversation log. What people said to one
another, or one said alone, is archived: an agent learns of it by being given it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from ..assembly import Home
from ..runtime.archive.archive import Archive
from ..runtime.archive.drafts import Draft, Prepared
from ..runtime.clock import ManualClock
from ..runtime.enter import enter
from ..runtime.journal.journal import Transaction
from ..runtime.scope import Scope
from .chat import hold
from .dataset import Talk

AGENT = "main"
ZONE = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Stored:
    """A conversation in a home."""

    talk: Talk
    scope: Scope
    """Whose memory it is part of."""
    keys: dict[str, str]
    """The keys of its turns, by the ids of the passages or messages that they became."""

    @property
    def end(self) -> datetime | None:
        """When the last of it was said."""
        return max((said.at for said in self.talk.said if said.at is not None), default=None)


async def ingest(home: Home, archive: Archive, clock: ManualClock, talk: Talk, user: str, conversation: str) -> Stored:
    """Make a conversation a user's memory, as passages or as messages. Raises DatasetError."""
    if talk.is_chat:
        return await _hold(home, archive, clock, talk, user, conversation)
    return await _archive(archive, clock, talk, user, conversation)


async def _hold(home: Home, archive: Archive, clock: ManualClock, talk: Talk, user: str, conversation: str) -> Stored:
    scope, keys = await hold(home, AGENT, talk, user, conversation, partial(set_clock, clock))
    await archive.embed_messages()
    return Stored(talk, scope, keys)


async def _archive(archive: Archive, clock: ManualClock, talk: Talk, user: str, conversation: str) -> Stored:
    """Each turn is a passage, or several if it is long."""
    scope = await enter(archive.journal, AGENT, user, conversation, ZONE, ())
    drafts = list(_drafts(talk))
    prepared = await archive.prepare([draft.text for draft in drafts])
    stored = Stored(talk, scope, {})
    set_clock(clock, stored.end)
    ids = iter(await archive.journal.write(partial(_add, archive, scope, drafts, prepared)))
    for said, ready in zip(talk.said, prepared, strict=True):
        stored.keys.update((next(ids), said.key) for _ in ready.chunks)
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
