"""How the app gets at its agent: it is opened after the first paint, since its modules take a while to import.

For the same reason the agent's own types are imported in this folder for type checkers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..runtime.agent import LiveAgent

OpenAgent = Callable[[], AbstractAsyncContextManager["LiveAgent"]]
"""Opens the agent when it is entered, and closes it when it is left. It is called after the first paint."""
