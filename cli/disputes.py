"""`pagekeeper memory disputes` and `memory settle`: memories that contradict each other, and the user's decision."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from . import DONE
from .grammar import Commands, agent_option, json_option
from .opening import existing_holder
from .output import note, show, show_json

if TYPE_CHECKING:
    from ..runtime.sleeptime.disputes import Dispute
    from ..runtime.sleeptime.known import Known

_KEEPS = ("new", "old", "both")


def add(group: Commands) -> None:
    """Add the grammar of these commands to the group `memory`."""
    listing = group.command(
        "disputes", "memories that contradict each other, of which none is surer", run=lambda it: asyncio.run(_list(it))
    )
    agent_option(listing)
    json_option(listing, "as JSON")

    settling = group.command("settle", "decide a dispute", run=lambda it: asyncio.run(_settle(it)))
    agent_option(settling)
    settling.add_argument("id", metavar="ID", help="the id of its newer memory, as `memory disputes` lists it")
    keep = "|".join(_KEEPS)
    settling.add_argument("keep", metavar=keep, choices=_KEEPS, help="which of the two holds from now on")
    json_option(settling, "as JSON")


async def _list(options: argparse.Namespace) -> int:
    async with existing_holder(options) as agent:
        found = await agent.memory.disputes()
        shorts = await agent.memory.short_ids([one.id for one in found])
    if options.json:
        show_json([_json(one) for one in found])
        return DONE
    for one in found:
        show(f"{shorts[one.id]}\n  new  {_said(one.new)}\n  old  {_said(one.old)}")
    note("`pagekeeper memory settle ID new|old|both` decides." if found else "Nothing is in dispute.")
    return DONE


async def _settle(options: argparse.Namespace) -> int:
    async with existing_holder(options) as agent:
        done = await agent.memory.settle(options.id, options.keep)
    if options.json:
        show_json(_json(done))
        return DONE
    holding = {"new": [done.new], "old": [done.old], "both": [done.old, done.new]}[options.keep]
    for known in holding:
        show(f"It holds: {' '.join(known.text.split())}")
    return DONE


def _said(known: Known) -> str:
    day = known.event_time or known.created_at
    by_hand = ", written by hand" if known.standing == 3 else ""
    return f"{' '.join(known.text.split())} ({f'{day:%Y-%m-%d}' if day else 'undated'}{by_hand})"


def _json(one: Dispute) -> dict[str, Any]:
    sides = {"new": one.new, "old": one.old}
    return {name: {"id": side.id, "text": side.text} for name, side in sides.items()}
