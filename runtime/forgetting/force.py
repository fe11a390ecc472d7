"""What older states must not bring back: what was forgotten since, and is not restored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select

from ..core.blocks import Block
from ..journal import tables
from ..journal.fold.rows import current
from .facts import Fact, Facts
from .payload import said


@dataclass(frozen=True, slots=True)
class InForce:
    """What was forgotten after some moment: block lines ({label, user, text, about}), and the facts."""

    lines: list[dict[str, Any]]
    facts: dict[str, Facts]
    """By the user who had them forgotten."""

    def block(self, block: Block, now: Block | None) -> Block:
        """An older version of a block without what is forgotten.

        That is the lines that were named, and those that carry the facts; but not what stands in the block `now`,
        since whoever forgot let it stand.
        """
        if not self.lines and not self.facts:
            return block
        kept = now.value.split("\n") if now is not None else []
        value = "\n".join(it for it in block.value.split("\n") if it in kept or not self._gone(block, it, about=False))
        about = block.description
        if about and (now is None or about != now.description) and self._gone(block, about, about=True):
            about = ""
        return replace(block, value=value, description=about)

    def _gone(self, block: Block, text: str, *, about: bool) -> bool:
        line = {"label": block.label, "user": block.user, "text": text, "about": about}
        # A block of the agent's own is seen by all of its users.
        facts = [it for user, it in self.facts.items() if block.user in ("", user)]
        return line in self.lines or any(it.carried_by(text) for it in facts)

    def summary(self, user: str, summary: str) -> str:
        """A summary of this user's conversation without what carries a forgotten fact."""
        return self.facts[user].without(summary) if user in self.facts else summary


def in_force(connection: Connection, agent: str, since: int) -> InForce:
    """What was forgotten after the event `since` of the agent and is not restored."""
    payloads = [said(event.payload) for event in forgettings(connection, agent) if event.seq > since]
    lines = [line for payload in payloads for line in payload["lines"]]
    by_user: dict[str, list[Fact]] = {}
    for payload in payloads:
        by_user.setdefault(payload["user"], []).extend(payload["facts"])
    return InForce(lines, {user: Facts(found) for user, found in by_user.items()})


def forgettings(connection: Connection, agent: str) -> list[Any]:
    """The events of all forgettings of an agent that are in force, oldest first."""
    events, withheld = tables.events, tables.withheld
    query = (
        select(events)
        .join(withheld, withheld.c.item == events.c.id)
        .where(withheld.c.stream == agent, withheld.c.kind == "forgetting", current(withheld))
    )
    return list(connection.execute(query.order_by(withheld.c.forgot)).all())
