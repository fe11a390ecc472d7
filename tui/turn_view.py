"""Draws the events of a turn, and the stored log, into the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..runtime.stream import (
    ApprovalNeeded,
    CallFinished,
    CallStarted,
    Cited,
    EpochStarted,
    ReasoningShown,
    Recalled,
    ReplyDelta,
    RetryScheduled,
    StepStarted,
    StreamEvent,
    TurnEnded,
    TurnStarted,
    Warned,
)
from .calls import CallEntry
from .entries import (
    Entry,
    ForgottenEntry,
    Kind,
    NoticeEntry,
    RecalledEntry,
    ReplyEntry,
    RuleEntry,
    ThoughtEntry,
    UserEntry,
)
from .transcript import Transcript

if TYPE_CHECKING:
    from ..runtime.history import LoggedMessage

ENDINGS: dict[str, tuple[Kind, str]] = {
    "step_cap": ("warning", "The turn was ended: it took as many steps as a turn may have."),
    "no_progress": ("warning", "The turn was ended: the same call gave the same result three times."),
    "empty": ("warning", "The model gave neither text nor a call, also when asked again."),
    "cancelled": ("stopped", "stopped"),
    "interrupted": ("stopped", "interrupted"),
}
"""What is said of a turn that did not end with a reply."""


class TurnView:
    """Where the turn in progress stands in the transcript."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._reply: ReplyEntry | None = None
        self._thought: ThoughtEntry | None = None
        self._calls: dict[str, CallEntry] = {}
        self._step: list[Entry] = []
        """What was streamed in this step; a retry takes it back."""
        self._said = False
        self._begun = False

    def begin(self, text: str) -> None:
        """The user's words, when they are sent."""
        self._said, self._begun = False, True
        self._transcript.put(UserEntry(text))

    def show(self, event: StreamEvent) -> None:
        """Draw one event. Those that say nothing to a reader draw nothing."""
        match event:
            case TurnStarted(_, _, text) if not self._begun:
                self.begin(text)
            case Recalled(text, ids):
                self._transcript.put(RecalledEntry(text, len(ids)))
            case StepStarted():
                self._settle()
                self._step.clear()
            case ReplyDelta(text):
                self._say(text)
            case ReasoningShown(text):
                self._think(text)
            case RetryScheduled(attempt, wait, reason):
                self._take_back()
                words = f"asking again in {wait:.3g} s (attempt {attempt}): {reason}"
                self._transcript.put(NoticeEntry("warning", words))
            case ApprovalNeeded(call_id, name, arguments):
                self._call(call_id, name, arguments).state = "asking"
                self._transcript.touch(self._calls[call_id])
            case CallStarted(call_id, name, arguments):
                call = self._call(call_id, name, arguments)
                call.arguments, call.state = arguments, "running"
                self._transcript.touch(call)
            case CallFinished(call_id, name, result, error):
                call = self._call(call_id, name, "")
                call.finish(result, error=error)
                self._transcript.touch(call)
            case EpochStarted(_, reason, tokens) if reason == "compaction":
                self._settle()
                self._transcript.put(RuleEntry(f"older messages were summarised · {tokens:,} tokens now"))
            case Cited() if event.warning:
                self._settle()
                self._transcript.put(NoticeEntry("warning", event.warning))
            case Warned(text):
                self._transcript.put(NoticeEntry("warning", text))
            case TurnEnded():
                self._end(event)
            case _:
                pass

    def fail(self, error: Exception) -> None:
        """The turn, or opening the agent, raised."""
        self._settle(partial=True)
        self._transcript.put(error_entry(error))

    def _say(self, text: str) -> None:
        self._thought = None
        if self._reply is None:
            self._reply = ReplyEntry(live=True)
            self._step.append(self._reply)
            self._transcript.put(self._reply)
        self._said = True
        self._transcript.grow(self._reply, text)

    def _think(self, text: str) -> None:
        if self._thought is None:
            self._settle()
            self._thought = ThoughtEntry()
            self._step.append(self._thought)
            self._transcript.put(self._thought)
        self._transcript.grow(self._thought, text)

    def _call(self, call_id: str, name: str, arguments: str) -> CallEntry:
        self._settle()
        if call_id not in self._calls:
            self._calls[call_id] = CallEntry(call_id, name, arguments)
            self._transcript.put(self._calls[call_id])
        return self._calls[call_id]

    def _settle(self, *, partial: bool = False) -> None:
        """The reply so far is whole: it becomes Markdown."""
        self._transcript.flush()
        self._thought = None
        reply, self._reply = self._reply, None
        if reply is not None:
            reply.finish(partial=partial)
            self._transcript.touch(reply)

    def _take_back(self) -> None:
        """What was streamed in this step is void."""
        self._transcript.flush()
        for entry in self._step:
            self._transcript.take_out(entry)
        self._step.clear()
        self._reply = self._thought = None

    def _end(self, event: TurnEnded) -> None:
        self._begun = False
        self._settle(partial=event.reason in ("cancelled", "interrupted", "error"))
        if event.text.strip() and not self._said:
            self._transcript.put(ReplyEntry(event.text))
        if event.reason == "error":
            self._transcript.put(NoticeEntry("error", event.error or "The turn failed."))
        elif event.reason in ENDINGS:
            kind, words = ENDINGS[event.reason]
            self._transcript.put(NoticeEntry(kind, event.error or words))
        for call in self._calls.values():
            if call.state in ("asking", "running"):
                call.state = "lost"
                self._transcript.touch(call)
        self._calls.clear()


def error_entry(error: Exception) -> NoticeEntry:
    """An error in its own words, with its hint."""
    message = getattr(error, "message", "") or str(error) or type(error).__name__
    if not hasattr(error, "hint"):
        message = f"{type(error).__name__}: {message}"
    return NoticeEntry("error", message, getattr(error, "hint", ""))


def entries_of(messages: Sequence[LoggedMessage]) -> list[Entry]:
    """The stored log, oldest first, as it looked when it happened."""
    entries: list[Entry] = []
    calls: dict[str, CallEntry] = {}
    for message in messages:
        if message.role == "user":
            entries.append(UserEntry(message.text))
            entries += filter(None, map(_note_entry, message.notes))
        elif message.role == "assistant":
            if message.text.strip():
                entries.append(ReplyEntry(message.text, partial=message.partial))
            for call in message.calls:
                entry = calls[call.call_id] = CallEntry(call.call_id, call.name, call.arguments)
                entry.state = "lost"
                entries.append(entry)
        elif message.role == "tool" and message.call_id in calls:
            calls[message.call_id].finish(message.text, error=message.text.startswith("Error: "))
        if message.withheld:
            entries.append(ForgottenEntry())
    return entries


def _note_entry(note: str) -> Entry | None:
    """What was recalled with a message. Other notes tell the model what the panel shows the user."""
    found = sum(line.startswith(("- [p-", "- [m-")) for line in note.split("\n"))
    return RecalledEntry(note, found) if found else None
