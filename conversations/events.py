"""The names of what scripts speak of as events: those of a turn's stream, and those of the journal."""

from __future__ import annotations

import dataclasses
from typing import get_args

from ..runtime.journal.fold import HANDLERS
from ..runtime.stream import StreamEvent, name_of

STREAM: dict[str, tuple[str, ...]] = {
    name_of(kind): tuple(field.name for field in dataclasses.fields(kind)) for kind in get_args(StreamEvent)
}
"""The events of a turn by name, each with its fields; `pagekeeper ask --json` names them so too."""

JOURNAL = tuple(HANDLERS)
"""The types of the journal's events, as in `crash: after turn.started`."""
