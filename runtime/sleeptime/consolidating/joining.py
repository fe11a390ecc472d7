"""What a memory takes over from those that are merged into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from ...ageing.trust import START
from ...archive.drafts import MOST_TAGS

_LISTS = ("tags", "entities", "participants", "source", "relations", "evidence")
_HIGHEST = ("importance", "confidence", "permanent", "used_at")
_LACKING = ("subject", "attribute", "value", "location", "event_time")


def joined(into: Row[Any], others: Sequence[Row[Any]]) -> dict[str, Any]:
    """The columns of `into` that change: nothing that was known of one of them is lost.

    Trust is what the uses and corrections of all of them, taken together, come to.
    """
    rows = [into, *others]
    now: dict[str, Any] = {name: _union([getattr(row, name) for row in rows]) for name in _LISTS}
    now["tags"] = now["tags"][:MOST_TAGS]
    now |= {name: _most([getattr(row, name) for row in rows]) for name in _HIGHEST}
    now["uses"] = sum(row.uses for row in rows)
    now["trust"] = round(min(1.0, max(0.0, START + sum(row.trust - START for row in rows))), 4)
    began = [row.valid_from for row in rows if row.valid_from]
    now["valid_from"] = min(began) if began else None
    known = next((row for row in rows if row.attribute), into)
    if not into.attribute:
        now |= {name: getattr(known, name) for name in ("subject", "attribute", "value", "single")}
    for name in _LACKING:
        now.setdefault(name, getattr(into, name) or next(filter(None, (getattr(row, name) for row in others)), None))
    return {name: value for name, value in now.items() if value != getattr(into, name)}


def _union(lists: Sequence[Sequence[Any]]) -> list[Any]:
    out: list[Any] = []
    for one in lists:
        out += [item for item in one if item not in out]
    return out


def _most(values: Sequence[Any]) -> Any:
    return max((value for value in values if value is not None), default=None)
