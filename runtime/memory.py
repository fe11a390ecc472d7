"""An agent's memory as a program or a person handles it: `agent.memory`."""

from __future__ import annotations

from dataclasses import dataclass

from .core import history
from .core.blocks import Block, find_block, visible_blocks
from .core.edit import Author, BlockChange, Operation
from .core.memory import CoreMemory, counters_of
from .errors import NotFound
from .journal.events import Writer
from .journal.journal import Journal, Transaction
from .scope import Scope


@dataclass(frozen=True, slots=True)
class Memory:
    """Core memory of one agent and user. Every edit goes the same way as the model's own."""

    scope: Scope
    journal: Journal
    core: CoreMemory

    async def blocks(self) -> list[Block]:
        """The blocks, by label."""
        return await self.journal.read(lambda connection: visible_blocks(connection, self.scope.agent, self.scope.user))

    async def block(self, label: str) -> Block:
        """One block. Raises NotFound."""
        found = await self.journal.read(
            lambda connection: find_block(connection, self.scope.agent, self.scope.user, label)
        )
        if found is None:
            raise NotFound(f"There is no block {label!r}.")
        return found

    async def edit(self, label: str, operation: Operation, *, writer: Writer = "user") -> BlockChange:
        """Make one edit. The model is told of it before its next reply. Raises what `apply_edit` raises."""
        author = Author(writer, self.scope.conversation)

        def work(transaction: Transaction) -> BlockChange:
            return self.core.edit(transaction, label, operation, author, blind=True)[0]

        return await self.journal.write(work)

    async def undo(self, label: str) -> BlockChange:
        """Take back the newest change of a block that is not taken back yet."""
        author = Author("user", self.scope.conversation)

        def work(transaction: Transaction) -> BlockChange:
            change = history.undo(transaction, self.scope.agent, self.scope.user, label, author)
            self.core.check_pinned(transaction, change)
            return change

        return await self.journal.write(work)

    async def history(self, label: str) -> list[history.Version]:
        """Every version of a block, oldest first. Raises NotFound where there never was one."""
        return await self.journal.read(
            lambda connection: history.history(connection, self.scope.agent, self.scope.user, label)
        )

    async def counters(self) -> dict[str, int]:
        """Page faults, prefetches, evictions and compactions of this conversation so far."""
        return await self.journal.read(lambda connection: counters_of(connection, self.scope.conversation))
