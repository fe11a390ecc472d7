"""A block of core memory, and reading blocks from the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from ..clock import parse_stamp
from ..errors import UsageError
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
        check_settings(self.label, limit=self.limit, read_only=self.read_only, pinned=self.pinned)
        check_settings(self.label, per_user=self.per_user)


def check_settings(label: str, *, limit: object = None, **switches: object) -> None:
    """Refuse settings of a wrong type; None is not set. Raises UsageError."""
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool)):
        raise UsageError(f"The limit of block {label!r} must be a number, not {limit!r:.60}.")
    for name, value in switches.items():
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"`{name}` of block {label!r} must be True or False, not {value!r:.60}.")


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


_MINE = select(blocks).where(
    blocks.c.stream == bindparam("agent"), (blocks.c.user == "") | (blocks.c.user == bindparam("user"))
)
_VISIBLE = _MINE.where(current(blocks)).order_by(blocks.c.label)
_PINNED = _VISIBLE.where(blocks.c.pinned)
_BORN = _MINE.where(current(blocks), blocks.c.from_seq > bindparam("since")).order_by(blocks.c.label)
_CLOSED = _MINE.with_only_columns(blocks.c.label).where(blocks.c.to_seq > bindparam("since"))
_LABELLED = _MINE.where(blocks.c.label == bindparam("label"))
_ONE = _LABELLED.where(current(blocks))
_AT = _LABELLED.where(blocks.c.revision == bindparam("revision")).order_by(blocks.c.row.desc()).limit(1)
_VERSIONS = _LABELLED.order_by(blocks.c.from_seq, blocks.c.row)


def visible_blocks(connection: Connection, agent: str, user: str) -> list[Block]:
    """The blocks that `user` has with `agent`, its own and the agent's, by label."""
    return [block_of(row) for row in connection.execute(_VISIBLE, {"agent": agent, "user": user}).all()]


def pinned_blocks(connection: Connection, agent: str, user: str) -> list[Block]:
    """The pinned ones among them."""
    return [block_of(row) for row in connection.execute(_PINNED, {"agent": agent, "user": user}).all()]


def blocks_since(connection: Connection, agent: str, user: str, since: int) -> tuple[list[Block], set[str]]:
    """Those that changed after the event `since`, as they are now; and the labels of those that went."""
    where = {"agent": agent, "user": user, "since": since}
    changed = [block_of(row) for row in connection.execute(_BORN, where).all()]
    closed = set(connection.execute(_CLOSED, where).scalars())
    return changed, closed - {block.label for block in changed}


def find_block(connection: Connection, agent: str, user: str, label: str) -> Block | None:
    """The block that `user` sees under `label`, if there is one."""
    row = connection.execute(_ONE, {"agent": agent, "user": user, "label": label}).one_or_none()
    return block_of(row) if row is not None else None


def block_at(connection: Connection, agent: str, user: str, label: str, revision: int) -> Block | None:
    """The block as it was at `revision`."""
    where = {"agent": agent, "user": user, "label": label, "revision": revision}
    row = connection.execute(_AT, where).one_or_none()
    return block_of(row) if row is not None else None


def block_versions(connection: Connection, agent: str, user: str, label: str) -> Sequence[Row[Any]]:
    """Every version of the block, oldest first, as rows with `from_seq` and `to_seq`."""
    return connection.execute(_VERSIONS, {"agent": agent, "user": user, "label": label}).all()
