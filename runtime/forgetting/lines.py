"""Lines of core-memory blocks, as what can be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ..core.blocks import Block, block_at, find_block
from ..core.edit import Author, Operation, Rethink, Settings, apply_edit
from ..errors import NotFound, UsageError
from ..journal.journal import Transaction
from ..scope import Scope
from .facts import Facts

_LINE_ID = re.compile(r"(?P<label>.+):(?P<line>[0-9]{1,9})@(?P<revision>[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block, named as LABEL:LINE@REVISION. Line 0 is the block's description."""

    block: Block
    number: int
    text: str

    @property
    def id(self) -> str:
        return f"{self.block.label}:{self.number}@{self.block.revision}"

    @property
    def what(self) -> str:
        """What it is, for people and models."""
        return f"{'line' if self.number else 'description'} of block {self.block.label}"


def lines_of(blocks: Iterable[Block]) -> list[Line]:
    """All lines of the blocks that say something."""
    return [
        Line(block, number, text)
        for block in blocks
        for number, text in enumerate([block.description, *block.value.split("\n")])
        if text.strip()
    ]


def carrying(blocks: Iterable[Block], facts: Facts) -> list[Line]:
    """The lines that carry the facts."""
    return [line for line in lines_of(blocks) if facts.carried_by(line.text)]


def is_line_id(item: str) -> bool:
    """Whether an id names a line."""
    return _LINE_ID.fullmatch(item) is not None


def find_line(connection: Connection, scope: Scope, item: str) -> Line:
    """The line that an id names. Raises NotFound, and UsageError where its block has changed since."""
    match = _LINE_ID.fullmatch(item)
    assert match is not None
    block = find_block(connection, scope.agent, scope.user, match["label"])
    if block is None:
        raise NotFound(f"There is no block {match['label'][:80]!r}.")
    found = _line(block, match)
    if block.revision != int(match["revision"]) or found is None:
        raise UsageError(
            f"Block {block.label!r} is at revision {block.revision} now, so {item[:80]!r} may name another line.",
            hint="List the candidates again.",
        )
    return found


def line_then(connection: Connection, scope: Scope, item: str) -> Line:
    """The line that an id names, as it was at the revision that the id names. Raises NotFound."""
    match = _LINE_ID.fullmatch(item)
    assert match is not None
    block = block_at(connection, scope.agent, scope.user, match["label"], int(match["revision"]))
    found = _line(block, match) if block is not None else None
    if found is None:
        raise NotFound(f"There is no line {item[:80]!r}.", hint="List the candidates again.")
    return found


def _line(block: Block, match: re.Match[str]) -> Line | None:
    lines = [block.description, *block.value.split("\n")]
    number = int(match["line"])
    return Line(block, number, lines[number]) if number < len(lines) else None


def remove(transaction: Transaction, scope: Scope, lines: Sequence[Line], author: Author) -> None:
    """Take lines out of their blocks."""
    for label in dict.fromkeys(line.block.label for line in lines):
        block = next(line.block for line in lines if line.block.label == label)
        gone = {line.number for line in lines if line.block.label == label}
        kept = [text for number, text in enumerate(block.value.split("\n"), 1) if number not in gone]
        edits: list[Operation] = [Rethink("\n".join(kept))] if gone - {0} else []
        edits += [Settings(description="")] if 0 in gone and block.description else []
        for edit in edits:
            apply_edit(transaction, scope.agent, scope.user, label, edit, author)
