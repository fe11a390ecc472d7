"""Events of archived passages."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from ..events import Event

HANDLERS: dict[str, Callable[[Connection, Event], None]] = {}
