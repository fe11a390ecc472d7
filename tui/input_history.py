"""What was typed before, for the Up and Down keys."""

from __future__ import annotations


class InputHistory:
    """The inputs, oldest first, and where the reader stands among them. What was being typed is kept as the newest."""

    def __init__(self) -> None:
        self._entries: list[str] = []
        self._at = 0
        self._draft = ""

    def seed(self, entries: list[str]) -> None:
        """Put older inputs before those of this session."""
        self._entries[:0] = entries
        self._at += len(entries)

    def clear(self) -> None:
        """Know nothing any more."""
        self._entries, self._at, self._draft = [], 0, ""

    def add(self, text: str) -> None:
        """Remember an input, and stand at the end again."""
        if not self._entries or self._entries[-1] != text:
            self._entries.append(text)
        self._at = len(self._entries)
        self._draft = ""

    def older(self, current: str) -> str | None:
        """The input before; `current` is what stands in the prompt now. None where there is none."""
        if self._at == 0:
            return None
        if self._at == len(self._entries):
            self._draft = current
        self._at -= 1
        return self._entries[self._at]

    def newer(self) -> str | None:
        """The input after, and last what was being typed. None where there is none."""
        if self._at >= len(self._entries):
            return None
        self._at += 1
        return self._draft if self._at == len(self._entries) else self._entries[self._at]
