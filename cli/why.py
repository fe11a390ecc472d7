"""`pagekeeper memory why`: how a memory came to be there, and what became of it."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial

from . import DONE
from .grammar import Commands, agent_option, json_option
from .opening import journal_of, place
from .output import show, show_json


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    asking = group.command("why", "where a memory comes from, who wrote it, and what became of it", run=_run)
    asking.add_argument("id", metavar="ID", help="as in [p-0fk3a2]: the id of a passage, or a beginning of it")
    agent_option(asking)
    json_option(asking, "as JSON")


def _run(options: argparse.Namespace) -> int:
    """Reading is enough, so it works in a home that cannot be written."""
    from ..runtime.chosen import zone_of
    from ..runtime.directory import find_agent
    from ..runtime.recall.why import as_text, why
    from ..runtime.scope import DEFAULT_AGENT, Scope
    from ..runtime.text import check_name

    where = place(options)
    user, zone = check_name(where.user, "A user's name"), zone_of(where.settings)
    with journal_of(where, reading=True) as journal:
        agent = journal.read_now(partial(find_agent, name=getattr(options, "agent", DEFAULT_AGENT)))
        scope = Scope(agent.id, agent.name, user, "", "", zone)
        found = journal.read_now(partial(why, scope=scope, passage_id=options.id.strip("[]")))
    if options.json:
        show_json(asdict(found))
    else:
        show(as_text(found, zone))
    return DONE
