"""`pagekeeper memory import`: an exported agent, or documents and notes for an agent's archive."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from ..runtime.archive.choices import FORMATS, KINDS
from ..runtime.text import counted
from . import DONE, FAILED
from .grammar import Commands, agent_option, json_option
from .opening import existing_holder, journal_of, open_agent, place
from .output import as_usage_error, complain, note, progress, reading, show, show_json

if TYPE_CHECKING:
    from ..runtime.archive.documents.report import Imported
    from ..runtime.archive.documents.walk import Given
    from .opening import Holder

_ABOUT = """\
PATH is one file that `memory export` wrote: then the agent in it comes into this home, which must not have it yet.

Or each PATH is a document, or a folder of them: then they are cut into passages, and those go into the archive of an
agent of this home. What is there already is not added twice, though it gets the tags that it lacks, and what was
forgotten is not brought back; so an import that was interrupted is simply repeated. Formats, by how a file's name ends:

  .txt              text, cut between paragraphs
  .md, .markdown    Markdown, cut at its headings, which every passage names
  .jsonl            a note on each line: a string, or {"text": "...", "kind": "fact", "event_time": "2026-01-31"} with
                    any of these keys too: tags, entities, participants (lists); valid_from, valid_to, expires_at
                    (days or times); speaker, location; session, ordinal (whole numbers); importance, confidence,
                    trust (0 to 1)
"""


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    parser = group.command("import", "bring in an exported agent, or documents and notes", run=_import)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    parser.add_argument("paths", metavar="PATH", nargs="+", help="files and folders; - is standard input")
    parser.add_argument("--as", dest="name", metavar="NAME", help="an exported agent's name here (default: its own)")
    documents = parser.add_argument_group("options for documents and notes")
    agent_option(documents)
    documents.add_argument(
        "--tag", metavar="TAG", action="append", default=[], help="for all passages; can be repeated"
    )
    documents.add_argument("--kind", choices=KINDS, help="of the passages (default: document)")
    formats = sorted(set(FORMATS.values()))
    documents.add_argument("--format", choices=formats, help="of a file whose name does not say it")
    json_option(documents, "say what became of it as JSON")


def _import(options: argparse.Namespace) -> int:
    with _standard_input(options.paths) as handle:
        if len(options.paths) == 1 and _is_export(options.paths[0], handle):
            return _import_agent(options, handle)
        return asyncio.run(_import_documents(options, handle))


@contextlib.contextmanager
def _standard_input(paths: list[str]) -> Iterator[BinaryIO | None]:
    """What is on standard input, if it is wanted, in a file without a name, so that it can be read twice."""
    if "-" not in paths:
        yield None
        return
    with tempfile.TemporaryFile() as handle:
        with open(0, "rb", closefd=False) as stdin:
            shutil.copyfileobj(stdin, handle)
        yield handle


def _is_export(path: str, handle: BinaryIO | None) -> bool:
    from ..runtime.archive.documents.source import first_value
    from ..runtime.journal.transfer import is_export

    if handle is not None:
        return is_export(first_value(handle))
    with as_usage_error(path):
        if not path.strip() or (os.path.exists(path) and not os.path.isfile(path)):
            return False  # what is wrong with it is said with the documents; to open a pipe would wait for its writer
        with open(path, "rb") as file:
            return is_export(first_value(file))


# -- an agent -------------------------------------------------------------------------------------


def _import_agent(options: argparse.Namespace, handle: BinaryIO | None) -> int:
    from ..runtime.errors import UsageError
    from ..runtime.journal.transfer import restore

    given = {"--tag": options.tag, "--kind": options.kind, "--format": options.format, "--json": options.json}
    if wrong := [name for name, value in given.items() if value]:
        raise UsageError(f"This is an agent's export, and {wrong[0]} is for documents.", hint="Leave it out.")
    with journal_of(place(options)) as journal, reading(options.paths[0], handle) as lines:
        name, count = journal.write_now(partial(restore, lines=lines, name=options.name))
    show(f"Imported agent {name} with {counted(count, 'event')}.")
    return DONE


# -- documents ------------------------------------------------------------------------------------


async def _import_documents(options: argparse.Namespace, handle: BinaryIO | None) -> int:
    from ..runtime.errors import UsageError

    if options.name is not None:
        raise UsageError("--as names an exported agent, and this is none.", hint="--agent NAME says whose archive.")
    given = [_given(path, options.format, handle) for path in options.paths]
    # Notes may be what a newcomer begins with; a name that was said must be that of an agent.
    opening: Callable[[argparse.Namespace], contextlib.AbstractAsyncContextManager[Holder]]
    opening = existing_holder if hasattr(options, "agent") else open_agent
    async with opening(options) as agent:
        with progress() as tell:
            done = await agent.memory.import_documents(
                given,
                kind=options.kind or "document",
                tags=options.tag,
                format=options.format,
                progress=lambda sofar: tell(counted(sofar.added + sofar.present + sofar.left_out, "passage")),
            )
            if done.added or done.tagged:
                tell("making them fast to search")
                await agent.memory.archive.settle()
    if options.json:
        show_json(asdict(done))
    else:
        _tell(done)
    for file in done.skipped:
        complain(f"{file.name} was left out: {file.reason}")
    return FAILED if done.skipped else DONE


def _given(path: str, format: str | None, handle: BinaryIO | None) -> Given:
    from ..runtime.archive.documents.source import Source, format_of

    if path != "-" or handle is None:
        return path
    return Source("standard input", format or format_of(handle), handle=handle)


def _tell(done: Imported) -> None:
    """Say what became of an import."""
    were = "was" if done.present == 1 else "were"
    show(
        f"Added {counted(done.added, 'passage')} of {counted(done.files, 'file')}; "
        f"{done.present:,} {were} there already{f', {done.tagged:,} of them tagged now' if done.tagged else ''}."
    )
    if done.full:
        from ..runtime.archive.drafts import MOST_TAGS

        note(f"{counted(done.full, 'passage')} could not be tagged: a passage can have {MOST_TAGS} tags at most.")
    if done.left_out:
        were, are = ("was", "is") if done.left_out == 1 else ("were", "are")
        show(f"{done.left_out:,} {were} forgotten, retired or replaced before, and {are} left out.")
    if done.unembedded:
        have, they = ("has", "it is") if done.unembedded == 1 else ("have", "they are")
        note(f"{done.unembedded:,} {have} no vector yet, since the embedder failed; {they} found by the words.")
    links = "link" if done.links == 1 else "links"
    beside = {"empty": done.empty, "hidden": done.hidden, links: done.links, "of other kinds": done.others}
    if any(beside.values()):
        show(f"Not imported: {', '.join(f'{count:,} {what}' for what, count in beside.items() if count)}.")
