"""What the transcript shows of the conversation's log: the newest of it, what is older, and what was said elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..runtime.stream import StreamEvent, TurnEnded, TurnStarted
from .entries import NoticeEntry, RuleEntry
from .input_history import InputHistory
from .transcript import Transcript
from .turn_view import entries_of

if TYPE_CHECKING:
    from ..runtime.agent import LiveAgent
    from ..runtime.history import LoggedMessage

PAGE = 200
"""Messages of the log that are read at once."""


class LogView:
    """Brings messages of the log into the transcript, and what the user said in them into the history of inputs.

    `busy` tells whether a turn is being shown as it happens.
    """

    def __init__(self, transcript: Transcript, inputs: InputHistory, busy: Callable[[], bool]) -> None:
        self._transcript = transcript
        self._inputs = inputs
        self._busy = busy
        self._oldest: int | None = None
        """The ordinal of the oldest message that is shown; None where there is none before it, or it is being read."""
        self._last = 0
        """The ordinal of the newest message that is shown, or that was when it was said here."""
        self._own_turns: set[str | None] = set()
        """The turns behind `_last` that were shown as they happened."""
        self._withheld: set[int] = set()
        """The ordinals of the shown messages that are marked as forgotten."""

    async def begin(self, session: LiveAgent) -> None:
        """Show the newest messages."""
        messages = await session.history(limit=PAGE)
        self._last = messages[-1].ordinal if messages else 0
        self._withheld = _withheld(messages)
        self._put_above(messages)
        self._seed(messages)

    async def renew(self, session: LiveAgent) -> None:
        """Show the newest messages as they are now, and nothing else: what was erased stands nowhere any more."""
        self._transcript.flush()
        self._transcript.replace_all([])
        self._own_turns.clear()
        await self.begin(session)

    async def go_back(self, session: LiveAgent) -> None:
        """Show those before the oldest that is shown."""
        before, self._oldest = self._oldest, None
        if before is not None:
            messages = await session.history(limit=PAGE, before=before)
            self._put_above(messages)
            self._seed(messages)

    def happened(self, event: StreamEvent) -> None:
        """Know that the turn of an event is shown as it happens."""
        if isinstance(event, TurnStarted | TurnEnded):
            self._own_turns.add(event.turn)

    async def catch_up(self, session: LiveAgent) -> None:
        """Show what was said elsewhere since, and mark what was forgotten."""
        messages = await session.news(self._last)
        if messages:
            others = [message for message in messages if message.turn not in self._own_turns]
            self._last = messages[-1].ordinal
            self._own_turns.difference_update(message.turn for message in messages)
            if others:
                self._transcript.put(RuleEntry("said elsewhere"), *entries_of(others))
        await self._mark_forgotten(session)

    async def _mark_forgotten(self, session: LiveAgent) -> None:
        """Show the log anew where something in it was forgotten, or brought back; what the app said itself stays."""
        messages = [message for message in await session.history(limit=PAGE) if message.ordinal <= self._last]
        withheld = _withheld(messages)
        if withheld == self._withheld & {message.ordinal for message in messages} or self._busy():
            return
        self._withheld = withheld
        notices = [item for item in self._transcript.items if type(item) is NoticeEntry and item.kind == "info"]
        self._transcript.flush()
        self._transcript.replace_all([])
        self._put_above(messages)
        self._transcript.put(*notices)

    def _put_above(self, messages: Sequence[LoggedMessage]) -> None:
        self._transcript.put_above(entries_of(messages))
        self._oldest = messages[0].ordinal if len(messages) == PAGE else None

    def _seed(self, messages: Sequence[LoggedMessage]) -> None:
        self._inputs.seed([message.text for message in messages if message.role == "user"])


def _withheld(messages: Sequence[LoggedMessage]) -> set[int]:
    return {message.ordinal for message in messages if message.withheld}
