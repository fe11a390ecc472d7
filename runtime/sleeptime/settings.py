"""How memory work is set up."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from ..ageing.policy import Policy as Keeping
from .consolidating.state import Due
from .due import ELAPSED, MESSAGES, Check, any_of, elapsed, messages
from .reconcile import Policy

TIME_LIMIT = 120.0
"""Seconds that one piece of work may take."""


def usually_due() -> Check:
    """When work is due unless it is set otherwise."""
    return any_of(messages(MESSAGES), elapsed(ELAPSED))


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """What an agent's memory work goes by."""

    due: Check = field(default_factory=usually_due)
    policy: Policy = "preserve-history"
    keeping: Keeping = field(default_factory=Keeping)
    """How long passages are kept."""
    time_limit: float = TIME_LIMIT
    between: timedelta = timedelta(seconds=30)
    """How often it is looked whether what waits has waited long enough."""
    consolidated: Due = field(default_factory=Due)
    """When consolidation is due in the background."""
