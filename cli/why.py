"""`pagekeeper memory why`: how a memory came to be there, and what became of it."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial

from . import DONE
from .grammar import Commands, agent_option, json_option
from .opening import memory_of
from .output import show, show_json


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    asking = group.command("why", "where a memory comes from, who wrote it, and what became of it", run=_run)
    asking.add_argument("id", metavar="ID", help="as in [p-0fk3a2]: the id of a passage, or a beginning of it")
    agent_option(asking)
    json_option(asking, "as JSON")


def _run(options: argparse.Namespace) -> int:
    from ..runtime.recall.why import as_text, why

    with memory_of(options) as (journal, scope):
        found = journal.read_now(partial(why, scope=scope, passage_id=options.id))
    if options.json:
        show_json(asdict(found))
    else:
        show(as_text(found, scope.timezone))
    return DONE
