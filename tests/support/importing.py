"""Importing documents in tests: the home's archive, and what is in it afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Row, select

from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.documents.bring import bring
from pagekeeper.runtime.archive.documents.report import Imported
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Journal
from pagekeeper.tests.support.archives import scope


def guide(chapters: int, *, words: int = 100) -> str:
    """A Markdown document that makes one passage of each chapter."""
    return "".join(f"# Chapter {number}\n\n{f'word{number} ' * words}\n\n" for number in range(chapters))


async def brought(archive: Archive, *given: Any, tags: tuple[str, ...] = (), **options: Any) -> Imported:
    """Import into the scope that tests use."""
    like = Draft("", options.pop("kind", "document"), tags)
    return await bring(archive, options.pop("where", scope()), given, like, **options)


def passages(journal: Journal) -> list[Row[Any]]:
    """The passages that hold now, in the order in which they were written."""
    table = tables.passages
    query = select(table).where(table.c.to_seq.is_(None)).order_by(table.c.row)
    return journal.read_now(lambda connection: list(connection.execute(query).all()))


def write(folder: Path, **files: str | bytes) -> Path:
    """Files in a folder, by name; `__` stands for a dot, and `___` for a slash."""
    for name, text in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder
