"""The names of what scripts speak of as events: those of a turn's stream, and those of the journal."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, get_args

from ..runtime.journal.fold import HANDLERS
from ..runtime.stream import StreamEvent

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def _name(kind: type) -> str:
    """A class's name in snake case: `EpochStarted` is `epoch_started`."""
    return _WORD_START.sub("_", kind.__name__).lower()


STREAM: dict[str, tuple[str, ...]] = {
    _name(kind): tuple(field.name for field in dataclasses.fields(kind)) for kind in get_args(StreamEvent)
}
"""The events of a turn by name, each with its fields; `pagekeeper ask --json` names them so too."""

JOURNAL = tuple(HANDLERS)
"""The types of the journal's events, as in `crash: after turn.started`."""


def as_data(event: StreamEvent) -> dict[str, Any]:
    """An event by its name, with its fields as a script can write them."""
    fields = dataclasses.asdict(event)
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    return {"type": _name(type(event)), **listed}
