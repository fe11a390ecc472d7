"""`pagekeeper agents ...`: the agents of a home."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial

from . import DONE
from .grammar import Commands, confirm_option
from .output import note, show, show_json, show_table


def add(commands: Commands) -> None:
    """Add the grammar of these commands."""
    group = commands.group("agents", "list and delete agents")
    listing = group.command("list", "the agents of this home", run=_list)
    listing.add_argument("--json", action="store_true", help="as a JSON array")
    deleting = group.command("delete", "delete an agent and let its name go; its events stay", run=_delete)
    deleting.add_argument("name", metavar="NAME")
    confirm_option(deleting)


def _list(options: argparse.Namespace) -> int:
    from ..runtime.directory import list_agents
    from .opening import journal_of, place

    with journal_of(place(options)) as journal:
        entries = journal.read_now(list_agents)
    if options.json:
        show_json([asdict(entry) for entry in entries])
    elif entries:
        heads = ["name", "conversations", "messages", "events", "last active"]
        rows = [[it.name, it.conversations, it.messages, it.seq, f"{it.last_at.astimezone():%F %R}"] for it in entries]
        show_table(heads, rows)
    else:
        note("There are no agents yet. `pagekeeper ask TEXT` makes one.")
    return DONE


def _delete(options: argparse.Namespace) -> int:
    from ..runtime.directory import delete_agent, find_agent
    from .grammar import confirm
    from .opening import journal_of, place

    with journal_of(place(options)) as journal:
        entry = journal.read_now(partial(find_agent, name=options.name))
        confirm(options, f"Delete agent {entry.name!r} with its {entry.messages} messages?")
        journal.write_now(partial(delete_agent, name=options.name))
    show(f"Deleted agent {entry.name}.")
    return DONE
