"""From the options of a command to what it works on: the settings, the home, its journal."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..runtime.config import Settings, load
from ..runtime.home import prepare, resolve

if TYPE_CHECKING:
    from ..runtime.journal.journal import Journal

DEFAULT_AGENT = "main"
DEFAULT_USER = "me"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command works, and with which settings."""

    home: Path
    settings: Settings

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return self.settings.user or DEFAULT_USER


def place(options: argparse.Namespace) -> Place:
    """The home that the options name, and the settings in force there. Nothing is made."""
    home = resolve(getattr(options, "home", None))
    given = {name: getattr(options, name, None) for name in ("model", "user")}
    return Place(home, load(home, options=given))


@contextlib.contextmanager
def journal_of(where: Place) -> Iterator[Journal]:
    """The journal of a home, which is made if there is none. Commands that read and edit need nothing more."""
    from ..runtime.clock import SystemClock
    from ..runtime.ids import RandomIds
    from ..runtime.journal.journal import Journal

    journal = Journal.open(prepare(where.home), clock=SystemClock(), ids=RandomIds())
    try:
        yield journal
    finally:
        journal.close()
