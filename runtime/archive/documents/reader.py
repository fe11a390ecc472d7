"""From files to one stream of pieces, whatever their formats are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import itemgetter
from typing import BinaryIO

from ...errors import UsageError
from ...scope import Scope
from ..chunks import chunk
from ..drafts import Draft
from . import jsonl, markdown, plain
from .report import Imported
from .source import Source, lines


@dataclass(slots=True, eq=False)
class Document:
    """What pieces are chunks of: a text, or a long note."""

    tag: str | None
    """The tag that names its file."""
    id: str | None = None
    """Set with the first piece of it that is archived, or found there."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage that is to be: no longer than one. `place` is where it stands in its document."""

    draft: Draft
    document: Document | None
    place: int = 0


def read(sources: Sequence[Source], template: Draft, scope: Scope, report: Imported) -> Iterator[Piece]:
    """The pieces of the files, in order; what a file does not say of them is as in `template`.

    Each file is read twice, first to see that it is whole, so that one with a fault is left out as a whole. Then it
    is in `report`.
    """
    for source in sources:
        tags = (*template.tags, source.tag) if source.tag else template.tags
        try:
            with source.opened() as handle:
                like = replace(template, tags=tags)
                if _check(source, handle, like, scope):
                    yield from _pieces(_drafts(source, handle, like, scope), source.tag)
                    report.files += 1
                else:
                    report.empty += 1
        except UsageError as error:
            report.skip(source.name, str(error))


def _check(source: Source, handle: BinaryIO, like: Draft, scope: Scope) -> bool:
    """Whether there is a word in a file. Raises UsageError if it cannot be read to its end."""
    said = False
    if source.format == "jsonl":
        for _ in jsonl.notes(lines(handle, whole=True), like, scope):
            said = True
    else:
        for line in lines(handle):
            said = said or not line.isspace()
    return said


def _drafts(source: Source, handle: BinaryIO, like: Draft, scope: Scope) -> Iterator[tuple[int, Draft]]:
    """The pieces of a file, each with the number of what it is a chunk of."""
    if source.format == "jsonl":
        for number, note in jsonl.notes(lines(handle, whole=True), like, scope):
            for text in chunk(note.text):
                yield number, replace(note, text=text)
        return
    cut = markdown.pieces if source.format == "markdown" else plain.pieces
    for text in cut(lines(handle)):
        yield 0, replace(like, text=text)


def _pieces(drafts: Iterator[tuple[int, Draft]], tag: str | None) -> Iterator[Piece]:
    for _, group in groupby(drafts, itemgetter(0)):
        placed = enumerate(draft for _, draft in group)
        first, second = next(placed), next(placed, None)
        if second is None:
            yield Piece(first[1], None)
            continue
        document = Document(tag)
        for place, draft in chain([first, second], placed):
            yield Piece(draft, document, place)
