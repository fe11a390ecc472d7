"""What of a memory is due to be retired: pure, from what is known of its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

EXPIRED, UNUSED, OVER = "expired", "unused", "over the cap"
"""The reasons, as the history shows them."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How long memories are kept. Without settings only what has an expiry date of its own is ever retired."""

    unused_days: float | None = None
    """Days without a use after which a passage goes that was used less than `fewest_uses` times; None: never."""
    fewest_uses: int = 1
    most: int | None = None
    """Passages that one user of an agent may have; those that were used longest ago go first. None: any number."""


@dataclass(frozen=True, slots=True)
class Aged:
    """A passage as the policy sees it."""

    id: str
    touched: datetime
    """When it was last used, or made."""
    uses: int = 0
    expires_at: datetime | None = None
    active: bool = True
    """It is found. What waits for the user's decision is not, and then it can only expire."""
    lasting: bool = False
    """It goes only when it expires: a permanent fact, a document, a rule, and what the user wrote by hand."""


def due(passages: Sequence[Aged], policy: Policy, now: datetime) -> dict[str, list[str]]:
    """The ids that go, by reason, each once; `passages` come in the order in which they were written.

    What lasts counts for the cap too, but is not what goes: so there may be more than `most` of it.
    """
    out: dict[str, list[str]] = {EXPIRED: [], UNUSED: [], OVER: []}
    kept: list[Aged] = []
    for one in passages:
        if one.expires_at is not None and one.expires_at <= now:
            out[EXPIRED].append(one.id)
        elif one.active and not one.lasting and _unused(one, policy, now):
            out[UNUSED].append(one.id)
        elif one.active:
            kept.append(one)
    if policy.most is not None and len(kept) > policy.most:
        oldest = sorted((one for one in kept if not one.lasting), key=lambda one: (one.touched, one.uses))
        out[OVER] = [one.id for one in oldest[: len(kept) - policy.most]]
    return {reason: ids for reason, ids in out.items() if ids}


def _unused(one: Aged, policy: Policy, now: datetime) -> bool:
    days = policy.unused_days
    return days is not None and one.uses < policy.fewest_uses and now - one.touched >= timedelta(days=days)
