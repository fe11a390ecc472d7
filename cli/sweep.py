"""`pagekeeper memory sweep`: retire what has expired, and what the settings say is unused or too much."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from ..runtime.text import counted
from . import DONE
from .grammar import Commands, agent_option, json_option
from .opening import existing_holder
from .output import note, show, show_json

if TYPE_CHECKING:
    from ..runtime.ageing.sweep import Swept


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    sweeping = group.command(
        "sweep",
        "retire what has expired, and what `[memory]` in the settings says is unused or too much; this can be undone",
        run=lambda options: asyncio.run(_run(options)),
    )
    agent_option(sweeping)
    sweeping.add_argument("--dry-run", action="store_true", help="only say what would go")
    json_option(sweeping, "as JSON")


async def _run(options: argparse.Namespace) -> int:
    async with existing_holder(options) as holder:
        done = await holder.memory.sweep(dry_run=options.dry_run)
        shorts = await holder.memory.short_ids([passage for one in done for passage in one.texts])
    if options.json:
        show_json([_json(one) for one in done])
        return DONE
    for one in done:
        for passage, text in one.texts.items():
            show(f"{shorts[passage]}  {one.reason}: {' '.join(text.split())}")
    for one in done:
        if one.event is None:
            show(f"Would retire {counted(len(one.texts), 'passage')}, {one.reason}.")
        else:
            show(f"Retired {counted(len(one.texts), 'passage')}, {one.reason}.")
            show(f"`pagekeeper memory undo {one.event.id}` brings back what was {one.reason}.")
    if not done:
        note("Nothing is due.")
    return DONE


def _json(swept: Swept) -> dict[str, Any]:
    passages = [{"id": passage, "text": text} for passage, text in swept.texts.items()]
    return {"reason": swept.reason, "event": swept.event and swept.event.id, "passages": passages}
