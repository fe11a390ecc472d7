"""The transcript: the conversation's entries, anchored to its end until the reader scrolls up."""

from __future__ import annotations

from textual.message import Message

from .calls import CallEntry
from .entries import Entry, RecalledEntry, ReplyEntry, ThoughtEntry
from .strip_view import StripView

Growing = ReplyEntry | ThoughtEntry


class Transcript(StripView):
    """A StripView of entries. What streams in is drawn in batches."""

    BATCH = 0.05
    """Seconds between two drawings of what streams in."""

    class ReachedTop(Message):
        """The reader wants older entries."""

    class Released(Message):
        """The view follows the end no longer, or does so again."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.follows = True
        self._waiting: Growing | None = None

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

    def grow(self, entry: Growing, delta: str) -> None:
        """Add to what the model says or thinks; it is drawn within BATCH seconds."""
        entry.append(delta)
        if self._waiting is not entry:
            self.flush()
            self._waiting = entry
            self.set_timer(self.BATCH, self.flush)

    def flush(self) -> None:
        """Draw what came since the last time."""
        entry, self._waiting = self._waiting, None
        if entry is not None:
            self.touch(entry)

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._set_follows(True)
        self._changed()

    def _set_follows(self, follows: bool) -> None:
        if follows != self.follows:
            self.follows = follows
            self.post_message(self.Released())

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
            self._set_follows(new_value >= self.max_scroll_y)
            if new_value <= 0 < old_value:
                self.post_message(self.ReachedTop())
        super().watch_scroll_y(old_value, new_value)


def close(above: object, entry: Entry) -> None:
    """What the agent does between its words stands together, apart from them."""
    if isinstance(entry, CallEntry | ThoughtEntry):
        entry.gap = 0 if isinstance(above, CallEntry | ThoughtEntry | RecalledEntry) else 1
