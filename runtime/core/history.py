"""The history of a block: its versions, what changed between two of them, and undo."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from ..errors import EditRefused, NotFound
from ..journal import tables
from ..journal.events import Event, event_of
from ..journal.fold.rows import as_of
from ..journal.journal import Transaction
from .blocks import Block, block_of, block_versions
from .edit import Author, BlockChange, Delete, Restore, apply_edit


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a block, and the events that it held from and (None: still) to."""

    block: Block
    began: Event
    ended: Event | None
    gone: bool
    """No version follows at once: the block was deleted, or a rewind took it away."""


def history(connection: Connection, agent: str, user: str, label: str) -> list[Version]:
    """Every version of the block that `user` sees under `label`, oldest first. Raises NotFound where it never was."""
    rows = block_versions(connection, agent, user, label)
    if not rows:
        raise NotFound(f"There never was a block {label!r}.")
    numbers = {row.from_seq for row in rows} | {row.to_seq for row in rows if row.to_seq is not None}
    events = {}
    for chunk in _chunks(sorted(numbers)):
        query = select(tables.events).where(tables.events.c.stream == agent, tables.events.c.seq.in_(chunk))
        events.update({row.seq: event_of(row) for row in connection.execute(query).all()})
    begun = {row.from_seq for row in rows}
    return [
        Version(
            block_of(row),
            events[row.from_seq],
            events.get(row.to_seq),
            row.to_seq is not None and row.to_seq not in begun,
        )
        for row in rows
    ]


def labels_of(connection: Connection, agent: str, user: str) -> list[str]:
    """The labels of all blocks that `user` has or had with the agent."""
    blocks = tables.blocks
    query = select(blocks.c.label).where(blocks.c.stream == agent, blocks.c.user.in_(["", user]))
    return sorted(set(connection.execute(query).scalars()))


def blocks_as_of(connection: Connection, agent: str, user: str, seq: int) -> list[Block]:
    """The blocks that `user` had with the agent when the event `seq` was its newest, by label."""
    blocks = tables.blocks
    query = select(blocks).where(blocks.c.stream == agent, blocks.c.user.in_(["", user]), as_of(blocks, seq))
    return [block_of(row) for row in connection.execute(query.order_by(blocks.c.label)).all()]


def difference(before: Block | None, after: Block | None) -> str:
    """What changed, as a unified diff of the values; empty where they are equal. None: it was not there."""
    label = (after or before or Block("", "")).label
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        f"{label} revision {before.revision}" if before else "/dev/null",
        f"{label} revision {after.revision}" if after else "/dev/null",
        lineterm="",
    )
    return "\n".join(lines)


def undo(transaction: Transaction, agent: str, user: str, label: str, author: Author) -> BlockChange:
    """Take back the newest change of the block that has not been taken back yet.

    It is an edit of its own, whose cause is the change that it takes back; so undoing again goes further back. What
    was forgotten does not come back this way: a forgetting is restored as a whole (runtime/forgetting/).
    Raises NotFound, EditRefused, and what `apply_edit` raises.
    """
    versions = history(transaction.connection, agent, user, label)
    after = versions[-1].block if versions[-1].ended is None else None
    for change in reversed(_standing(versions)):
        before = _without_forgotten(transaction.connection, agent, change.before, after)
        if not alike(before, after):
            back = replace(author, cause=change.event.id)
            return apply_edit(transaction, agent, user, label, Restore(before) if before else Delete(), back)
    raise EditRefused(f"All changes of block {label!r} have been undone.")


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of a block, and its version before it."""

    event: Event
    before: Version | None


def _standing(versions: list[Version]) -> list[_Change]:
    """The changes that have not been taken back, oldest first."""
    changes: list[_Change] = []
    previous: Version | None = None
    for version in versions:
        _add(changes, _Change(version.began, previous))
        previous = version
        if version.gone and version.ended is not None:
            _add(changes, _Change(version.ended, version))
            previous = None
    return changes


def _add(changes: list[_Change], change: _Change) -> None:
    """Add a change; one that takes back another goes with it."""
    undone = [one for one in changes if one.event.id == change.event.cause]
    if undone:
        changes.remove(undone[0])
    else:
        changes.append(change)


def _without_forgotten(connection: Connection, agent: str, version: Version | None, now: Block | None) -> Block | None:
    """A version's block without what was forgotten since; `now` is the block as it stands."""
    from ..forgetting.force import in_force  # late: it brings the archive's terms, which nothing else here needs

    if version is None:
        return None
    return in_force(connection, agent, version.began.seq).block(version.block, now)


def alike(one: Block | None, other: Block | None) -> bool:
    """Whether two versions differ in nothing that an edit changes."""
    if one is None or other is None:
        return one is other
    return replace(one, revision=0, writer="user", at=None) == replace(other, revision=0, writer="user", at=None)


def _lines(block: Block | None) -> list[str]:
    return block.value.split("\n") if block is not None and block.value else []


def _chunks(numbers: list[int], size: int = 500) -> list[list[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]
