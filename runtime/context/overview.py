"""What takes how much of the window: counted here, with the provider's figure beside it where it differs."""

from __future__ import annotations

from dataclasses import dataclass

from .window import Window

SECTIONS = ("system", "tools", "core", "summary", "recalled", "messages")


@dataclass(frozen=True, slots=True)
class Overview:
    """Tokens by section. `free` is what is left of the usable window, and never below zero."""

    sections: tuple[tuple[str, int], ...]
    window: int
    reserve: int
    used: int
    free: int
    epoch: int
    counted: int | None
    """What was counted here of the last request that a provider has reported on."""
    reported: int | None
    """What the provider reported of it."""

    @property
    def difference(self) -> int | None:
        """How much more the provider counted than we did."""
        if self.reported is None or self.counted is None:
            return None
        return self.reported - self.counted


def overview_of(window: Window, reported: tuple[int, int] | None) -> Overview:
    """The overview of a window as it stands."""
    recalled = sum(entry.recalled for entry in window.entries)
    said = sum(entry.tokens for entry in window.entries) - recalled
    sizes = {**window.sections, "recalled": recalled, "messages": said}
    used = sum(sizes.values())
    return Overview(
        sections=tuple((name, sizes[name]) for name in SECTIONS),
        window=window.limits.window,
        reserve=window.limits.reserve,
        used=used,
        free=max(0, window.limits.usable - used),
        epoch=window.epoch.number if window.epoch is not None else 0,
        counted=reported[0] if reported else None,
        reported=reported[1] if reported else None,
    )
