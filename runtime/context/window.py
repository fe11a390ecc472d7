"""The window of one conversation: the current epoch and its messages, kept in step with the journal.

The window changes in one way only: `catch_up` reads what the journal has that it has not. So it is right whoever wrote,
and after a cancelled commit as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from ..core.memory import CoreMemory
from ..core.view import look
from ..journal import tables
from ..journal.fold import conversations, passages
from ..journal.fold.rows import current
from ..journal.journal import last_seq
from ..journal.statement import Statement
from ..models.base import ChatMessage, ModelRequest
from ..scope import Scope
from ..text import escape
from .entries import OVERHEAD, Entry, make_entry
from .limits import Limits
from .parts import Manner
from .tokens import TokenCounter

events, messages, epochs, withheld = tables.events, tables.messages, tables.epochs, tables.withheld

_MANY = 1_000
"""So many events are not looked at one by one."""
_MESSAGES = {"turn.started", "model.replied", "call.result", "note.added"}
"""The events by which a conversation's messages change."""
_EDITS = {"block.created", "block.edited"}
"""The events by which core memory changes, and no epoch ends."""

_SINCE = Statement(
    select(events.c.seq, events.c.type, events.c.conversation)
    .where(events.c.stream == bindparam("stream"), events.c.seq > bindparam("since"))
    .order_by(events.c.seq)
    .limit(_MANY + 1)
)
_EPOCH = select(epochs).where(epochs.c.conversation == bindparam("conversation"), current(epochs))
_OURS = select(messages).where(messages.c.conversation == bindparam("conversation"), current(messages))
_FROM = _OURS.where(messages.c.ordinal >= bindparam("first")).order_by(messages.c.ordinal)
_LEAD = _OURS.where(messages.c.ordinal == bindparam("ordinal"))
_NEW = Statement(
    _OURS.where(messages.c.stream == bindparam("stream"), messages.c.from_seq > bindparam("since")).order_by(
        messages.c.ordinal
    )
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What an epoch is compiled for; when it changes, a new epoch starts."""

    model: str
    system: str
    tools: tuple[dict[str, Any], ...]

    def sizes(self, counter: TokenCounter) -> tuple[int, int]:
        """Tokens of the system text and of the tools."""
        tools = sum(counter.count(json.dumps(tool, ensure_ascii=False)) for tool in self.tools)
        return counter.count(self.system) + OVERHEAD, tools


class Window:
    """What the model sees of a conversation."""

    def __init__(self, scope: Scope, setting: Setting, limits: Limits, core: CoreMemory, counter: TokenCounter) -> None:
        self.scope = scope
        self.setting = setting
        self.limits = limits
        self.core = core
        self.counter = counter
        self.epoch: Row[Any] | None = None
        self.entries: list[Entry] = []
        self.total = 0
        """Tokens of the whole request."""
        self.appended = 0
        """Tokens of the values and changes of blocks that came after the head."""
        self.sent = 0
        """The newest message that has been in a request; what it says can no longer change."""
        self.new_blocks: list[Any] = []
        self._loaded = 0
        self._system: ChatMessage = {}
        system, tools = setting.sizes(counter)
        self.sections = {"system": system, "tools": tools, "core": 0, "summary": 0}

    def _manner(self, ordinal: int) -> Manner:
        """How a message is rendered in this epoch."""
        epoch, part = self.epoch, self.limits.part
        if epoch is None or ordinal >= epoch.boundary:
            return Manner(part)
        cap = part if ordinal >= epoch.cut else min(part, epoch.cap)
        return Manner(cap, old=True, resident=epoch.resident, bare=ordinal < epoch.bare)

    @property
    def fresh(self) -> bool:
        """Whether the epoch's head still says what it should."""
        epoch, setting = self.epoch, self.setting
        return (
            epoch is not None
            and not epoch.reason.startswith("stale")
            and epoch.model == setting.model
            and epoch.system == setting.system
            and epoch.tools == list(setting.tools)
        )

    def catch_up(self, connection: Connection) -> None:
        """Read what the journal has that the window has not."""
        where = {"stream": self.scope.agent, "since": self._loaded}
        since = _SINCE.all(connection, where) if self._loaded else []
        if not self._loaded or len(since) > _MANY:
            newest = last_seq(connection, self.scope.agent)
            self._load(connection, self._read_epoch(connection))
            self.new_blocks += self.core.refresh(connection, newest)
            self._loaded = newest
        elif since:
            self._follow(connection, since)
            self._loaded = since[-1].seq

    def _follow(self, connection: Connection, since: Sequence[Any]) -> None:
        """Take up what these events have changed."""
        mine = {row.type for row in since if row.conversation == self.scope.conversation}
        rest = {row.type for row in since} - conversations.HANDLERS.keys() - passages.HANDLERS.keys()
        epoch = self._read_epoch(connection) if "epoch.started" in mine or rest - _EDITS else self.epoch
        if epoch is None or self.epoch is None or epoch.row != self.epoch.row:
            self._load(connection, epoch)
        elif mine & _MESSAGES:
            self._extend(connection)
        if rest:
            self.new_blocks += self.core.refresh(connection, since[-1].seq)

    def reset(self) -> None:
        """Read everything anew at the next `catch_up`: what was read may have been undone with its transaction."""
        self._loaded = 0
        self.epoch = None
        self.new_blocks = []
        self.core.reset()

    def _read_epoch(self, connection: Connection) -> Row[Any] | None:
        return connection.execute(_EPOCH, {"conversation": self.scope.conversation}).one_or_none()

    def _load(self, connection: Connection, epoch: Row[Any] | None) -> None:
        """Take up an epoch: all messages from its first one on, and the one that leads them."""
        self.epoch = epoch
        self.entries = []
        self.appended = 0
        self.core.view.clear()
        if epoch is not None:
            self.core.view.update(epoch.resident)
        self._set_system(epoch)
        first, lead = (epoch.first, epoch.lead) if epoch is not None else (0, 0)
        where = {"conversation": self.scope.conversation, "first": first}
        rows = list(connection.execute(_FROM, where).all())
        if lead and lead < first:
            where = {"conversation": self.scope.conversation, "ordinal": lead}
            rows = [*connection.execute(_LEAD, where).all(), *rows]
        self._take(rows, self._hidden(connection, [row.id for row in rows]))

    def _extend(self, connection: Connection) -> None:
        """Take up what is new in this epoch. Only a note of a message that is here can be withheld by then."""
        scope = self.scope
        where = {"stream": scope.agent, "conversation": scope.conversation, "since": self._loaded}
        rows = _NEW.all(connection, where)
        last = self.entries[-1].ordinal if self.entries else 0
        known = [row.id for row in rows if row.ordinal <= last]
        self._take(rows, self._hidden(connection, known) if known else {})

    def _take(self, rows: Sequence[Row[Any]], hidden: dict[str, set[int | None]]) -> None:
        for row in rows:
            while self.entries and self.entries[-1].ordinal >= row.ordinal:
                # A note was added to it: it is the newest, and was in no request yet.
                gone = self.entries.pop()
                self.total -= gone.tokens
                self.appended -= gone.shown
            entry = make_entry(row, hidden.get(row.id, set()), self.counter, self._manner(row.ordinal))
            self.entries.append(entry)
            self.total += entry.tokens
            self.appended += entry.shown
            if not entry.old:
                look(self.core.view, entry.parts)

    def _hidden(self, connection: Connection, ids: list[str]) -> dict[str, set[int | None]]:
        """What of these messages is withheld."""
        found: dict[str, set[int | None]] = {}
        for start in range(0, len(ids), 500):
            query = select(withheld.c.item, withheld.c.part).where(
                withheld.c.item.in_(ids[start : start + 500]), current(withheld)
            )
            for row in connection.execute(query).all():
                found.setdefault(row.item, set()).add(row.part)
        return found

    def _set_system(self, epoch: Row[Any] | None) -> None:
        text = self.setting.system if epoch is None else epoch.system
        head = epoch.head if epoch is not None else ""
        summary = render_summary(epoch.summary) if epoch is not None and epoch.summary else ""
        self._system = {"role": "system", "content": "\n\n".join(piece for piece in (text, head, summary) if piece)}
        count = self.counter.count
        self.sections = {
            "system": count(text) + OVERHEAD,
            "tools": self.sections["tools"],
            "core": count(head),
            "summary": count(summary),
        }
        self.total = sum(self.sections.values())

    def request(self) -> ModelRequest:
        """The request as it stands. What it holds is now fixed until the next epoch."""
        if self.entries:
            self.sent = self.entries[-1].ordinal
        sent = (self._system, *(entry.chat for entry in self.entries))
        return ModelRequest(sent, self.setting.tools, self.limits.reserve)

    def shown_ids(self) -> set[str]:
        """The ids of the messages in the window, and of the memories that were recalled into it."""
        return {one for entry in self.entries for one in (entry.id, *entry.recalled_ids)}

    @property
    def unsent(self) -> Entry | None:
        """The newest message, if it can still take a note."""
        if self.entries and self.entries[-1].ordinal > self.sent and self.entries[-1].role in ("user", "tool"):
            return self.entries[-1]
        return None

    def told(self, kind: str) -> bool:
        """Whether a note of this kind is among the messages of this epoch."""
        return any(
            part["type"] == "note" and part["kind"] == kind
            for entry in self.entries
            if not entry.old
            for part in entry.parts
        )


def render_summary(summary: str) -> str:
    """The summary as it stands in the system message."""
    return f"<summary>\n{escape(summary)}\n</summary>"
