"""The lines of a block: who wrote each, since when it stands there, and the small edit that changes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sqlalchemy import Connection

from ...core.blocks import block_versions
from ...core.edit import Append, Replace
from ...scope import Scope


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block as it stands."""

    text: str
    writer: str
    seq: int
    """The event that brought it there."""


@dataclass(frozen=True, slots=True)
class Written:
    """A block's lines, and what once stood in it and does so no more."""

    lines: list[Line]
    former: frozenset[str]


def written(connection: Connection, scope: Scope, label: str) -> Written:
    """The lines of the block that the scope's user sees under `label`, by the history of the block."""
    lines: list[Line] = []
    ever: set[str] = set()
    for row in block_versions(connection, scope.agent, scope.user, label):
        now = row.value.split("\n") if row.value else []
        lines = _carried(lines, now, row.writer, row.from_seq)
        ever.update(now)
    return Written(lines, frozenset(ever - {line.text for line in lines}))


def _carried(before: Sequence[Line], now: Sequence[str], writer: str, seq: int) -> list[Line]:
    """The lines of a version: those of the one before stay whose they were, the others are the version's writer's."""
    matcher = SequenceMatcher(None, [line.text for line in before], now, autojunk=False)
    lines = [Line(text, writer, seq) for text in now]
    for block in matcher.get_matching_blocks():
        lines[block.b : block.b + block.size] = before[block.a : block.a + block.size]
    return lines


def change_line(value: str, place: int, new: str | None) -> Replace:
    """The edit that puts `new` in the place of a line, or takes the line out. It names no more of the block than makes
    it unique, and no other line is changed."""
    lines = value.split("\n")
    start, end = place, place + 1
    while True:
        if new is not None or end - start > 1:
            old = "\n".join(lines[start:end])
            now = [*lines[start:place], *([new] if new is not None else []), *lines[place + 1 : end]]
            if _once(value, old):
                return Replace(old, "\n".join(now))
        if start == 0 and end == len(lines):
            return Replace(value, "\n".join([*lines[:place], *([new] if new is not None else []), *lines[place + 1 :]]))
        start, end = (start - 1, end) if start > 0 and place - start <= end - place - 1 else _grown(start, end, lines)


def _grown(start: int, end: int, lines: Sequence[str]) -> tuple[int, int]:
    return (start, end + 1) if end < len(lines) else (start - 1, end)


def _once(value: str, old: str) -> bool:
    first = value.find(old) if old else -1
    return first >= 0 and value.find(old, first + 1) < 0


def applied(value: str, edit: Append | Replace) -> str:
    """What an edit makes of a block's value."""
    if isinstance(edit, Append):
        return f"{value}\n{edit.content}" if value else edit.content
    return value.replace(edit.old, edit.new, 1)
