"""The one way in which a block of core memory changes, whoever changes it: `apply_edit`.

It checks everything first (label, limit, read_only, revision, what the operation needs), and then writes one event.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, select

from ..errors import AlreadyExists, EditRefused, NotFound, RevisionConflict, UsageError
from ..journal import tables
from ..journal.events import Event, Writer
from ..journal.journal import Transaction
from ..text import check_label, check_text, unescape
from .blocks import DEFAULT_LIMIT, LARGEST_LIMIT, MOST_DESCRIPTION, Block, check_settings, find_block


@dataclass(frozen=True, slots=True)
class Append:
    """Add `content` as a line of its own at the end."""

    content: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Put `new` in the place of `old`, which must occur exactly once."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Rethink:
    """Write the whole value anew."""

    value: str


@dataclass(frozen=True, slots=True)
class Create:
    """Make the block."""

    description: str = ""
    value: str = ""
    limit: int = DEFAULT_LIMIT
    read_only: bool = False
    pinned: bool = False
    per_user: bool = False


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the block. Its history stays."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Change what is set of the block; None leaves a setting as it is."""

    description: str | None = None
    limit: int | None = None
    read_only: bool | None = None
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Restore:
    """Make the block what it was, in text and settings alike. Only undo makes this one.

    What the block was broke no rule when it became so, and it comes back even where it breaks one now: a limit that
    was set later, for one.
    """

    was: Block


Operation = Append | Replace | Rethink | Create | Delete | Settings | Restore


@dataclass(frozen=True, slots=True)
class Author:
    """Who edits, and where: what an event says of its origin."""

    writer: Writer
    conversation: str | None = None
    turn: str | None = None
    step: int | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class BlockChange:
    """An edit that was made: the block before it and after it (None where there is none), and its event."""

    label: str
    before: Block | None
    after: Block | None
    event: Event


_SHORTEN = "Shorten the text, or give the block a larger limit."
_RETHINK = "Shorten it with core_memory_rethink, or put details into the archive."
"""What helps where a value is too long: a person has no tools, and a model cannot change a limit once it is set."""


def apply_edit(
    transaction: Transaction,
    agent: str,
    user: str,
    label: str,
    operation: Operation,
    author: Author,
    seen: int | None = None,
) -> BlockChange:
    """Make one edit of the block that `user` sees under `label`, or raise and change nothing.

    `seen` is the revision that the editor saw last: Rethink and Delete fail against a newer one with
    RevisionConflict; Append and Replace apply to it. Raises NotFound, AlreadyExists, InvalidName, InvalidText or
    EditRefused.
    """
    label = check_label(label)
    if not isinstance(operation, Operation):
        hint = "Use Append, Replace, Rethink, Create, Delete or Settings."
        raise UsageError(f"An edit of block {label!r} cannot be {operation!r:.60}.", hint=hint)
    if isinstance(operation, Create | Settings):
        check_settings(label, limit=operation.limit, read_only=operation.read_only, pinned=operation.pinned)
    block = find_block(transaction.connection, agent, user, label)
    if isinstance(operation, Restore) and block is None:
        was = operation.was
        same = Create(was.description, was.value, was.limit, was.read_only, was.pinned, per_user=bool(was.user))
        return _create(transaction, agent, user, label, same, author, was=True)
    if isinstance(operation, Create):
        return _create(transaction, agent, user, label, operation, author)
    if block is None:
        raise NotFound(f"There is no block {label!r}.", hint=_similar(transaction, agent, user, label))
    if block.read_only and author.writer != "user":
        raise EditRefused(f"Block {label!r} is read-only.", hint="Only the user can change it.", block=block)
    if isinstance(operation, Rethink | Delete) and seen is not None and seen < block.revision:
        raise RevisionConflict(
            f"Block {label!r} is at revision {block.revision} now, and you saw revision {seen}.",
            hint="Look at it as it is now, and decide again.",
            block=block,
        )
    if isinstance(operation, Delete):
        payload: dict[str, Any] = {"label": label, "user": block.user, "revision": block.revision}
        return BlockChange(label, block, None, _write(transaction, agent, author, "block.deleted", payload))
    changes = _changes(block, operation, author)
    if all(getattr(block, name) == value for name, value in changes.items()):
        raise EditRefused(f"Block {label!r} already is as you want it.", block=block)
    payload = {"label": label, "user": block.user, "revision": block.revision + 1, "changes": changes}
    event = _write(transaction, agent, author, "block.edited", payload)
    after = replace(block, **changes, revision=block.revision + 1, writer=author.writer, at=event.at)
    return BlockChange(label, block, after, event)


def _write(transaction: Transaction, agent: str, author: Author, type: str, payload: dict[str, Any]) -> Event:
    return transaction.append(
        type,
        payload,
        stream=agent,
        writer=author.writer,
        conversation=author.conversation,
        turn=author.turn,
        step=author.step,
        cause=author.cause,
    )


def _create(
    transaction: Transaction, agent: str, user: str, label: str, operation: Create, author: Author, was: bool = False
) -> BlockChange:
    """Make a block. One that `was` there like this may break its limit, as it did then."""
    blocks = tables.blocks
    owner = user if operation.per_user else ""
    query = select(blocks.c.user).where(blocks.c.stream == agent, blocks.c.label == label, blocks.c.to_seq.is_(None))
    taken = set(transaction.connection.execute(query).scalars())
    # A block of the agent's own is seen by all of its users, so its label must be free for all of them.
    if "" in taken or owner in taken or (taken and not owner):
        raise AlreadyExists(f"There is a block {label!r} already.", hint="Edit it, or choose another label.")
    check_text(operation.description, f"The description of block {label!r}", most=MOST_DESCRIPTION)
    _check_limit(label, operation.limit)
    if not was:
        _check_value(label, operation.value, operation.limit, 0, author)
    newest = transaction.connection.execute(
        select(func.max(blocks.c.revision)).where(
            blocks.c.stream == agent, blocks.c.label == label, blocks.c.user == owner
        )
    ).scalar()
    payload = {
        "label": label,
        "user": owner,
        "description": operation.description,
        "value": operation.value,
        "limit": operation.limit,
        "read_only": operation.read_only,
        "pinned": operation.pinned,
        "revision": (newest or 0) + 1,
    }
    event = _write(transaction, agent, author, "block.created", payload)
    return BlockChange(label, None, find_block(transaction.connection, agent, user, label), event)


def _changes(
    block: Block, operation: Append | Replace | Rethink | Settings | Restore, author: Author
) -> dict[str, Any]:
    """What an operation changes of a block that is there, by name."""
    if isinstance(operation, Restore):
        names = ("value", "description", "limit", "read_only", "pinned")
        now = {name: getattr(operation.was, name) for name in names}
        return {name: value for name, value in now.items() if value != getattr(block, name)}
    return _settings(block, operation) if isinstance(operation, Settings) else _value(block, operation, author)


def _value(block: Block, operation: Append | Replace | Rethink, author: Author) -> dict[str, Any]:
    """The value that an operation makes of a block's."""
    if isinstance(operation, Append):
        check_text(operation.content, "What is to be appended", empty=False)
        value = f"{block.value}\n{operation.content}" if block.value else operation.content
    elif isinstance(operation, Replace):
        check_text(operation.old, "The old content")
        check_text(operation.new, "The new content")
        value = _replaced(block, operation.old, operation.new)
    else:
        value = operation.value
    _check_value(block.label, value, block.limit, len(block.value), author, block)
    return {"value": value}


def _replaced(block: Block, old: str, new: str) -> str:
    if not old:
        raise EditRefused(
            "The old content is empty, so there is no place to put the new.",
            hint="Name the text to replace, or append.",
            block=block,
        )
    count = _occurrences(block.value, old)
    if count == 0 and _occurrences(block.value, unescape(old)) == 1:
        # Models copy what they see, and they see our markers escaped.
        old, new, count = unescape(old), unescape(new), 1
    if count == 1:
        return block.value.replace(old, new)
    if count:
        raise EditRefused(
            f"The old content occurs {count} times in block {block.label!r}; it must occur exactly once.",
            hint="Give more of the text around the place you mean.",
            block=block,
        )
    raise EditRefused(
        f"The old content does not occur in block {block.label!r}.",
        hint=f"The closest passage there is: {_closest(block.value, old)!r}" if block.value else "The block is empty.",
        block=block,
    )


def _occurrences(value: str, old: str) -> int:
    """How often `old` occurs, overlapping ones included."""
    count, start = 0, value.find(old)
    while start >= 0:
        count, start = count + 1, value.find(old, start + 1)
    return count


def _closest(value: str, wanted: str) -> str:
    """The run of lines in `value` that is most like `wanted`, cut to 300 characters."""
    lines, height = value.split("\n"), wanted.count("\n") + 1
    runs = ["\n".join(lines[i : i + height]) for i in range(max(1, len(lines) - height + 1))]
    wanted = wanted[:1000]
    best = max(runs[:2000], key=lambda run: difflib.SequenceMatcher(None, wanted, run[:1000]).quick_ratio())
    return best[:300]


def _settings(block: Block, operation: Settings) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name in ("description", "limit", "read_only", "pinned"):
        value = getattr(operation, name)
        if value is not None:
            changes[name] = value
    if "description" in changes:
        check_text(changes["description"], f"The description of block {block.label!r}", most=MOST_DESCRIPTION)
    if "limit" in changes:
        _check_limit(block.label, changes["limit"])
    return changes


def _check_limit(label: str, limit: int) -> None:
    if not 1 <= limit <= LARGEST_LIMIT:
        raise EditRefused(f"The limit of block {label!r} must be from 1 to {LARGEST_LIMIT:,}, not {limit:,}.")


def _check_value(label: str, value: str, limit: int, before: int, author: Author, block: Block | None = None) -> None:
    """A value may break the limit only where it did before, and shrinks."""
    check_text(value, f"The value of block {label!r}")
    if len(value) > limit and len(value) >= before:
        raise EditRefused(
            f"Block {label!r} would have {len(value):,} characters; its limit is {limit:,}.",
            hint=_RETHINK if block is not None and author.writer in ("agent", "sleeptime") else _SHORTEN,
            block=block,
        )


def _similar(transaction: Transaction, agent: str, user: str, label: str) -> str:
    blocks = tables.blocks
    query = select(blocks.c.label).where(
        blocks.c.stream == agent, blocks.c.user.in_(["", user]), blocks.c.to_seq.is_(None)
    )
    labels = sorted(transaction.connection.execute(query).scalars())
    close = difflib.get_close_matches(label, labels, 3, 0.5)
    if close:
        return "Did you mean " + " or ".join(close) + "?"
    return "There are: " + ", ".join(labels[:20]) + ("." if len(labels) <= 20 else ", …") if labels else ""
