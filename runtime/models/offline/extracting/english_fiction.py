"""Which of a user's English messages are played: from the call for a scene until somebody steps out of it."""

from __future__ import annotations

import re

_PLAYS = re.compile(
    r"\brole-?play(?:ing)?\b|\blet(?:'s| us) (?:act out|improvise|do a scene)\b|\bpretend (?:that"
    r" )?(?:you|you're|we|we're|to be|I|I'm|im)\b"
    r"|\bstay in character\b",
    re.I,
)
_STEPS_OUT = re.compile(
    r"\bout of character\b|\booc\b|\b(?:end|stop|pause|enough) (?:of )?(?:the |this )?(?:scene"
    r"|role-?play(?:ing)?|game)\b"
    r"|\bbreak(?:ing)? character\b|\bback to (?:reality|real life|normal)\b|\bend scene\b",
    re.I,
)


class Stage:
    """Follows a dialogue, and knows whether it is played just now."""

    def __init__(self) -> None:
        self.played = False

    def own(self, text: str) -> str:
        """The part of a message that the user says as themselves."""
        begins = _PLAYS.search(text)
        if self.played:
            ends = _STEPS_OUT.search(text)
            self.played = ends is None
            return text[ends.end() :] if ends else ""
        if begins and not re.search(
            r"\b(?:don't|do not|never|no|hate|love|like|enjoy)\b[^.!?]*$", text[: begins.start()], re.I
        ):
            self.played = True
        return text
