"""The import itself: a batch of pieces at a time is looked up, embedded and committed.

What is committed stays, whatever comes after; and the same files given again go on from there, since what the archive
has is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from sqlalchemy import Connection

from ...errors import UsageError
from ...journal.journal import Transaction
from ...scope import Scope
from .. import passages
from ..archive import Archive
from ..drafts import MOST_TAGS, Draft, checked
from ..files import tag_in
from .known import Known, There
from .reader import Document, Piece, read
from .report import Imported
from .walk import Given, find

BATCH = 64
"""Pieces in one commit."""

Progress = Callable[[Imported], None]


async def bring(
    archive: Archive,
    scope: Scope,
    given: Sequence[Given],
    like: Draft,
    *,
    format: str | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Import files and folders: what they do not say of a passage is as in `like`, whose text does not matter.

    A file that cannot be read is left out, and the result says why. `progress` is told after each commit. Raises
    UsageError, and then nothing was imported.
    """
    checked(replace(like, text="-"), scope)
    if not given:
        raise UsageError("There is nothing to import.", hint="Name a file or a folder.")
    report = Imported()
    sources = await asyncio.to_thread(find, given, format, report)
    importing = _Import(archive, scope, report)
    await importing.known.load(archive.journal)
    pieces = read(sources, replace(like, basis="imported"), scope, report)
    while batch := await asyncio.to_thread(_next, pieces):
        await importing.take(batch)
        if progress is not None:
            progress(report)
    return report


def _next(pieces: Iterator[Piece]) -> list[Piece]:
    return list(islice(pieces, BATCH))


def _untagged(keyed: Sequence[tuple[bytes, Piece]], found: Mapping[bytes, There]) -> dict[str, list[str]]:
    """The passages in use that lack tags which they are imported with again, by id, with all that they should have.

    The tag of a file stays the one that a passage came with.
    """
    wanted: dict[str, list[str]] = {}
    for key, piece in keyed:
        there = found.get(key)
        if there is None or there.left_out:
            continue
        has = wanted.get(there.id, there.tags)
        lacking = [tag for tag in piece.draft.tags if tag not in has and tag != tag_in(piece.draft.tags)]
        if lacking:
            wanted[there.id] = [*has, *dict.fromkeys(lacking)]
    return wanted


class _Import:
    """Brings pieces into the archive of a scope, each content once."""

    def __init__(self, archive: Archive, scope: Scope, report: Imported) -> None:
        self.known = Known(scope)
        self._archive = archive
        self._scope = scope
        self._report = report
        self._documents: dict[str, Document] = {}
        """By the id that each goes on with."""

    async def take(self, batch: Sequence[Piece]) -> None:
        """Archive those of the pieces that are new."""
        journal = self._archive.journal
        keyed = [(self.known.key(piece.draft), piece) for piece in batch]
        first: dict[bytes, Piece] = {}
        for key, piece in keyed:
            first.setdefault(key, piece)
        found = await journal.read(lambda connection: self._find(connection, first))
        for key, piece in keyed:
            if piece.document is not None and key in found:
                self._go_on(piece.document, found[key])
        new = {key: piece for key, piece in first.items() if key not in found}
        made = await self._archive.prepare([piece.draft.text for piece in new.values()])
        prepared = dict(zip(new, made, strict=True))

        def commit(tx: Transaction) -> tuple[dict[bytes, There], list[str], list[str]]:
            # Another process may import the same: what came while this batch was embedded is known by now.
            came = self._find(tx.connection, first)
            left = [key for key in new if key not in came]
            drafts = [self._placed(new[key]) for key in left]
            self._archive.add(tx, self._scope, drafts, [prepared[key] for key in left], writer="user")
            wanted = _untagged(keyed, came)
            tagged = {id: tags for id, tags in wanted.items() if len(tags) <= MOST_TAGS}
            changes = [{"id": id, "tags": tags} for id, tags in tagged.items()]
            passages.change(tx, self._scope, changes, "tagged", writer="user")
            return came, list(tagged), [id for id in wanted if id not in tagged]

        report = self._report
        if new or _untagged(keyed, found):
            came, tagged, full = await journal.write(commit)
            found |= came
            report.tagged += len(tagged)
            report.full += len(full)
        added = [key for key in new if key not in found]
        left_out = sum(key in found and found[key].left_out for key, _ in keyed)
        report.added += len(added)
        report.unembedded += sum(prepared[key].vectors[0] is None for key in added)
        report.left_out += left_out
        report.present += len(batch) - len(added) - left_out

    def _find(self, connection: Connection, keys: Iterable[bytes]) -> dict[bytes, There]:
        self.known.look(connection)
        return self.known.find(connection, keys)

    def _go_on(self, document: Document, there: There) -> None:
        """Let a document go on where it was left, if what is there is of the same file, and of no other in this run."""
        if document.id is not None or there.document is None or there.tag != document.tag:
            return
        if self._documents.setdefault(there.document, document) is document:
            document.id = there.document

    def _placed(self, piece: Piece) -> Draft:
        document = piece.document
        if document is None:
            return piece.draft
        if document.id is None:
            document.id = self._archive.journal.ids.new("passage")
            self._documents[document.id] = document
        return replace(piece.draft, document=document.id, chunk=piece.place)
