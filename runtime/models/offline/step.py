"""One step of a turn: what the acts of the user's words still want done, and what there is to say when all is done.

A model remembers nothing between two steps. Each step is worked out anew from the request: which of its own calls were
made in this turn already, and what came of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..base import RequestedCall
from .phrasebook import Phrasebook


@dataclass(slots=True)
class Step:
    """Calls to make now, or else lines to say."""

    calls: list[RequestedCall] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def call(self, name: str, **arguments: Any) -> None:
        """Ask for a tool; the same call is asked for once."""
        wanted = RequestedCall(name, json.dumps(arguments, ensure_ascii=False, sort_keys=True))
        if wanted not in self.calls:
            self.calls.append(wanted)

    def say(self, book: Phrasebook, key: str, **values: str) -> None:
        """Say a line of the phrasebook; the same line is said once."""
        line = book.say(key, **values)
        if line not in self.lines:
            self.lines.append(line)
