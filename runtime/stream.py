"""The typed events of a turn, as `agent.stream()` yields them to a program or to the TUI."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from .models.base import Usage

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")

EndReason = Literal["done", "step_cap", "no_progress", "empty", "cancelled", "interrupted", "error"]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The turn holds its conversation's lock, and the user's words are in the log."""

    turn: str
    input: str
    text: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was recalled before the turn, as it stands in the `<memory>` note."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The model is asked; `tokens` is the request's size as counted here."""

    step: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningShown:
    """A piece of what the model thinks aloud."""

    text: str


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """The model is asked again after `wait` seconds because of `reason`. Text streamed in this step is void."""

    attempt: int
    wait: float
    reason: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool runs. `arguments` is the JSON text as it will run (repaired, if it was)."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A tool's result, as the model reads it. `error` says that it failed; then nothing was changed."""

    call_id: str
    name: str
    result: str
    error: bool


@dataclass(frozen=True, slots=True)
class ApprovalNeeded:
    """A person must decide whether the call runs: `agent.approve(call_id, True or False)`."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class BlockChanged:
    """A block of core memory was changed. `value` is None where it was deleted."""

    label: str
    revision: int
    value: str | None
    writer: str


@dataclass(frozen=True, slots=True)
class EpochStarted:
    """The head of the window was compiled anew; with reason `compaction` old messages became a summary."""

    number: int
    reason: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that did not stop the turn, and that the user should know: a failed recall, a failed summary."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """The reply names memories: those that there are by their whole ids, and as it wrote them those that there are not.

    What is among `ids` counts as used. An `unknown` one is a source that does not exist.
    """

    ids: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def warning(self) -> str:
        """What a reader should know; empty where all of them are there."""
        if not self.unknown:
            return ""
        return f"The reply cites {', '.join(f'[{one}]' for one in self.unknown)}, and there is no such memory."


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `text` is the whole reply; with reason `error`, `error` holds what went wrong."""

    turn: str
    reason: EndReason
    text: str
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    steps: int = 0
    data: dict[str, Any] = field(default_factory=dict)


StreamEvent = (
    TurnStarted
    | Recalled
    | StepStarted
    | ReplyDelta
    | ReasoningShown
    | RetryScheduled
    | CallStarted
    | CallFinished
    | ApprovalNeeded
    | BlockChanged
    | EpochStarted
    | Warned
    | Cited
    | TurnEnded
)


def name_of(kind: type) -> str:
    """An event's type in snake case, as programs and scripts name it: `EpochStarted` is `epoch_started`."""
    return _WORD_START.sub("_", kind.__name__).lower()


def as_data(event: StreamEvent) -> dict[str, Any]:
    """An event as JSON has it: its name as `type`, then its fields."""
    fields = dataclasses.asdict(event)
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    return {"type": name_of(type(event)), **listed}
