"""The transcript: the conversation's entries, anchored to its end until the reader scrolls up."""

from __future__ import annotations

from textual.message import Message

from .calls import CallEntry
from .entries import Entry, RecalledEntry, ReplyEntry, ThoughtEntry
from .strip_view import StripView


class Transcript(StripView):
    """A StripView of entries. New text of the live reply is drawn in batches."""

    BATCH = 0.05
    """Seconds between two drawings of the live reply."""

    class ReachedTop(Message):
        """The reader wants older entries."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.follows = True
        self._waiting: ReplyEntry | None = None

    def put(self, *entries: Entry) -> None:
        """Add entries at the end, calls and notices close to each other."""
        self.flush()
        last = self.items[-1] if self.items else None
        for entry in entries:
            close(last, entry)
            last = entry
        self.add(*entries)

    def put_above(self, entries: list[Entry]) -> None:
        """Add older entries."""
        for above, below in zip([None, *entries], entries, strict=False):
            close(above, below)
        self.add_above(entries)

    def grow(self, reply: ReplyEntry, delta: str) -> None:
        """Add to a live reply; it is drawn within BATCH seconds."""
        reply.append(delta)
        if self._waiting is None:
            self._waiting = reply
            self.set_timer(self.BATCH, self.flush)

    def flush(self) -> None:
        """Draw what the live reply has gained."""
        reply, self._waiting = self._waiting, None
        if reply is not None:
            self.touch(reply)

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.follows = True
        self._changed()

    @property
    def calls(self) -> list[CallEntry]:
        return [item for item in self.items if isinstance(item, CallEntry)]

    def fold_all(self, folded: bool) -> None:
        """Open or close all calls."""
        calls = self.calls
        for call in calls:
            call.folded = folded
        self.touch(*calls)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if not self._settling:
            self.follows = new_value >= self.max_scroll_y
            if new_value <= 0 < old_value:
                self.post_message(self.ReachedTop())
        super().watch_scroll_y(old_value, new_value)


def close(above: object, entry: Entry) -> None:
    """What the agent does between its words stands together, apart from them."""
    if isinstance(entry, CallEntry | ThoughtEntry):
        entry.gap = 0 if isinstance(above, CallEntry | ThoughtEntry | RecalledEntry) else 1
