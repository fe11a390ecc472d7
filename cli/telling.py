"""How one turn is told on the command line: the reply on stdout, or its events as JSON lines; the rest on stderr."""

from __future__ import annotations

import json

from ..runtime import stream
from .output import complain, note, show, show_json

_SHORT = 160
"""The most characters of a call's arguments or result that one line on stderr shows."""

_ENDS = {
    "step_cap": "the turn reached its step cap before the agent was done",
    "no_progress": "the agent repeated itself, so the turn was ended",
    "empty": "the model gave neither text nor a call",
    "cancelled": "the turn was cancelled; what had come is kept",
    "interrupted": "the turn was interrupted; `pagekeeper resume --retry` runs it again",
}


class JsonTeller:
    """Tells every event as a line of JSON on stdout."""

    def tell(self, event: stream.StreamEvent) -> None:
        """Print one event."""
        show_json(stream.as_data(event))


class Teller:
    """Tells the reply on stdout as it comes, and what the agent does meanwhile on stderr."""

    def __init__(self, *, quoting: bool = False) -> None:
        self._quoting = quoting
        """Whether the user's words are shown too."""
        self._told = ""
        """What of the reply stands on stdout, or its end."""

    def tell(self, event: stream.StreamEvent) -> None:
        """Print what a reader wants to know of one event."""
        match event:
            case stream.ReplyDelta(text):
                show(text, end="")
                self._told = (self._told + text)[-1:]
            case stream.TurnStarted(_, _, text) if self._quoting:
                note(f"> {_short(text)}")
            case stream.StepStarted():
                self._end_line()
            case stream.RetryScheduled(attempt, wait, reason):
                self._end_line()
                note(f"[retry {attempt} in {wait:.1f} s: {_short(reason)}]")
            case stream.CallStarted(_, name, arguments):
                self._end_line()
                note(f"[{name} {_short(arguments)}]")
            case stream.CallFinished(_, name, result, error) if error:
                note(f"[{name} failed: {_short(result)}]")
            case stream.Recalled(_, ids):
                note(f"[recalled {len(ids)} {'memory' if len(ids) == 1 else 'memories'}]")
            case stream.EpochStarted(_, "compaction", tokens):
                note(f"[older messages became a summary; the window now holds {tokens:,} tokens]")
            case stream.Warned(text):
                note(f"pagekeeper: warning: {text}")
            case stream.Cited() if event.warning:
                self._end_line()
                note(f"pagekeeper: warning: {event.warning}")
            case stream.TurnEnded(_, reason, _, error):
                self._end_line()
                if reason == "error":
                    complain(error)
                elif reason in _ENDS:
                    complain(_ENDS[reason])

    def _end_line(self) -> None:
        if self._told and self._told != "\n":
            show("")
        self._told = ""


def _short(text: str) -> str:
    """`text` on one line, and not too long. JSON is shown as people write it."""
    try:
        text = json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        text = " ".join(text.split())
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"
