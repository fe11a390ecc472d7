"""`pagekeeper memory ...`: look at what an agent remembers, and change it."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..runtime.text import counted
from . import DONE, disputes, importing, listing, remember, rules, sweep, why, working
from .grammar import Commands, Parser, agent_option, count, json_option, whole
from .output import note, show, show_json

if TYPE_CHECKING:
    from ..runtime.core.blocks import Block
    from ..runtime.core.history import Version
    from ..runtime.journal.events import Event
    from ..runtime.journal.journal import Journal


def add(commands: Commands) -> None:
    """Add the grammar of these commands."""
    group = commands.group("memory", "look at what an agent remembers, and change it")

    showing = _about_agent(group.command("show", "the blocks of core memory, or one block's value", run=_show))
    showing.add_argument("label", metavar="LABEL", nargs="?")
    showing.add_argument("--as-of", metavar="EVENT", type=whole, help="as it was after this event's number")
    json_option(showing, "as JSON")

    history = _about_agent(group.command("history", "what happened to memory, or to one block", run=_history))
    history.add_argument("label", metavar="LABEL", nargs="?")
    history.add_argument("--limit", metavar="N", type=count, help="only the newest N changes")
    json_option(history, "as JSON")

    diff = _about_agent(group.command("diff", "what changed between two revisions of a block", run=_diff))
    diff.add_argument("label", metavar="LABEL")
    diff.add_argument("older", metavar="OLDER", type=whole, nargs="?", help="a revision (default: the one before)")
    diff.add_argument("newer", metavar="NEWER", type=whole, nargs="?", help="a revision (default: the newest)")

    listing.add(group)
    remember.add(group)
    why.add(group)
    sweep.add(group)

    exporting = _about_agent(group.command("export", "write all that an agent is, as JSON lines", run=_export))
    exporting.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: standard output")
    exporting.add_argument("--force", action="store_true", help="write over a file that is there already")

    importing.add(group)
    working.add(group)
    disputes.add(group)
    rules.add(group)


def _about_agent(parser: Parser) -> Parser:
    agent_option(parser)
    return parser


@dataclass(frozen=True, slots=True)
class _Memory:
    """The memory that a command is about. `agent` is an id."""

    journal: Journal
    agent: str
    user: str


@contextlib.contextmanager
def _memory(options: argparse.Namespace) -> Iterator[_Memory]:
    from ..runtime.directory import find_agent
    from ..runtime.scope import DEFAULT_AGENT
    from .opening import journal_of, place

    where = place(options)
    with journal_of(where, reading=True) as journal:
        found = journal.read_now(partial(find_agent, name=getattr(options, "agent", DEFAULT_AGENT)))
        yield _Memory(journal, found.id, where.user)


def _show(options: argparse.Namespace) -> int:
    from ..runtime.core.blocks import visible_blocks
    from ..runtime.core.history import blocks_as_of
    from ..runtime.errors import NotFound
    from ..runtime.rewind import check_moment

    with _memory(options) as memory:
        if options.as_of is None:
            blocks = memory.journal.read_now(partial(visible_blocks, agent=memory.agent, user=memory.user))
        else:
            memory.journal.read_now(partial(check_moment, agent=memory.agent, to=options.as_of))
            read = partial(blocks_as_of, agent=memory.agent, user=memory.user, seq=options.as_of)
            blocks = memory.journal.read_now(read)
    if options.label is not None:
        blocks = [block for block in blocks if block.label == options.label]
        if not blocks:
            raise NotFound(f"There is no block {options.label!r}.", hint="`pagekeeper memory show` lists them.")
    if options.json:
        values = [_block_json(block) for block in blocks]
        show_json(values[0] if options.label is not None else values)
    elif options.label is not None:
        show(blocks[0].value)
    else:
        show("\n\n".join(_block_text(block) for block in blocks) or "There are no blocks.")
    return DONE


def _history(options: argparse.Namespace) -> int:
    from ..runtime.core.history import history
    from ..runtime.timeline import changes

    with _memory(options) as memory:
        if options.label is None:
            read = partial(changes, agent=memory.agent, user=memory.user, limit=options.limit)
            found = memory.journal.read_now(read)
            values = [{**_event_json(change.event), "text": change.text} for change in found]
            texts = [f"{_event_text(change.event)}\n{_indented(change.text)}" for change in found]
        else:
            read_block = partial(history, agent=memory.agent, user=memory.user, label=options.label)
            versions = memory.journal.read_now(read_block)[-(options.limit or 0) :]
            values = [_version_json(version) for version in versions]
            texts = [_version_text(version) for version in versions]
    if options.json:
        show_json(values)
    elif texts:
        show("\n".join(texts))
    else:
        note("Nothing has happened to this memory yet.")
    return DONE


def _diff(options: argparse.Namespace) -> int:
    from ..runtime.core.history import difference, history

    with _memory(options) as memory:
        versions = memory.journal.read_now(partial(history, agent=memory.agent, user=memory.user, label=options.label))
    newest = versions[-1].block.revision
    newer = newest if options.newer is None else options.newer
    older = newer - 1 if options.older is None else options.older
    show(difference(_revision(versions, older), _revision(versions, newer)) or "No difference.")
    return DONE


def _revision(versions: list[Version], number: int) -> Block | None:
    """The block at a revision; None for revision 0, before it was made."""
    from ..runtime.errors import NotFound

    if number == 0:
        return None
    for version in versions:
        if version.block.revision == number:
            return version.block
    label, newest = versions[-1].block.label, versions[-1].block.revision
    raise NotFound(f"Block {label!r} has no revision {number}.", hint=f"The newest is {newest}.")


def _export(options: argparse.Namespace) -> int:
    from ..runtime.journal.transfer import export
    from .output import writing_whole

    with _memory(options) as memory, writing_whole(options.file, over=options.force) as out:

        def write(connection: Any) -> int:
            return sum(bool(out.write(f"{line}\n")) for line in export(connection, memory.agent)) - 2

        count = memory.journal.read_now(write)
    note(f"Exported {counted(count, 'event')}.")
    return DONE


def _block_json(block: Block) -> dict[str, Any]:
    return {**asdict(block), "scope": block.scope}


def _block_text(block: Block) -> str:
    marks = [f"revision {block.revision}", f"{len(block.value):,} of {block.limit:,} characters"]
    marks += [name for name, on in (("pinned", block.pinned), ("read-only", block.read_only)) if on]
    head = f"{block.label} ({', '.join(marks)})"
    return "\n".join([head, *([f"  # {block.description}"] if block.description else []), _indented(block.value)])


def _event_json(event: Event) -> dict[str, Any]:
    names = ("id", "seq", "at", "type", "writer", "conversation", "turn", "cause")
    return {name: getattr(event, name) for name in names}


def _event_text(event: Event) -> str:
    return f"{event.seq}  {event.at.astimezone():%F %T}  {event.writer}"


def _version_json(version: Version) -> dict[str, Any]:
    return {**_event_json(version.began), "block": _block_json(version.block), "gone": version.gone}


def _version_text(version: Version) -> str:
    head = f"{_event_text(version.began)}  revision {version.block.revision}"
    lines = [head, _indented(version.block.value)]
    if version.gone and version.ended is not None:
        lines.append(f"{_event_text(version.ended)}  deleted")
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
