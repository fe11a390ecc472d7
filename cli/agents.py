"""`pagekeeper agents ...`: the agents of a home."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from ..runtime.text import counted
from . import DONE
from .grammar import Commands, confirm, confirm_option, conversation_option, json_option, whole
from .opening import check_there, journal_of, opened_home, place
from .output import note, show, show_json, show_table

if TYPE_CHECKING:
    from ..runtime.rewind import Preview


def add(commands: Commands) -> None:
    """Add the grammar of these commands."""
    group = commands.group("agents", "list, make, delete, fork and rewind agents")

    listing = group.command("list", "the agents of this home", run=_list)
    json_option(listing, "as a JSON array")

    creating = group.command("create", "make an agent (talking to one makes it too)", run=_create)
    creating.add_argument("name", metavar="NAME")
    creating.add_argument("--persona", metavar="TEXT", help="who it is and how it speaks: its block `persona`")

    deleting = group.command("delete", "delete an agent and let its name go; its events stay", run=_delete)
    deleting.add_argument("name", metavar="NAME")
    confirm_option(deleting)

    forking = group.command("fork", "make a new agent from the state of another", run=_fork)
    forking.add_argument("origin", metavar="ORIGIN")
    forking.add_argument("name", metavar="NAME", help="the new agent's")
    forking.add_argument(
        "--at",
        metavar="EVENT",
        type=whole,
        help="the state after this event; `memory history` numbers them (default: now)",
    )

    rewinding = group.command("rewind", "take an agent back to an earlier moment; this can be rewound too", run=_rewind)
    rewinding.add_argument("name", metavar="NAME")
    moment = rewinding.add_mutually_exclusive_group(required=True)
    moment.add_argument(
        "--to", metavar="EVENT", type=whole, help="the state after this event; `memory history` numbers them"
    )
    moment.add_argument("--turns", metavar="N", type=whole, help="to before the newest N turns")
    conversation_option(rewinding, "only this conversation's messages go back")
    rewinding.add_argument("--preview", action="store_true", help="only show what it would do")
    confirm_option(rewinding)


def _list(options: argparse.Namespace) -> int:
    from ..runtime.directory import list_agents

    with journal_of(place(options), reading=True) as journal:
        entries = journal.read_now(list_agents)
    if options.json:
        show_json([asdict(entry) for entry in entries])
    elif entries:
        heads = ["name", "kind", "conversations", "messages", "events", "last active"]
        rows = [
            [it.name, it.kind, it.conversations, it.messages, it.seq, f"{it.last_at.astimezone():%F %R}"]
            for it in entries
        ]
        show_table(heads, rows)
    else:
        note("There are no agents yet. `pagekeeper ask TEXT` makes one.")
    return DONE


def _create(options: argparse.Namespace) -> int:
    return asyncio.run(_creating(options))


async def _creating(options: argparse.Namespace) -> int:
    from dataclasses import replace
    from zoneinfo import ZoneInfo

    from ..runtime.directory import list_agents
    from ..runtime.enter import DEFAULT_BLOCKS, enter
    from ..runtime.errors import AlreadyExists
    from ..runtime.scope import DEFAULT_CONVERSATION
    from ..runtime.text import check_name

    persona = next(block for block in DEFAULT_BLOCKS if block.label == "persona")
    blocks = [] if options.persona is None else [replace(persona, value=options.persona)]
    where = place(options)
    async with opened_home(where) as home:
        name = check_name(options.name, "An agent's name")
        if name in [entry.name for entry in await home.journal.read(list_agents)]:
            raise AlreadyExists(f"There is an agent {name!r} already.", hint="Choose another name.")
        await enter(home.journal, name, where.user, DEFAULT_CONVERSATION, ZoneInfo("UTC"), blocks)
    show(f"Made agent {name}.")
    return DONE


def _delete(options: argparse.Namespace) -> int:
    from ..runtime.directory import delete_agent, find_agent

    where = place(options)
    check_there(where.home)
    with journal_of(where) as journal:
        entry = journal.read_now(partial(find_agent, name=options.name))
        confirm(options, f"Delete agent {entry.name!r} with its {counted(entry.messages, 'message')}?")
        journal.write_now(partial(delete_agent, name=options.name))
    show(f"Deleted agent {entry.name}.")
    return DONE


def _fork(options: argparse.Namespace) -> int:
    from ..runtime.directory import find_agent
    from ..runtime.fork import fork

    where = place(options)
    check_there(where.home)
    with journal_of(where) as journal:
        origin = journal.read_now(partial(find_agent, name=options.origin))
        journal.write_now(partial(fork, origin=origin.id, name=options.name, at=options.at))
    at = origin.seq if options.at is None else options.at
    show(f"Made agent {options.name} from {origin.name} at event {at}.")
    return DONE


def _rewind(options: argparse.Namespace) -> int:
    return asyncio.run(_rewinding(options))


async def _rewinding(options: argparse.Namespace) -> int:
    from ..runtime.directory import find_agent, find_conversation
    from ..runtime.rewind import before_turns, preview, rewind

    where = place(options)
    check_there(where.home)
    async with opened_home(where) as home:
        read = home.journal.read
        agent = await read(partial(find_agent, name=options.name))
        thread = None
        if (name := getattr(options, "conversation", None)) is not None:
            thread = await read(partial(find_conversation, agent=agent.id, user=where.user, name=name))
        to = options.to
        if to is None:
            to = await read(partial(before_turns, agent=agent.id, count=options.turns, conversation=thread))
        show("\n".join(_told(await read(partial(preview, agent=agent.id, to=to, conversation=thread)))))
        if options.preview:
            return DONE
        confirm(options, f"Rewind agent {agent.name!r} to event {to}?")
        event = await rewind(home.journal, home.locks, agent.id, to, thread)
    show(f"Rewound. `pagekeeper agents rewind {agent.name} --to {event.seq - 1}` undoes it.")
    return DONE


def _verb(count: int, verb: str) -> str:
    return f"{verb}s" if count == 1 else verb


def _told(preview: Preview) -> list[str]:
    """What a rewind would do, for people."""
    lines = [
        f"Back to event {preview.to}: {counted(preview.messages, 'message')} {_verb(preview.messages, 'leave')}, "
        f"{preview.restored} {_verb(preview.restored, 'come')} back, "
        f"{counted(preview.passages, 'passage')} {_verb(preview.passages, 'leave')} "
        f"or {_verb(preview.passages, 'come')} back."
    ]
    if preview.blocks:
        lines.append(f"Blocks that change: {', '.join(preview.blocks)}.")
    if preview.effects:
        lines.append("What tools did outside stays done:")
        lines += [f"  {name}, {counted(times, 'time')}" for name, times in preview.effects]
    return lines
