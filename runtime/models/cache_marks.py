"""Cache breakpoints, for the providers that cache only up to where they are told to.

A mark is a key on a message, so that without marks the messages' bytes are the same in every request. Anthropic allows
four: one stands behind the head, one behind the user's last words, one at the end, from where the next step reads on.
"""

from __future__ import annotations

from collections.abc import Sequence

from .base import ChatMessage

MARK = "cache_control"


def wants_marks(model: str) -> bool:
    """Whether the model's provider caches by breakpoints: Anthropic's models, wherever they are served."""
    lowered = model.lower()
    return "claude" in lowered or "anthropic" in lowered


def mark(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Copies of `messages` with breakpoints on up to three of them; one without text cannot carry any."""
    wanted = {0, len(messages) - 1}
    wanted |= {max((i for i, message in enumerate(messages) if message["role"] == "user"), default=0)}
    return [
        {**message, MARK: {"type": "ephemeral"}} if i in wanted and message.get("content") else message
        for i, message in enumerate(messages)
    ]
