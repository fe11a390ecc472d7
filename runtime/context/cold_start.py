"""Cold start: while next to nothing is known of the user, the head asks for gentle onboarding.

It is decided where a head is compiled, and stands until the next one, so that the prefix of the requests stays.
"""

from __future__ import annotations

import re

from sqlalchemy import Connection, bindparam, or_, select

from ...prompts import load
from ..core.blocks import Block
from ..journal import tables
from ..journal.fold.rows import current
from ..journal.statement import Statement
from ..scope import Scope

FEW = 3
"""Facts from which on the user is known."""

_CLAUSES = re.compile(r"[.;。；\n]+")
_passages = tables.passages
_FACTS = Statement(
    select(_passages.c.id)
    .where(
        _passages.c.stream == bindparam("agent"),
        _passages.c.user == bindparam("user"),
        _passages.c.status == "active",
        or_(*(_passages.c.kind == kind for kind in ("fact", "insight", "rule"))),
        current(_passages),
    )
    .limit(FEW)
)


def onboarding(connection: Connection, scope: Scope, human: Block | None) -> str:
    """What the head says while fewer than three facts are known of the user, else nothing.

    A fact is a passage that tells one, or a clause of the block `human`; its headings are none.
    """
    told = [clause for line in (human.value if human else "").split("\n") for clause in _facts_in(line)]
    if len(told) >= FEW:
        return ""
    known = len(told) + len(_FACTS.all(connection, {"agent": scope.agent, "user": scope.user}))
    return "" if known >= FEW else load("onboarding")


def _facts_in(line: str) -> list[str]:
    if line.rstrip().endswith((":", "：")):
        return []
    return [clause for clause in _CLAUSES.split(line) if re.search(r"\w", clause)]
