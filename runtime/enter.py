"""Entering a home as one user of one agent: finding the agent and the conversation, or making what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from sqlalchemy import select

from ..prompts import load as prompt
from .core.blocks import BlockSpec, find_block
from .core.edit import Author, Create, apply_edit
from .directory import CALLED, create_agent
from .errors import AlreadyExists
from .journal import tables
from .journal.journal import Journal, Transaction
from .scope import Scope
from .text import check_name

DEFAULT_BLOCKS = (
    BlockSpec("persona", prompt("persona"), "Who you are and how you speak.", pinned=True),
    BlockSpec("human", prompt("human"), "What you know about the user.", pinned=True, per_user=True),
)


async def enter(
    journal: Journal,
    name: str,
    user: str,
    conversation: str,
    zone: ZoneInfo,
    specs: Sequence[BlockSpec],
    *,
    kind: str = "agent",
) -> Scope:
    """Find the agent and the conversation, and make what is missing of them and of their blocks.

    An `app` is entered in the same way, and has no blocks unless they are given. Raises InvalidName, AlreadyExists
    where the name is that of the other kind, or EditRefused for a block that breaks a rule.
    """
    name = check_name(name, CALLED[kind])
    conversation = check_name(conversation, "A conversation's name")
    named = {spec.label for spec in specs}
    usual = DEFAULT_BLOCKS if kind == "agent" else ()
    wanted = [*(spec for spec in usual if spec.label not in named), *specs]

    def work(transaction: Transaction) -> Scope:
        agents = tables.agents
        query = select(agents.c.id, agents.c.kind).where(agents.c.name == name, agents.c.deleted_at.is_(None))
        found = transaction.connection.execute(query).one_or_none()
        if found is not None and found.kind != kind:
            raise AlreadyExists(
                f"{name!r} is an {found.kind} of this home, and no {kind}.", hint=f"Choose another name for the {kind}."
            )
        agent = found.id if found is not None else create_agent(transaction, name, kind=kind)
        thread = _conversation(transaction, agent, user, conversation)
        author = Author("system")
        for spec in wanted:
            if find_block(transaction.connection, agent, user, spec.label) is None and _never(
                transaction, agent, user, spec.label
            ):
                make = Create(spec.description, spec.value, spec.limit, spec.read_only, spec.pinned, spec.per_user)
                apply_edit(transaction, agent, user, spec.label, make, author)
        return Scope(agent, name, user, thread, conversation, zone)

    return await journal.write(work)


def _never(transaction: Transaction, agent: str, user: str, label: str) -> bool:
    """Whether there never was such a block: one that was deleted is not made again."""
    blocks = tables.blocks
    query = select(blocks.c.row).where(blocks.c.stream == agent, blocks.c.label == label, blocks.c.user.in_(["", user]))
    return transaction.connection.execute(query.limit(1)).first() is None


def _conversation(transaction: Transaction, agent: str, user: str, name: str) -> str:
    table = tables.conversations
    query = select(table.c.id).where(
        table.c.stream == agent, table.c.user == user, table.c.name == name, table.c.to_seq.is_(None)
    )
    found = transaction.connection.execute(query).scalar()
    if found is not None:
        return str(found)
    made = transaction.ids.new("conversation")
    payload = {"id": made, "name": name, "user": user}
    transaction.append("conversation.created", payload, stream=agent, writer="user", conversation=made)
    return made
