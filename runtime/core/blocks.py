"""A block of core memory, and reading blocks from the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from ..clock import parse_stamp
from ..journal import tables
from ..journal.fold.rows import current
from ..text import check_label, check_text

DEFAULT_LIMIT = 5_000
"""Characters that a block may hold unless it says otherwise; what Letta allows too."""

LARGEST_LIMIT = 1_000_000
MOST_DESCRIPTION = 1_000

blocks = tables.blocks


@dataclass(frozen=True, slots=True)
class Block:
    """One block as it stands. `user` is empty for a block of the agent's own (scope `agent`)."""

    label: str
    value: str
    description: str = ""
    limit: int = DEFAULT_LIMIT
    read_only: bool = False
    pinned: bool = False
    user: str = ""
    revision: int = 0
    writer: str = "user"
    at: datetime | None = None

    @property
    def scope(self) -> str:
        """`agent` or `user`."""
        return "user" if self.user else "agent"


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """A block that an agent is to start with."""

    label: str
    value: str = ""
    description: str = ""
    limit: int = DEFAULT_LIMIT
    read_only: bool = False
    pinned: bool = False
    per_user: bool = False

    def __post_init__(self) -> None:
        check_label(self.label)
        check_text(self.description, f"The description of block {self.label!r}", most=MOST_DESCRIPTION)
        check_text(self.value, f"The value of block {self.label!r}")


def block_of(row: Row[Any]) -> Block:
    """The block that a row of the table `blocks` holds."""
    return Block(
        label=row.label,
        value=row.value,
        description=row.description,
        limit=row.limit,
        read_only=row.read_only,
        pinned=row.pinned,
        user=row.user,
        revision=row.revision,
        writer=row.writer,
        at=parse_stamp(row.at),
    )


def visible_blocks(connection: Connection, agent: str, user: str, since: int = 0) -> list[Block]:
    """The blocks that `user` has with `agent`, its own and the agent's, by label; with `since`, only newer versions."""
    query = select(blocks).where(
        blocks.c.stream == agent, blocks.c.user.in_(["", user]), current(blocks), blocks.c.from_seq > since
    )
    return [block_of(row) for row in connection.execute(query.order_by(blocks.c.label)).all()]


def pinned_blocks(connection: Connection, agent: str, user: str) -> list[Block]:
    """The pinned ones among the blocks that `user` has with `agent`."""
    query = select(blocks).where(
        blocks.c.stream == agent, blocks.c.user.in_(["", user]), current(blocks), blocks.c.pinned
    )
    return [block_of(row) for row in connection.execute(query.order_by(blocks.c.label)).all()]


def deleted_labels(connection: Connection, agent: str, user: str, since: int) -> set[str]:
    """Labels of blocks a version of which was closed after the event `since` (most of them live on)."""
    query = select(blocks.c.label).where(
        blocks.c.stream == agent, blocks.c.user.in_(["", user]), blocks.c.to_seq > since
    )
    return set(connection.execute(query).scalars())


def find_block(connection: Connection, agent: str, user: str, label: str) -> Block | None:
    """The block that `user` sees under `label`, if there is one."""
    query = select(blocks).where(
        blocks.c.stream == agent, blocks.c.label == label, blocks.c.user.in_(["", user]), current(blocks)
    )
    row = connection.execute(query).one_or_none()
    return block_of(row) if row is not None else None


def block_at(connection: Connection, agent: str, user: str, label: str, revision: int) -> Block | None:
    """The block as it was at `revision`."""
    query = (
        select(blocks)
        .where(
            blocks.c.stream == agent,
            blocks.c.label == label,
            blocks.c.user.in_(["", user]),
            blocks.c.revision == revision,
        )
        .order_by(blocks.c.row.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return block_of(row) if row is not None else None


def block_versions(connection: Connection, agent: str, user: str, label: str) -> Sequence[Row[Any]]:
    """Every version of the block, oldest first, as rows with `from_seq` and `to_seq`."""
    query = select(blocks).where(blocks.c.stream == agent, blocks.c.label == label, blocks.c.user.in_(["", user]))
    return connection.execute(query.order_by(blocks.c.from_seq, blocks.c.row)).all()
