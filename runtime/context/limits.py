"""The arithmetic of the window: how many tokens each section may take."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ConfigError, WindowTooSmall

FIXED_SHARE = 0.40
"""Of the usable window: the most that system text, tools and a full head may take together."""
CORE_SHARE = 0.20
"""Of the window: the core budget, unless one is set."""
TABLE_SHARE = 0.25
"""Of the core budget: what the page table may take beside it."""
PRESSURE_SHARE = 0.70
"""Of the usable window: where the model is told that it fills up."""
COMPACT_SHARE = 0.90
"""Of the usable window: where old messages become a summary."""
TARGET_SHARE = 0.50
"""Of the usable window: where a compaction must end, the summary included."""
PART_SHARE = 0.20
"""Of the usable window: the most that one part of a message may take."""
RECALL_SHARE = 0.06
"""Of the usable window: the most that one note of recall may take."""

HEAD_LINES = 40
"""Tokens of the head that are no block's: the day and the markers around the blocks. The core budget holds them."""

_SMALLEST_CORE = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits of one window, in tokens."""

    window: int
    reserve: int
    """Kept free for the reply."""
    core: int
    """The core budget: what the resident blocks and the lines around them may take in the head."""

    @property
    def usable(self) -> int:
        return self.window - self.reserve

    @property
    def table(self) -> int:
        """What the page table may take."""
        return int(self.core * TABLE_SHARE)

    @property
    def pressure(self) -> int:
        return int(self.usable * PRESSURE_SHARE)

    @property
    def compact(self) -> int:
        return int(self.usable * COMPACT_SHARE)

    @property
    def target(self) -> int:
        return int(self.usable * TARGET_SHARE)

    @property
    def part(self) -> int:
        return max(50, int(self.usable * PART_SHARE))

    @property
    def recall(self) -> int:
        return min(2_000, int(self.usable * RECALL_SHARE))


def reply_reserve(window: int) -> int:
    """What is kept free for the reply: an eighth of the window, at most 4,096 tokens."""
    return min(4_096, window // 8)


def plan_limits(window: int, fixed: int, pinned: int, core_budget: int | None) -> Limits:
    """The limits of a window in which the system text and the tools take `fixed` tokens and the pinned blocks `pinned`.

    A core budget that was not set shrinks to fit. Raises WindowTooSmall, which names what to cut, and
    ConfigError for a core budget that is too small for anything.
    """
    if core_budget is not None and core_budget < _SMALLEST_CORE:
        raise ConfigError(
            f"A core budget of {core_budget:,} tokens is too small; it must be {_SMALLEST_CORE} at least."
        )
    reserve = reply_reserve(window)
    room = int((window - reserve) * FIXED_SHARE) - fixed
    core = core_budget if core_budget is not None else int(window * CORE_SHARE)
    most = int(room / (1 + TABLE_SHARE))
    if core_budget is None:
        core = min(core, most)
    if core > most or core < _SMALLEST_CORE:
        raise WindowTooSmall(
            f"A window of {window:,} tokens is too small: of the {int((window - reserve) * FIXED_SHARE):,} tokens that "
            f"system text, tools and core memory may take, {fixed:,} go to system text and tools, which leaves a core "
            f"budget of {max(0, most):,} where {max(core, _SMALLEST_CORE):,} are wanted.",
            hint="Give fewer tools, shorter instructions, a smaller core budget or a larger window.",
        )
    if pinned + HEAD_LINES > core:
        raise WindowTooSmall(
            f"The pinned blocks take {pinned + HEAD_LINES:,} tokens and the core budget is {core:,}.",
            hint="Shorten or unpin a block (`pagekeeper memory edit`), or set a larger core_budget.",
        )
    return Limits(window, reserve, core)
