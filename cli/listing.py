"""`pagekeeper memory list`: the passages that an agent, or an app, has archived, newest first."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from ..runtime.ageing.trust import LEAST
from ..runtime.archive.choices import KINDS, STATUSES
from . import DONE
from .grammar import Commands, agent_option, count, json_option
from .opening import memory_of
from .output import note, show, show_json

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from sqlalchemy import Connection

    from ..runtime.archive.remembered import Remembered


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    listing = group.command("list", "what is archived, newest first", run=_list)
    agent_option(listing)
    listing.add_argument(
        "--kind", action="append", default=[], choices=KINDS, help="only passages of this kind; may be repeated"
    )
    listing.add_argument("--tag", action="append", default=[], help="only passages with this tag; may be repeated")
    listing.add_argument("--limit", metavar="N", type=count, help="the most passages (default: all)")
    listing.add_argument("--old", action="store_true", help="also what was superseded or retired")
    listing.add_argument(
        "--untrusted", action="store_true", help="also what was corrected so often that it is not found"
    )
    json_option(listing, "as a JSON array")


def _list(options: argparse.Namespace) -> int:
    from ..runtime.archive.remembered import select_memories
    from ..runtime.archive.short_ids import short_ids

    with memory_of(options) as (journal, scope):

        def read(connection: Connection) -> tuple[list[Remembered], list[str]]:
            found = select_memories(
                connection,
                scope,
                kinds=options.kind,
                tags=options.tag,
                statuses=STATUSES if options.old else ("active",),
                least_trust=0 if options.untrusted else LEAST,
                now=journal.clock.now(),
            )
            listed = [*islice(found, options.limit)]
            return listed, short_ids(connection, scope, [one.id for one in listed])

        found, short = journal.read_now(read)
    if options.json:
        show_json([asdict(one) for one in found])
        return DONE
    for one, its in zip(found, short, strict=True):
        show(_line(one, its, scope.timezone))
    if not found:
        note("Nothing is archived.")
    return DONE


def _line(one: Remembered, short: str, zone: ZoneInfo) -> str:
    at = (one.event_time or one.created_at).astimezone(zone)
    status = "" if one.status == "active" else f", {one.status}"
    return f"{short}  {at:%F}  {one.kind}{status}: {' '.join(one.text.split())}"
