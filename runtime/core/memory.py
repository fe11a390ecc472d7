"""Core memory as one conversation sees it: its blocks, which of them are in view, and what touching one shows.

The blocks are virtual memory: the core budget is the frames, the head holds the resident blocks, and a tool that
touches a block that is not in view brings it there (a page fault).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from ..archive.terms import terms
from ..context.limits import HEAD_LINES
from ..context.parts import Part, block_part, edit_part, render_block, text_part
from ..context.tokens import TokenCounter
from ..errors import EditRefused, RevisionConflict, ToolError
from ..journal import tables
from ..journal.journal import Transaction
from ..scope import Scope
from ..text import attribute
from ..tool import Applied
from .blocks import Block, block_at, blocks_since, find_block, pinned_blocks, visible_blocks
from .edit import Author, BlockChange, Delete, Operation, Rethink, apply_edit
from .view import View, look

PREFETCHED = 2
"""The most blocks that are brought into view before a turn."""

block_uses = tables.block_uses

_USES = select(block_uses).where(block_uses.c.conversation == bindparam("conversation"))
_SEEN = _USES.with_only_columns(block_uses.c.revision).where(block_uses.c.label == bindparam("label"))


@dataclass(frozen=True, slots=True)
class BlockUse:
    """When a conversation last used a block (the event's number), and the revision that it saw last."""

    seq: int
    revision: int


class CoreMemory:
    """The blocks of one conversation. `budget` is in tokens: what the blocks in the head may take."""

    def __init__(self, scope: Scope, budget: int, counter: TokenCounter) -> None:
        self.scope = scope
        self.budget = budget
        self.blocks: dict[str, Block] = {}
        """The blocks as of the last refresh, by label."""
        self.view: View = {}
        """Kept by the window; a result that is composed here is in view at once, since the step's next call counts on
        it."""
        self._counter = counter
        self._checked = 0
        self._sizes: dict[tuple[str, str], tuple[Block, int]] = {}

    def refresh(self, connection: Connection, newest: int) -> list[Block]:
        """Read what has changed since the last refresh; `newest` is the stream's newest event.

        Returns the blocks that are new.
        """
        if newest == self._checked:
            return []
        since, agent, user = self._checked, self.scope.agent, self.scope.user
        self._checked = newest
        if not since:
            self.blocks = {block.label: block for block in visible_blocks(connection, agent, user)}
            return []
        changed, gone = blocks_since(connection, agent, user, since)
        for label in gone:
            self.blocks.pop(label, None)
        new = [block for block in changed if block.label not in self.blocks]
        self.blocks.update((block.label, block) for block in changed)
        return new

    def reset(self) -> None:
        """Read everything anew at the next refresh."""
        self._checked = 0
        self.blocks.clear()
        self.view.clear()

    @property
    def frames(self) -> int:
        """Tokens that the pinned blocks leave to the others; a larger block than that is never shown whole."""
        return self.budget - HEAD_LINES - sum(self.size(block) for block in self.blocks.values() if block.pinned)

    def size(self, block: Block) -> int:
        """Tokens that the block takes when it is rendered whole."""
        # A revision alone does not name a value: an edit that was refused or rolled back had it before.
        known, size = self._sizes.get((block.label, block.user), (None, 0))
        if known != block:
            size = self._counter.count(self.render(block)) + 1
            self._sizes[block.label, block.user] = block, size
        return size

    def render(self, block: Block) -> str:
        """The block as it stands in the head."""
        extra = f' limit="{block.limit}"'
        if block.read_only:
            extra += ' read_only="true"'
        if block.description:
            extra += f' about="{attribute(block.description)}"'
        return render_block(block.label, block.revision, block.value, extra)

    def uses(self, connection: Connection) -> dict[str, BlockUse]:
        """What this conversation has used and seen, by label."""
        rows = connection.execute(_USES, {"conversation": self.scope.conversation}).all()
        return {row.label: BlockUse(row.seq, row.revision) for row in rows}

    def edit(
        self, transaction: Transaction, label: str, operation: Operation, author: Author, *, blind: bool = False
    ) -> tuple[BlockChange, Applied]:
        """Make one edit, and compose what its result shows.

        A Rethink or Delete of what this conversation has not seen fails with RevisionConflict, unless it is `blind`
        (made by a person, who sees the block elsewhere). Raises what `apply_edit` raises.
        """
        guarded = isinstance(operation, Rethink | Delete) and not blind
        seen = self._seen(transaction.connection, label) if guarded else None
        change = apply_edit(transaction, self.scope.agent, self.scope.user, label, operation, author, seen)
        self.check_pinned(transaction, change)
        if change.after is None:
            return change, Applied([text_part(f"Deleted block {change.label}. Its history is kept.")])
        return change, self._show_change(change, blind)

    def edit_from_outside(
        self, transaction: Transaction, label: str, operation: Operation, author: Author
    ) -> BlockChange:
        """`edit` by a person or in the background: by who sees the block elsewhere than in this conversation."""
        return self.edit(transaction, label, operation, author, blind=True)[0]

    def _seen(self, connection: Connection, label: str) -> int:
        """The revision of the block that this conversation saw last; 0 if it never did."""
        where = {"conversation": self.scope.conversation, "label": label}
        return max(self.view.get(label, 0), connection.execute(_SEEN, where).scalar() or 0)

    def check_pinned(self, transaction: Transaction, change: BlockChange) -> None:
        """Refuse a change after which the pinned blocks no longer fit into the budget. Raises EditRefused."""
        after = change.after
        if after is None or not after.pinned:
            return
        blocks = pinned_blocks(transaction.connection, self.scope.agent, self.scope.user)
        if HEAD_LINES + sum(len(self.render(block).encode()) + 1 for block in blocks) <= self.budget:
            return  # no token is shorter than a byte, so there is no need to count
        total = sum(self.size(block) for block in blocks) + HEAD_LINES
        before = change.before
        grown = before is None or not before.pinned or self.size(after) > self.size(before)
        if total > self.budget and grown:
            raise EditRefused(
                f"The pinned blocks would take {total:,} tokens; the core budget is {self.budget:,}.",
                hint=f"Shorten block {after.label!r}, put details into the archive, or unpin a block.",
                block=before,
            )

    def _show_change(self, change: BlockChange, blind: bool) -> Applied:
        before, after = change.before, change.after
        assert after is not None
        used = {after.label: after.revision}
        room = f"{len(after.value):,} of {after.limit:,} characters"
        if before is None:
            parts = [text_part(f"Created block {after.label}, {room}."), *self._whole(after)]
            counts = {}
        else:
            said = f"Changed block {after.label} from revision {before.revision} to {after.revision}, {room}."
            seen = self.view.get(after.label) == before.revision
            parts = [text_part(said), *([self._delta(before, after)] if seen else self._whole(after))]
            counts = {} if seen else {"faults": 1}
        return Applied(parts, used, counts=counts) if blind else self._shown(Applied(parts, used, counts=counts))

    def _shown(self, applied: Applied) -> Applied:
        look(self.view, applied.parts)
        return applied

    def _delta(self, before: Block, after: Block) -> Part:
        """The change, or the whole value where that is shorter."""
        edit = edit_part(after.label, before.revision, after.revision, before.value, after.value)
        long = sum(len(line) + 2 for line in edit["old"] + edit["new"])
        return block_part(after.label, after.revision, after.value) if len(after.value) <= long else edit

    def _fits(self, block: Block) -> bool:
        """Whether the block may be shown whole. A pinned one always is."""
        return block.pinned or self.size(block) <= self.frames

    def _whole(self, block: Block) -> list[Part]:
        """The whole value, or words that say that it is too large."""
        if self._fits(block):
            return [block_part(block.label, block.revision, block.value)]
        return [
            text_part(
                f"Block {block.label} is too large to show whole: {self.size(block):,} tokens, and core memory has "
                f"room for {max(0, self.frames):,} beside what is pinned. It begins: {block.value[:300]}"
            )
        ]

    def show_conflict(self, error: RevisionConflict) -> Applied:
        """What the model is shown of a block that it was about to overwrite unseen."""
        assert error.block is not None
        said = text_part(f"Error: {error}")
        faults = {} if error.block.label in self.view else {"faults": 1}
        parts = [said, *self._whole(error.block)]
        return self._shown(Applied(parts, {error.block.label: error.block.revision}, counts=faults))

    def page_in(self, transaction: Transaction, label: str) -> Applied:
        """Bring a block into view. Raises ToolError where it does not exist or cannot fit."""
        block = self._need(transaction.connection, label)
        if not self._fits(block):
            raise ToolError(self._whole(block)[0]["text"], retryable=False)
        used = {label: block.revision}
        if self.view.get(label) == block.revision:
            return Applied([text_part(f"Block {label} is in view, at revision {block.revision}.")], used)
        parts = [text_part(f"Paged in block {label}."), *self._whole(block)]
        return self._shown(Applied(parts, used, counts={"faults": 1}))

    def page_out(self, transaction: Transaction, label: str) -> Applied:
        """Let a block leave the head at its next compile. Raises ToolError where it is pinned or does not exist."""
        block = self._need(transaction.connection, label)
        if block.pinned:
            raise ToolError(f"Block {label!r} is pinned, so it stays.", retryable=False)
        if label not in self.view:
            return Applied([text_part(f"Block {label} is not in view.")], released=(label,))
        said = f"Block {label} will leave when the window's head is next compiled; until then it stays in view."
        return Applied([text_part(said)], released=(label,))

    def _need(self, connection: Connection, label: str) -> Block:
        block = find_block(connection, self.scope.agent, self.scope.user, label)
        if block is None:
            raise ToolError(f"There is no block {label!r}.", hint="core_memory_list() lists those that exist.")
        return block

    def updates(self, connection: Connection, new: list[Block]) -> list[Part]:
        """What must be said so that the request shows every block in view, and every pinned one, as it is now."""
        parts: list[Part] = []
        born = {block.label for block in new}
        for label, block in sorted(self.blocks.items()):
            shown = self.view.get(label)
            if shown is None:
                if block.pinned:
                    parts += [text_part(f"Block {label} is pinned now."), *self._whole(block)]
                elif label in born:
                    parts.append(text_part(f"There is a new block {label}: {block.description or 'no description'}"))
            elif shown < block.revision:
                before = block_at(connection, self.scope.agent, self.scope.user, label, shown)
                parts.append(text_part(f"Block {label} was changed by {_who(block)}.{_settings_now(before, block)}"))
                parts += [self._delta(before, block)] if before is not None else self._whole(block)
        return parts

    def lines_in_view(self) -> list[str]:
        """The lines of the blocks that the next request shows."""
        shown = (block for label, block in self.blocks.items() if block.pinned or label in self.view)
        return [line for block in shown for line in block.value.split("\n") if line.strip()]

    def prefetch(self, words: str) -> list[Block]:
        """The blocks not in view that `words` are about: whose label is said, or much of their description."""
        said = _subjects(words[:2_000])
        about: list[tuple[float, Block]] = []
        for label, block in self.blocks.items():
            if not said or label in self.view or self.size(block) * 2 > self.frames:
                continue
            names = _subjects(label)
            shared = len((_subjects(block.description) - names) & said)
            named = bool(names) and names <= said
            if named or shared >= 2:
                about.append((shared + 2 * named, block))
        about.sort(key=lambda pair: (-pair[0], pair[1].label))
        return [block for _score, block in about[:PREFETCHED]]


@lru_cache(maxsize=4_096)
def _subjects(text: str) -> frozenset[str]:
    """What a text is about, as terms; a Chinese character alone says too little."""
    return frozenset(term for term in terms(text.replace("_", " ")) if len(term) > 1)


def _settings_now(before: Block | None, block: Block) -> str:
    """The settings that differ from those of `before`, since the head shows the older ones."""
    if before is None:
        return ""
    now = [f"limit {block.limit:,}"] if block.limit != before.limit else []
    now += ["read-only" if block.read_only else "not read-only"] if block.read_only != before.read_only else []
    now += ["pinned" if block.pinned else "not pinned"] if block.pinned != before.pinned else []
    now += [f"about: {block.description}"] if block.description != before.description else []
    return f" It is now: {'; '.join(now)}." if now else ""


def _who(block: Block) -> str:
    return {"agent": "another conversation", "user": "the user", "sleeptime": "background work"}.get(
        block.writer, block.writer
    )


def counters_of(connection: Connection, conversation: str) -> dict[str, int]:
    """The counters of a conversation: faults, prefetches, evictions, compactions."""
    rows: list[Row[Any]] = list(
        connection.execute(select(tables.counters).where(tables.counters.c.conversation == conversation)).all()
    )
    return {row.name: row.value for row in rows}
