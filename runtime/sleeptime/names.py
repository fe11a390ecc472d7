"""One name for each subject: "the user's sister Marit", "Marit" and, once her name is known, "the user's sister"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from ..archive.terms import plain
from ..journal import tables
from ..journal.fold.rows import current
from ..scope import Scope

USER = "user"

_USER = frozenset(("user", "the user", "me", "i", "myself", "self", "用户", "我"))
_OF_USER = re.compile(r"^(?:the )?user['’]?s |^用户的?")
# What somebody is to the user, and then the name: "sister Marit", "表弟 阿伟".
_NAMED = re.compile(
    r"^(?P<role>[^\W\d_A-Z][\w-]*(?: [^\W\d_A-Z][\w-]*){0,2}) "
    r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*|[\u4e00-\u9fff]{1,4})$"
)

passages = tables.passages


def canonical(subject: str | None) -> str:
    """The name by which a subject is compared."""
    text = (subject or USER).strip()
    if plain(text) in _USER:
        return USER
    bare = _OF_USER.sub("", text)
    named = _NAMED.match(bare)
    return plain(named["name"]) if named else plain(bare).strip()


def named(subject: str | None, aliases: Mapping[str, str]) -> str | None:
    """The subject with its name, where it says only what somebody is to the user, and the name is known."""
    bare = _OF_USER.sub("", subject or "")
    # Only what is the user's own: "the boss of Ana" is somebody else's.
    name = aliases.get(plain(bare).strip()) if bare != (subject or "") else None
    return f"{subject} {name}" if name else subject


def aliases_of(subjects: Iterable[str | None], relations: Iterable[Mapping[str, str]] = ()) -> dict[str, str]:
    """Who is who, by what subjects and relations tell: {"sister": "Marit"}. A role that two have stands for neither."""
    found: dict[str, set[str]] = {}
    for subject in subjects:
        bare = _OF_USER.sub("", subject or "")
        if bare != (subject or "") and (told := _NAMED.match(bare)):
            found.setdefault(plain(told["role"]), set()).add(told["name"])
    for one in relations:
        if canonical(one["subject"]) == USER and one["object"][:1].isupper():
            found.setdefault(plain(one["relation"]), set()).add(one["object"])
    return {role: next(iter(names)) for role, names in found.items() if len(names) == 1}


def read_aliases(connection: Connection, scope: Scope) -> dict[str, str]:
    """Who is who, by what this user has told."""
    query = select(passages.c.subject, passages.c.relations).where(
        passages.c.stream == scope.agent,
        passages.c.user == scope.user,
        passages.c.subject.is_not(None),
        # A name stays with somebody of whom the rest has changed.
        passages.c.status.in_(("active", "superseded")),
        current(passages),
    )
    rows: list[Any] = list(connection.execute(query).all())
    return aliases_of((row.subject for row in rows), (one for row in rows for one in row.relations))
