"""Whose memory it is: the agent, the user and the conversation that something belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

DEFAULT_AGENT = "main"
DEFAULT_CONVERSATION = "main"
DEFAULT_USER = "user"


@dataclass(frozen=True, slots=True)
class Scope:
    """An agent, one of its users and one of that user's conversations. Ids are stable; names are what people type."""

    agent: str
    """The agent's id, which is also its stream in the journal."""
    agent_name: str
    user: str
    """The user's name. Archive, log and the blocks of scope `user` are kept apart by it."""
    conversation: str
    conversation_name: str
    timezone: ZoneInfo
    """In which times are shown to the model and the user, and days are counted."""
