"""What core memory in view says already, so that it need not be recalled."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from ..archive.terms import is_cjk, terms

_CLAUSES = re.compile(r"[.;。；|()（）\n]+")
_USER = frozenset(terms("user users 用户"))
_NO = re.compile(r"\b(?:not|no|never|cannot|without)\b|n['’]t\b|不|没|无|别", re.IGNORECASE)


def is_known(text: str, lines: Collection[str]) -> bool:
    """Whether one of the `lines` of blocks says what `text` says, in as good as the same words."""
    said = _said(text)
    return bool(said[0]) and any(said == clause for line in lines for clause in _clauses(line))


@lru_cache(maxsize=4096)
def _clauses(line: str) -> tuple[tuple[frozenset[str], bool], ...]:
    """What each clause of a line says, and the whole line."""
    return tuple(_said(part) for part in {*_CLAUSES.split(line), line} if part.strip())


@lru_cache(maxsize=4096)
def _said(text: str) -> tuple[frozenset[str], bool]:
    """The words of a text that say something, whoever the user is called in it; and whether it denies something."""
    found = frozenset(terms(text)) - _USER
    # "我住在上海" and "用户住在上海" say the same.
    return frozenset(term for term in found if not (is_cjk(term) and term.startswith(("我", "户")))), bool(
        _NO.search(text)
    )
