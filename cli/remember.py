"""The commands of `pagekeeper memory` that search and change memory, for which an agent is opened."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime, time
from typing import TYPE_CHECKING

from ..runtime.ageing.trust import LEAST
from ..runtime.archive.choices import KINDS, STATUSES, TABLES
from ..runtime.text import counted
from . import DONE, erasing
from .editor import in_editor
from .grammar import Commands, Parser, agent_option, confirm, confirm_option, count, day, json_option, whole
from .opening import App, check_there, existing_holder, memory_of, opened_home, place
from .output import note, progress, show, show_json

if TYPE_CHECKING:
    from ..runtime.archive.query import Query
    from ..runtime.core.edit import BlockChange, Operation
    from ..runtime.scope import Scope
    from .opening import Holder

Work = Callable[[argparse.Namespace, "Holder"], Awaitable[int]]


def add(group: Commands) -> None:
    """Add the grammar of these commands to the group `memory`."""
    searching = group.command(
        "search", "find passages and messages, best first", run=lambda options: asyncio.run(_search(options))
    )
    agent_option(searching)
    _add_search(searching)
    _add_edit(_command(group, "edit", "change a block of core memory", _edit))

    undoing = _command(group, "undo", "take back the newest change of a block, a forgetting or a sweep", _undo)
    undoing.add_argument(
        "what",
        metavar="LABEL|EVENT",
        help="a block's label, or the event that forgot or retired: its id, or its number in `memory history`",
    )

    forgetting = _command(group, "forget", "forget what carries a fact; this can be undone", _forget)
    forgetting.add_argument("query", metavar="QUERY", nargs="?", help="lists what may carry it, and asks")
    forgetting.add_argument("--id", metavar="ID", action="append", dest="ids", help="forget this; may be repeated")
    forgetting.add_argument("--reason", metavar="TEXT", default="", help="why, for the record")
    erasing.add_options(forgetting)
    json_option(forgetting, "as JSON")
    confirm_option(forgetting)

    group.command("re-embed", "embed everything anew with the embedder that is set now", run=_reembed)


def _command(group: Commands, name: str, help: str, work: Work) -> Parser:
    """Add a command that works on an agent which is there already."""

    async def opened(options: argparse.Namespace) -> int:
        async with existing_holder(options) as holder:
            return await work(options, holder)

    parser = group.command(name, help, run=lambda options: asyncio.run(opened(options)))
    agent_option(parser)
    return parser


# -- search ---------------------------------------------------------------------------------------


def _add_search(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY")
    parser.add_argument("--in", dest="table", choices=["passages", "messages"], help="only these")
    parser.add_argument(
        "--kind", action="append", default=[], choices=KINDS, help="only passages of this kind; may be repeated"
    )
    parser.add_argument("--tag", action="append", default=[], help="only passages with this tag; may be repeated")
    parser.add_argument("--start", metavar="DAY", type=day, help="the first day, as in 2026-01-31")
    parser.add_argument("--end", metavar="DAY", type=day, help="the last day")
    parser.add_argument(
        "--as-of", metavar="DAY", type=day, help="only passages that held on that day, also if replaced since"
    )
    parser.add_argument("--limit", metavar="N", type=count, default=10, help="the most results (default: 10)")
    parser.add_argument("--old", action="store_true", help="also what was superseded or retired")
    parser.add_argument(
        "--untrusted", action="store_true", help="also what was corrected so often that it is not shown"
    )
    parser.add_argument("--explain", action="store_true", help="say what each step of the ranking contributed")
    json_option(parser, "as a JSON array")


async def _search(options: argparse.Namespace) -> int:
    """Search without opening an agent: reading is enough, so it works in a home that cannot be written."""
    from ..runtime.archive.archive import Archive
    from ..runtime.archive.lines import line
    from ..runtime.chosen import make_embedder

    with memory_of(options) as (journal, scope):
        query, embedder = _query(options, scope), make_embedder(place(options).settings)
        archive = await Archive.open(journal, embedder, clock=journal.clock, background=False)
        try:
            hits = await archive.search(query, explain=options.explain)
        finally:
            await archive.close()
    if options.json:
        show_json([asdict(hit) for hit in hits])
        return DONE
    for hit in hits:
        show(line(hit, scope.timezone, question=options.query, scored=True))
        if options.explain:
            show("    " + ", ".join(f"{name} {value:.3f}" for name, value in hit.explain.items()))
    if not hits:
        note("No results.")
    return DONE


def _query(options: argparse.Namespace, scope: Scope) -> Query:
    from ..runtime.archive.query import Query, check_question
    from ..runtime.errors import UsageError

    if options.start is not None and options.end is not None and options.start > options.end:
        raise UsageError(f"--start {options.start} is after --end {options.end}.", hint="Both days belong to it.")
    if options.as_of is not None and options.table == "messages":
        raise UsageError("Messages were said on a day, and hold on none.", hint="--start and --end say when.")
    tables = TABLES if options.as_of is None else ("passage",)
    return Query(
        scope,
        check_question(options.query),
        tables=tables if options.table is None else (options.table.removesuffix("s"),),
        kinds=tuple(options.kind),
        tags=tuple(options.tag),
        start=options.start,
        end=options.end,
        valid_at=None if options.as_of is None else datetime.combine(options.as_of, time(12), scope.timezone),
        limit=options.limit,
        statuses=_statuses(options),
        least_trust=0 if options.untrusted else LEAST,
    )


def _statuses(options: argparse.Namespace) -> tuple[str, ...]:
    if options.old:
        return STATUSES
    # What was superseded answers what used to be.
    return ("active", "disputed") if options.as_of is None else ("active", "superseded", "disputed")


# -- edit and undo --------------------------------------------------------------------------------


def _add_edit(parser: Parser) -> None:
    parser.add_argument("label", metavar="LABEL")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--set", metavar="TEXT", help="write the whole value anew (default: in your editor)")
    how.add_argument("--append", metavar="TEXT", help="add a line")
    how.add_argument("--replace", metavar=("OLD", "NEW"), nargs=2, help="OLD must occur exactly once")
    how.add_argument("--create", metavar="TEXT", help="make the block with this value")
    how.add_argument("--delete", action="store_true", help="delete the block; its history stays")
    parser.add_argument("--description", metavar="TEXT", help="what the block is for")
    parser.add_argument("--limit", metavar="N", type=whole, help="the most characters that it may hold")
    for name, help in (("pinned", "always in the window"), ("read-only", "not to be changed by the agent")):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=help)


async def _edit(options: argparse.Namespace, agent: Holder) -> int:
    from ..runtime.errors import UsageError

    if isinstance(agent, App):
        raise UsageError(f"{agent.scope.agent_name!r} is an app, and has no blocks.", hint="Blocks are of agents.")
    operations = _operations(options)
    if operations:
        for operation in operations:
            _told(await agent.memory.edit(options.label, operation))
    else:
        await _edit_by_hand(agent, options.label)
    return DONE


def _operations(options: argparse.Namespace) -> list[Operation]:
    """The edits that the options ask for; none where they name only the block."""
    from ..runtime.core.edit import Append, Create, Delete, Replace, Rethink, Settings

    names = ("description", "limit", "read_only", "pinned")
    settings = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.create is not None:
        return [Create(value=options.create, **settings)]
    operations: list[Operation] = [Settings(**settings)] if settings else []
    if options.delete:
        operations.append(Delete())
    elif options.append is not None:
        operations.append(Append(options.append))
    elif options.replace is not None:
        operations.append(Replace(*options.replace))
    elif options.set is not None:
        operations.append(Rethink(options.set))
    return operations


async def _edit_by_hand(agent: Holder, label: str) -> None:
    """Let the user write the value anew in their editor. Their text is never lost, even where it is refused."""
    from ..runtime.core.edit import Rethink
    from ..runtime.errors import EditRefused, RevisionConflict

    block = await agent.memory.block(label)
    value, file = await asyncio.to_thread(in_editor, block.value)
    try:
        if value == block.value:
            note("Nothing was changed.")
        elif (await agent.memory.block(label)).revision != block.revision:
            raise RevisionConflict(f"Block {label!r} was changed meanwhile.")
        else:
            _told(await agent.memory.edit(label, Rethink(value)))
    except EditRefused as error:
        raise EditRefused(error.message, hint=f"{error.hint} Your text is in {file}.".strip()) from None
    await asyncio.to_thread(file.unlink, missing_ok=True)


def _told(change: BlockChange) -> None:
    """Say what became of a block."""
    if change.after is None:
        show(f"Deleted block {change.label}. `pagekeeper memory undo {change.label}` brings it back.")
    else:
        block = change.after
        show(f"Block {block.label} is at revision {block.revision}.")
        if len(block.value) > block.limit:
            note(f"It has {len(block.value):,} characters, and its limit is {block.limit:,}: it can only get shorter.")


async def _undo(options: argparse.Namespace, agent: Holder) -> int:
    from ..runtime.scope import DEFAULT_AGENT

    change = await agent.memory.take_back(options.what)
    if isinstance(change, int):
        show(f"Restored {counted(change, 'thing')}.")
    elif change.after is None:
        # What was taken back is the block's making, so there may be nothing left that another undo could take back.
        show(f"Deleted block {change.label}, since its making was the change to undo.")
        name = shlex.quote(getattr(options, "agent", DEFAULT_AGENT))
        show(f"`pagekeeper agents rewind {name} --to {change.event.seq - 1}` brings it back.")
    else:
        _told(change)
    return DONE


# -- forget ---------------------------------------------------------------------------------------


async def _forget(options: argparse.Namespace, agent: Holder) -> int:
    from ..runtime.errors import UsageError
    from ..runtime.text import check_text

    if options.query is not None and options.ids is not None:
        raise UsageError("Say a query or --id, not both.", hint="A query lists what may carry it, with the ids.")
    if options.query is None and options.ids is None:
        raise UsageError("Say what to forget: a query, or --id.", hint="A query lists what may carry it.")
    erasing.check_options(options)
    if options.erase:
        return await erasing.erase(options, agent)
    ids = options.ids
    if ids is None:
        query = check_text(options.query, "The query", empty=False)
        found = await agent.memory.candidates(query)
        if options.json and not options.yes:
            show_json([asdict(one) for one in found])
            return DONE
        if not found:
            note("Nothing carries that.")
            return DONE
        if not options.yes:
            shorts = await agent.memory.short_ids([one.id for one in found])
            for one in found:
                at = f"{one.at.astimezone(agent.scope.timezone):%F}"
                show(f"{shorts[one.id]}  {at}  {one.label}: {' '.join(one.text.split())}")
        confirm(options, f"Forget these {len(found)}, and all that carries the same?")
        ids = [one.id for one in found]
    done = await agent.memory.forget(ids, options.reason)
    if options.json:
        counts = {"passages": done.passages, "lines": done.lines, "messages": done.messages}
        show_json({"event": done.event.id, **counts})
    else:
        lines, messages = counted(done.lines, "line"), counted(done.messages, "message")
        show(f"Forgotten: {counted(done.passages, 'passage')}, {lines}, {messages}.")
        show(f"`pagekeeper memory undo {done.event.id}` brings it back.")
    return DONE


# -- re-embed -------------------------------------------------------------------------------------


def _reembed(options: argparse.Namespace) -> int:
    return asyncio.run(_reembedding(options))


async def _reembedding(options: argparse.Namespace) -> int:
    from ..runtime.archive.archive import Archive
    from ..runtime.chosen import make_embedder

    where = place(options)
    check_there(where.home)
    embedder = make_embedder(where.settings)
    async with opened_home(where) as home:
        opening = Archive.open(home.journal, embedder, clock=home.clock, background=False, check=False)
        archive = await opening
        try:
            with progress() as tell:
                await archive.reembed(embedder, lambda done, count: tell(f"{done:,} of {count:,} rows"))
        finally:
            await archive.close()
    show(f"Everything is embedded with {embedder.name} now.")
    return DONE
